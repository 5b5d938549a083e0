// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "gpu/host_objects.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

constexpr std::uint32_t kMostRounds = 48;  // at once: the driver's queues hold some 1000 calls
constexpr std::uint32_t kFirstRounds = 4;
constexpr double kLaunchSeconds = 0.05;

using Clock = std::chrono::steady_clock;

/// One test on one device.
class KernelsLauncher {
 public:
  KernelsLauncher(const Device& device, const KernelsHarness& harness, const RunOptions& options)
      : driver_(device.driver()),
        harness_(harness),
        patience_(options.patience),
        module_(driver_, harness.ptx),
        own_(driver_, false),
        ready_(driver_) {
    find_entries();
    size(device, options);
    allocate();
    create();
    evaluate();  // resets the memory
    driver_.check(driver_.functions().synchronize(), "cuCtxSynchronize");
  }

  unsigned blocks() const { return blocks_; }
  unsigned ctas() const {
    unsigned sum = 0;
    for (const LaunchShape& shape : shapes_) sum += shape.ctas;
    return sum;
  }
  std::uint64_t instances(std::uint32_t rounds) const {
    return std::uint64_t{blocks_} * harness_.instances * rounds;
  }

  /// Returns the seconds it took; nothing when it does not end.
  std::optional<double> launch(std::uint32_t rounds, std::uint32_t seed, std::vector<TableSlot>& table,
                               Control& control) {
    table.assign(kTableSlots, TableSlot{});
    control = Control{};
    table_.write(table.data(), table_.bytes());
    control_.write(&control, sizeof control);
    state_.write(&seed, sizeof seed, offsetof(RoundState, seed));
    driver_.check(driver_.functions().synchronize(), "cuCtxSynchronize");  // no stream waits for copies
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < rounds; ++i) round();
    if (!ready_.complete_within(patience_)) {
      driver_.abandon();
      return std::nullopt;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    table_.read(table.data(), table_.bytes());
    control_.read(&control, sizeof control);
    return seconds;
  }

 private:
  void find_entries() {
    for (const KernelEntry& kernel : harness_.kernels) {
      functions_.push_back(module_.entry(kernel.name));
      LaunchShape shape;
      shape.threads = kernel.threads;
      shape.cluster = kernel.cluster;
      shape.cooperative = false;
      shapes_.push_back(shape);
    }
    evaluation_ = module_.entry(harness_.evaluation.name);
  }

