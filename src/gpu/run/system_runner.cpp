// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/system_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include "gpu/host/host_actor.h"
#include "gpu/run/launches.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSystemLaunchSeconds = 0.05;  // shorter than on one GPU: launches differ
constexpr double kLeaveSeconds = 1;            // for kernels that were told to stop
// What is rare shows at some size and pace only, so launches take turns: all blocks, half of them, a quarter,
// an eighth; and so many percent of the pace of the host threads.
constexpr unsigned kSizes = 4;
constexpr unsigned kPaces[] = {100, 100, 66, 150};
// A GPU that is a little too fast: its instances begin behind those of the host threads, which hear earlier
// that a turn begins, and end before them.
constexpr double kPacePerSecond = 1.7e9 * 0.75;  // cycles
constexpr double kLongestRound = 1e9;            // cycles, of 2^32

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// One GPU's share: its kernel and its memory. Makes its device current before it does something there.
class Part {
 public:
  Part(const Device& device, const Harness& harness) : device_(device), harness_(harness) {
    device.make_current();
    kernel_ = std::make_unique<Kernel>(device.driver(), harness.ptx, harness.entry);
    shape_.threads = harness.cta_threads;
    shape_.cluster = harness.cluster;
    control_ = DeviceMemory(device.driver(), sizeof(Control));
  }
  ~Part() {
    if (device_.driver().abandoned()) return;
    try {
      device_.make_current();
    } catch (const DriverError&) {
      return;  // a fault spoilt the context, and everything in it
    }
    kernel_.reset();
    memory_ = DeviceMemory();
    results_ = DeviceMemory();
    table_ = DeviceMemory();
    control_ = DeviceMemory();
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  unsigned resident() const {
    device_.make_current();
    return kernel_->resident_ctas(shape_, device_.info().multiprocessors);
  }
  void set_blocks(unsigned blocks) {
    shape_.ctas = blocks * harness_.cluster * (harness_.dedicated ? harness_.parts : 1);
    blocks_ = blocks;
  }
  void allocate_memory() { allocate(memory_, harness_.memory_bytes(blocks_)); }
  void allocate_results() { allocate(results_, harness_.result_bytes(blocks_)); }
  void allocate_table() { allocate(table_, kTableSlots * sizeof(TableSlot)); }

  const Device& device() const { return device_; }
  const Harness& harness() const { return harness_; }
  unsigned ctas() const { return shape_.ctas; }
  abi::Pointer memory() const { return memory_.address(); }
  abi::Pointer results() const { return results_.address(); }

  void clear(const std::vector<TableSlot>& empty) const {
    device_.make_current();
    const Control control;
    control_.write(&control, sizeof control);
    if (table_.bytes() != 0) table_.write(empty.data(), table_.bytes());
  }
  void read(std::vector<TableSlot>& table, Control& control) const {
    device_.make_current();
    control_.read(&control, sizeof control);
    table_.read(table.data(), table_.bytes());
  }

  struct Arguments {
    std::vector<abi::Pointer> memories;  ///< of all GPUs
    abi::Pointer results = 0, meeting = 0, host = 0;
    std::uint32_t rounds = 0, seed = 0, pace = 0;
  };
  void launch(Arguments arguments) const {
    device_.make_current();
    abi::Pointer table = table_.address(), control = control_.address();
    std::uint32_t blocks = blocks_, reach = harness_.reach_of(blocks_);
    std::vector<void*> pointers = {&arguments.memories.front(),
                                   &arguments.results,
                                   &table,
                                   &control,
                                   &blocks,
                                   &arguments.rounds,
                                   &arguments.seed,
                                   &reach,
                                   &arguments.meeting,
                                   &arguments.host,
                                   &arguments.pace};
    for (std::size_t gpu = 1; gpu < arguments.memories.size(); ++gpu)
      pointers.push_back(&arguments.memories[gpu]);
    kernel_->launch(shape_, std::move(pointers));
  }

 private:
  void allocate(DeviceMemory& memory, std::size_t bytes) const {
    device_.make_current();
    memory = DeviceMemory(device_.driver(), bytes);
    memory.fill(0);
    device_.driver().check(device_.driver().functions().synchronize(), "cuCtxSynchronize");
  }

  const Device& device_;
  const Harness& harness_;
  std::unique_ptr<Kernel> kernel_;
  LaunchShape shape_;
  unsigned blocks_ = 0;
  DeviceMemory memory_, results_, table_, control_;
};

/// The host threads of a launch; they are told to stop, and waited for, when it goes.
class Hosts {
 public:
  Hosts(const System& system, const HostStage& stage, const Meeting& meeting, unsigned fuel)
      : meeting_(meeting), reports_(system.hosts.size()) {
    for (std::size_t i = 0; i < system.hosts.size(); ++i) {
      const auto actor = static_cast<unsigned>(system.gpus.size() + i);
      threads_.emplace_back([this, &system, &stage, &meeting, i, actor, fuel] {
        reports_[i] = HostActor(system.hosts[i], system.places[i], actor, fuel).play(stage, meeting);
      });
    }
  }
  ~Hosts() {
    meeting_.stop();
    join();
  }
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  const std::vector<HostReport>& join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    return reports_;
  }

