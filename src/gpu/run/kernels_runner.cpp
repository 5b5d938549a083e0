// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/kernels_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "gpu/host/player.h"
#include "gpu/run/host_objects.h"
#include "gpu/run/instance_memory.h"
#include "gpu/run/launches.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

constexpr std::uint32_t kMostQueuedRounds = 48;  // at once: the driver's queues hold some 1000 calls
constexpr Pace kQueuePace = {4, kMostQueuedRounds, 0.05, kMostQueuedRounds};

using Clock = std::chrono::steady_clock;

/// A host thread; callbacks of the driver play host functions.
struct HostPart {
  HostPart(HostPlayer who, std::optional<std::uint32_t> of, const HostRound* what)
      : player(std::move(who)), function(of), round(what) {}

  HostPlayer player;
  std::optional<std::uint32_t> function;
  const HostRound* round;
  std::atomic<bool> fault = false;
};

/// One test on one device.
class KernelsLauncher {
 public:
  KernelsLauncher(const Device& device, const KernelsHarness& harness, const RunOptions& options)
      : driver_(device.driver()),
        device_(device),
        harness_(harness),
        patience_(options.patience),
        module_(driver_, harness.ptx),
        own_(driver_, false),
        ready_(driver_) {
    if (harness.changes_atomically && !harness.hosts.empty() && !device.info().host_atomics)
      throw TooSmall(
          fmt::format("{} is not atomic to the host where both change memory", device.info().name));
    find_entries();
    size(device, options);
    allocate();
    create();
    create_hosts();
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
    outcomes_.clear(table, control);
    state_.write(&seed, sizeof seed, offsetof(RoundState, seed));
    host_round_.seed = seed;
    driver_.check(driver_.functions().synchronize(), "cuCtxSynchronize");  // no stream waits for copies
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < rounds; ++i) {
      if (!harness_.hosts.empty() && !finished()) return std::nullopt;
      host_round_.round = rounds_++;  // a callback of the round before has read it
      round();
    }
    if (!finished()) return std::nullopt;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    outcomes_.read(table, control);
    return seconds;
  }

 private:
  bool finished() const {
    if (ready_.complete_within(patience_)) return true;
    driver_.abandon();
    return false;
  }

  void find_entries() {
    for (const KernelEntry& kernel : harness_.kernels) {
      functions_.push_back(kernel.name.empty() ? nullptr : module_.entry(kernel.name));
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
      if (functions_[k] == nullptr) continue;
      const unsigned resident =
          resident_ctas(driver_, functions_[k], shapes_[k], device.info().multiprocessors);
      share += static_cast<double>(harness_.kernels[k].ctas_of_block()) / std::max(resident, 1U);
      ctas += harness_.kernels[k].ctas_of_block();
    }
    blocks_ = static_cast<unsigned>(1 / share + 1e-9);
    if (harness_.layout.window_bytes != 0) {
      const std::size_t room = harness_.layout.window_bytes / harness_.layout.memory_bytes(1);
      blocks_ = std::min(blocks_, static_cast<unsigned>(room));
    }
    if (!harness_.hosts.empty())
      blocks_ = std::min(blocks_, std::max(options.batch / harness_.instances, harness_.least_blocks()));
    if (options.ctas != 0)
      blocks_ = std::min(blocks_, std::max(options.ctas / ctas, harness_.least_blocks()));
    if (blocks_ < harness_.least_blocks())
      throw TooSmall(fmt::format("{} holds {} of this test's blocks at once, which needs {}",
                                 device.info().name, blocks_, harness_.least_blocks()));
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      shapes_[k].ctas = functions_[k] == nullptr ? 0 : blocks_ * harness_.kernels[k].ctas_of_block();
      reaches_.push_back(harness_.kernels[k].reach_of(blocks_));
    }
    evaluation_shape_.threads = harness_.evaluation.threads;
    evaluation_shape_.cooperative = false;
    evaluation_shape_.ctas = harness_.evaluation_ctas(blocks_);
    evaluation_shape_.stream = own_.handle();
  }

  void allocate() {
    const std::size_t results = harness_.result_bytes(blocks_);
    if (harness_.hosts.empty()) {
      memory_ = InstanceMemory(device_, module_.handle(), harness_.layout, blocks_);
      results_ = DeviceMemory(driver_, results);
      results_.fill(0);
      addresses_ = {memory_.address(), results_.address()};
    } else {
      host_memory_ = HostMemory(driver_, harness_.memory_bytes(blocks_));
      host_results_ = HostMemory(driver_, results);
      addresses_ = {host_memory_.address(), host_results_.address()};
    }
    outcomes_ = OutcomeMemory(driver_);
    state_ = DeviceMemory(driver_, harness_.state_bytes());
    state_.fill(0);
    addresses_.insert(addresses_.end(), {outcomes_.table(), outcomes_.control(), state_.address()});
    const RoundState state;
    state_.write(&state, sizeof state);
    if (harness_.layout.mappings > 1) further_.push_back(memory_.span());
    for (const abi::TextureObject texture : memory_.textures()) further_.push_back(texture);
    for (const std::uint64_t value : harness_.layout.given) further_.push_back(value);
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

  void create_hosts() {
    host_round_ = {{harness_.shape(blocks_), host_memory_.data(), host_memory_.bytes(), host_results_.data(),
                    harness_.result_rows},
                   0,
                   0};
    std::vector<bool> once;
    for (const HostStep& call : harness_.host.calls) once.push_back(enqueues(call.kind));
    for (const HostThread& host : harness_.hosts)
      parts_.emplace_back(HostPlayer(host.code, host.places, once, harness_.fuel), host.function,
                          &host_round_);
  }

  std::vector<void*> arguments(std::uint32_t* reach) {
    std::vector<void*> out;
    for (abi::Pointer& address : addresses_) out.push_back(&address);
    out.push_back(&blocks_);
    out.push_back(reach);
    for (std::uint64_t& parameter : further_) out.push_back(&parameter);
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
    for (HostPart& part : parts_) {
      if (part.function) continue;
      const auto call = [&](std::uint32_t number) { return perform(harness_.host.calls[number]); };
      if (!part.player.play(host_round_, call)) part.fault = true;
    }
    for (const HostPart& part : parts_) {  // of a host function: in an earlier round
      if (part.fault)
        throw DriverError("a host thread comes to an address that is none of the test's memory");
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      ends_[i].record(streams_[i]);
      ends_[i].hold(own_);
    }
    evaluate();
  }

  /// Returns what a query says, else 0.
  std::uint64_t perform(const HostStep& step) {
    using Kind = HostStep::Kind;
    switch (step.kind) {
      case Kind::launch:
        launch_kernel(step);
        return 0;
      case Kind::launch_function:
        launch_function(step);
        return 0;
      case Kind::launch_graph:
        graphs_[step.object].launch(streams_[step.stream]);
        return 0;
      case Kind::record:
        events_[step.object].record(streams_[step.stream]);
        return 0;
      case Kind::wait:
        events_[step.object].hold(streams_[step.stream]);
        return 0;
      case Kind::synchronize_stream:
        streams_[step.stream].synchronize();
        return 0;
      case Kind::synchronize_event:
        events_[step.object].synchronize();
        return 0;
      case Kind::synchronize_device:
        driver_.check(driver_.functions().synchronize(), "cuCtxSynchronize");
        return 0;
      case Kind::query_stream:
        return streams_[step.stream].complete() ? 0 : abi::kNotReady;
      case Kind::query_event:
        return events_[step.object].complete() ? 0 : abi::kNotReady;
    }
    PTXMC_CHECK(false, "no step of a host program");
    return 0;
  }

  void launch_kernel(const HostStep& step) {
    LaunchShape shape = shapes_[step.object];
    shape.stream = streams_[step.stream].handle();
    shape.programmatic = step.programmatic;
    gpu::launch(driver_, functions_[step.object], shape, arguments(&reaches_[step.object]).data());
  }

  void launch_function(const HostStep& step) {
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const HostPart& p) { return p.function == step.object; });
    PTXMC_CHECK(part != parts_.end(), "a host function has code");
    const auto play = [](void* data) {
      auto& mine = *static_cast<HostPart*>(data);
      if (!mine.player.play(*mine.round, [](std::uint32_t) { return std::uint64_t{0}; })) mine.fault = true;
    };
    driver_.check(driver_.functions().launch_host(streams_[step.stream].handle(), play, &*part),
                  "cuLaunchHostFunc");
  }

  const Driver& driver_;
  const Device& device_;
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
  InstanceMemory memory_;
  DeviceMemory results_, state_;
  OutcomeMemory outcomes_;
  HostMemory host_memory_, host_results_;
  std::vector<abi::Pointer> addresses_;
  std::vector<std::uint64_t> further_;  // parameters behind those that every entry has
  std::vector<Stream> streams_;
  std::vector<Event> ends_, events_;
  std::vector<Graph> graphs_;
  HostRound host_round_;
  std::uint32_t rounds_ = 0;  // so far: the number of the next, as in RoundState
  std::deque<HostPart> parts_;
};

}  // namespace

Histogram run(const Device& device, const KernelsHarness& harness, const Observation& observation,
              const RunOptions& options, const std::function<bool()>& stop) {
  check_target(device, harness.target);
  KernelsLauncher launcher(device, harness, options);
  return run_launches(launcher, kQueuePace, options, observation.names().size(), harness.bits, stop);
}

}  // namespace ptxmc::gpu