  /// As many blocks as leave room for all kernels of a round at once.
  void size(const Device& device, const RunOptions& options) {
    double share = 0;  // of the device, that a block takes
    unsigned ctas = 0;
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      const unsigned resident =
          resident_ctas(driver_, functions_[k], shapes_[k], device.info().multiprocessors);
      share += static_cast<double>(harness_.kernels[k].ctas_of_block()) / std::max(resident, 1U);
      ctas += harness_.kernels[k].ctas_of_block();
    }
    blocks_ = static_cast<unsigned>(1 / share + 1e-9);
    if (options.ctas != 0)
      blocks_ = std::min(blocks_, std::max(options.ctas / ctas, harness_.least_blocks()));
    if (blocks_ < harness_.least_blocks())
      throw TooSmall(fmt::format("{} holds {} of this test's blocks at once, which needs {}",
                                 device.info().name, blocks_, harness_.least_blocks()));
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      shapes_[k].ctas = blocks_ * harness_.kernels[k].ctas_of_block();
      reaches_.push_back(harness_.kernels[k].reach_of(blocks_));
    }
    evaluation_shape_.threads = harness_.evaluation.threads;
    evaluation_shape_.cooperative = false;
    evaluation_shape_.ctas = harness_.evaluation_ctas(blocks_);
    evaluation_shape_.stream = own_.handle();
  }

  void allocate() {
    memory_ = DeviceMemory(driver_, harness_.memory_bytes(blocks_));
    results_ = DeviceMemory(driver_, harness_.result_bytes(blocks_));
    table_ = DeviceMemory(driver_, kTableSlots * sizeof(TableSlot));
    control_ = DeviceMemory(driver_, sizeof(Control));
    state_ = DeviceMemory(driver_, harness_.state_bytes());
    for (const DeviceMemory* memory : {&memory_, &results_, &table_, &control_, &state_}) memory->fill(0);
    const RoundState state;
    state_.write(&state, sizeof state);
    addresses_ = {memory_.address(), results_.address(), table_.address(), control_.address(),
                  state_.address()};
    driver_.check(driver_.functions().synchronize(), "cuCtxSynchronize");
  }

  void create() {
    for (const HostStream& stream : harness_.host.streams) {
      streams_.push_back(stream.legacy ? Stream::legacy(driver_) : Stream(driver_, harness_.host.blocking));
      ends_.emplace_back(driver_);
    }
    for (std::size_t i = 0; i < harness_.host.events.size(); ++i) events_.emplace_back(driver_);
    for (const HostGraph& graph : harness_.host.graphs) {
      std::vector<Graph::Node> nodes;
      std::vector<Graph::Edge> edges;
      for (const std::uint32_t k : graph.kernels)
        nodes.push_back({functions_[k], shapes_[k], arguments(&reaches_[k])});
      for (const HostGraph::Edge& edge : graph.edges)
        edges.push_back({edge.from, edge.to, edge.programmatic});
      graphs_.emplace_back(driver_, std::move(nodes), edges);
    }
  }

  std::vector<void*> arguments(std::uint32_t* reach) {
    std::vector<void*> out;
    for (abi::Pointer& address : addresses_) out.push_back(&address);
    out.push_back(&blocks_);
    out.push_back(reach);
    return out;
  }

  void evaluate() {
    std::uint32_t reach = 1;
    gpu::launch(driver_, evaluation_, evaluation_shape_, arguments(&reach).data());
    ready_.record(own_);
  }

  void round() {
    for (const Stream& stream : streams_) ready_.hold(stream);
    for (const HostStep& step : harness_.host.steps) perform(step);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      ends_[i].record(streams_[i]);
      ends_[i].hold(own_);
    }
    evaluate();
  }

  void perform(const HostStep& step) {
    const Stream& stream = streams_[step.stream];
    switch (step.kind) {
      case HostStep::Kind::launch: {
        LaunchShape shape = shapes_[step.object];
        shape.stream = stream.handle();
        shape.programmatic = step.programmatic;
        return gpu::launch(driver_, functions_[step.object], shape, arguments(&reaches_[step.object]).data());
      }
      case HostStep::Kind::launch_graph:
        return graphs_[step.object].launch(stream);
      case HostStep::Kind::record:
        return events_[step.object].record(stream);
      case HostStep::Kind::wait:
        return events_[step.object].hold(stream);
    }
    PTXMC_CHECK(false, "no step of a host program");
  }

  const Driver& driver_;
  const KernelsHarness& harness_;
  double patience_;
  LoadedModule module_;
  Stream own_;
  Event ready_;
  std::vector<abi::Function> functions_;
  std::vector<LaunchShape> shapes_;
  std::vector<std::uint32_t> reaches_;
  abi::Function evaluation_ = nullptr;
  LaunchShape evaluation_shape_;
  std::uint32_t blocks_ = 0;
  DeviceMemory memory_, results_, table_, control_, state_;
  std::vector<abi::Pointer> addresses_;
  std::vector<Stream> streams_;
  std::vector<Event> ends_, events_;
  std::vector<Graph> graphs_;
};

void check_device(const Device& device, const isa::Target& target) {
  isa::Target has;
  has.version = target.version;  // the driver's assembler judges that
  has.sm = device.info().major * 10 + device.info().minor;
  has.specific = true;
  if (isa::lacks(has, target))
    throw TooSmall(
        fmt::format("this test needs {}, and {} is sm_{}", isa::sm_name(target), device.info().name, has.sm));
}

}  // namespace

Histogram run(const Device& device, const KernelsHarness& harness, const Observation& observation,
              const RunOptions& options, const std::function<bool()>& stop) {
  check_device(device, harness.target);
  KernelsLauncher launcher(device, harness, options);
  Histogram histogram;
  histogram.ctas = launcher.ctas();
  histogram.blocks = launcher.blocks();
  std::uint32_t rounds = kFirstRounds;
  std::vector<TableSlot> table;
  Control control;
  while (histogram.launches == 0 || (!stop() && histogram.seconds < options.seconds)) {
    const std::optional<double> took =
        launcher.launch(rounds, options.seed + histogram.launches * 0x9E3779B9U, table, control);
    if (!took) {
      histogram.stuck = launcher.instances(rounds);
      break;
    }
    collect(table, control, launcher.instances(rounds), observation.names().size(), harness.bits, histogram);
    histogram.seconds += *took;
    ++histogram.launches;
    if (options.instances != 0 && histogram.instances >= options.instances) break;
    const double wanted = rounds * kLaunchSeconds / std::max(*took, 1e-6);
    rounds = static_cast<std::uint32_t>(std::clamp<double>(wanted, 1, kMostRounds));
    if (options.instances != 0) {
      const std::uint64_t left = (options.instances - histogram.instances) / launcher.instances(1) + 1;
      rounds = static_cast<std::uint32_t>(std::min<std::uint64_t>(rounds, left));
    }
  }
  return histogram;
}

}  // namespace ptxmc::gpu