 private:
  const Meeting& meeting_;
  std::vector<HostReport> reports_;
  std::vector<std::thread> threads_;
};

class SystemLauncher {
 public:
  SystemLauncher(const std::vector<const Device*>& devices, const System& system, const RunOptions& options)
      : system_(system), options_(options) {
    connect(devices);
    for (std::size_t i = 0; i < devices.size(); ++i)
      parts_.push_back(std::make_unique<Part>(*devices[i], system.gpus[i]));
    choose_blocks();
    for (auto& part : parts_) {
      part->set_blocks(most_);
      part->allocate_memory();
    }
    const Driver& driver = devices.front()->driver();
    evaluator().allocate_table();
    const std::size_t results = evaluator().harness().result_bytes(most_);
    if (system.hosts.empty()) {
      evaluator().allocate_results();
    } else {
      host_results_ = HostMemory(driver, results);
    }
    if (system.host_memory) host_ = HostMemory(driver, system.front().memory_bytes(most_));
    meeting_ = HostMemory(driver, Meeting::bytes(system.actors()));
  }

  unsigned ctas() const {
    unsigned sum = 0;
    for (const auto& part : parts_) sum += part->ctas();
    return sum;
  }
  unsigned blocks() const { return blocks_; }
  /// Sets the size and the pace of a launch.
  void vary(unsigned launch) {
    blocks_ = std::max(std::min(least_, most_), most_ >> launch % kSizes);
    for (auto& part : parts_) part->set_blocks(blocks_);
    pace_percent_ = kPaces[launch / kSizes % std::size(kPaces)];
  }
  std::uint64_t instances(std::uint32_t rounds) const {
    return std::uint64_t{blocks_} * system_.front().instances * rounds;
  }

  /// Returns the seconds it took; nothing when it does not end.
  std::optional<double> launch(std::uint32_t rounds, std::uint32_t seed, std::vector<TableSlot>& table,
                               Control& control) {
    table.assign(kTableSlots, TableSlot{});
    for (auto& part : parts_) part->clear(table);
    const Meeting meeting(meeting_.data(), static_cast<unsigned>(system_.actors()));
    meeting.clear();
    const HostStage stage{{system_.shape(blocks_), host_.data(), host_.bytes(), host_results_.data(),
                           system_.front().result_rows},
                          rounds,
                          seed};
    const Part::Arguments arguments = arguments_of(rounds, seed);
    Hosts hosts(system_, stage, meeting, options_.harness.fuel);
    const auto begin = Clock::now();
    for (auto& part : parts_) part->launch(arguments);
    const bool ended = wait(options_.patience);
    const double seconds = since(begin);
    if (!ended) {
      meeting.stop();
      if (!wait(kLeaveSeconds)) abandon();
    }
    report(hosts.join());
    if (!ended) return std::nullopt;
    evaluator().read(table, control);
    return seconds;
  }

 private:
  Part& evaluator() const { return *parts_[system_.evaluates]; }

  static void connect(const std::vector<const Device*>& devices) {
    for (const Device* device : devices) {
      for (const Device* other : devices) {
        if (device != other) device->reach(*other);
      }
    }
  }

  /// As many as every GPU holds at once; few, where host threads play them one after the other.
  void choose_blocks() {
    most_ = ~0U;
    for (const auto& part : parts_) {
      const Harness& harness = part->harness();
      unsigned ctas = part->resident();
      if (options_.ctas != 0) ctas = std::min(ctas, std::max(options_.ctas, harness.least_ctas()));
      const unsigned needed = harness.dedicated ? 1 : harness.parts;
      if (harness.blocks(ctas) < needed)
        throw TooSmall(fmt::format("{} holds {} CTAs of this test at once, which needs {}",
                                   part->device().info().name, ctas, harness.least_ctas()));
      least_ = std::max(least_, needed);
      most_ = std::min(most_, harness.blocks(ctas));
    }
    if (!system_.hosts.empty())
      most_ = std::min(most_, std::max(least_, options_.batch / system_.front().instances));
    blocks_ = most_;
  }

  Part::Arguments arguments_of(std::uint32_t rounds, std::uint32_t seed) const {
    Part::Arguments out;
    for (const auto& part : parts_) out.memories.push_back(part->memory());
    out.results = system_.hosts.empty() ? evaluator().results() : host_results_.address();
    out.meeting = meeting_.address();
    out.host = host_.address();
    out.rounds = rounds;
    out.seed = seed;
    out.pace = pace_ / 100 * pace_percent_ + pace_ % 100 * pace_percent_ / 100;
    return out;
  }

  bool wait(double seconds) const {
    const auto begin = Clock::now();
    for (unsigned polls = 0;; ++polls) {
      const bool ended =
          std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->device().idle(); });
      if (ended) return true;
      if (since(begin) > seconds) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  void abandon() const {
    for (const auto& part : parts_) part->device().driver().abandon();
  }

  /// What the host threads say of a launch: a fault, and how long an instance takes them.
  void report(const std::vector<HostReport>& reports) {
    std::uint64_t played = 0;
    double seconds = 0;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      if (reports[i].fault)
        throw DriverError(fmt::format("P{}, a host thread, accesses an address outside of the variables",
                                      system_.hosts[i].thread));
      played += reports[i].played;
      seconds += reports[i].seconds;
    }
    if (played == 0) return;
    const double pace = seconds / static_cast<double>(played) * kPacePerSecond;
    pace_ = static_cast<std::uint32_t>(std::min(pace, kLongestRound / static_cast<double>(instances(1))));
  }

  const System& system_;
  const RunOptions& options_;
  std::vector<std::unique_ptr<Part>> parts_;
  unsigned least_ = 1, most_ = 0, blocks_ = 0;
  std::uint32_t pace_ = 0;  // cycles
  unsigned pace_percent_ = 100;
  HostMemory host_, host_results_, meeting_;
};

void check_devices(const std::vector<const Device*>& devices, const System& system) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& info = devices[i]->info();
    check_target(*devices[i], system.gpus[i].target);
    if (!system.shared_rmw.empty() && !info.host_atomics)
      throw TooSmall(
          fmt::format("{}, and atomics of {} on host memory are not atomic to the host or another "
                      "GPU",
                      system.shared_rmw, info.name));
  }
}

}  // namespace

Histogram run_system(const std::vector<const Device*>& devices, const System& system,
                     const Observation& observation, const RunOptions& options,
                     const std::function<bool()>& stop) {
  PTXMC_CHECK(devices.size() == system.gpus.size(), "a device for each GPU");
  check_devices(devices, system);
  SystemLauncher launcher(devices, system, options);
  Pace pace;
  pace.seconds = kSystemLaunchSeconds;
  return run_launches(launcher, pace, options, observation.names().size(), system.front().bits, stop);
}

}  // namespace ptxmc::gpu
