// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/run/instance_memory.h"
#include "gpu/run/launches.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

using Clock = std::chrono::steady_clock;

/// One test on one device: its kernel and its memory.
class Launcher {
 public:
  Launcher(const Device& device, const Harness& harness, const RunOptions& options)
      : device_(device),
        harness_(harness),
        patience_(options.patience),
        kernel_(device.driver(), harness.ptx, harness.entry) {
    shape_.threads = harness.cta_threads;
    shape_.cluster = harness.cluster;
    unsigned ctas = kernel_.resident_ctas(shape_, device.info().multiprocessors);
    ctas = std::max(ctas * options.harness.stress.occupancy / 100, std::min(ctas, harness.least_ctas()));
    if (options.ctas != 0) ctas = std::min(ctas, std::max(options.ctas, harness.least_ctas()));
    blocks_ = harness.blocks(ctas);
    const unsigned least = harness.dedicated ? 1 : harness.parts;
    if (blocks_ < least)
      throw TooSmall(fmt::format("{} holds {} CTAs of this test at once, which needs {}", device.info().name,
                                 ctas, harness.least_ctas()));
    shape_.ctas = harness.launched(ctas);
    memory_ = InstanceMemory(device, kernel_.module(), harness, blocks_);
    results_ = DeviceMemory(device.driver(), harness.result_bytes(blocks_));
    outcomes_ = OutcomeMemory(device.driver());
    results_.fill(0);
  }

  unsigned ctas() const { return shape_.ctas; }
  unsigned blocks() const { return blocks_; }
  std::uint64_t instances(std::uint32_t rounds) const {
    return std::uint64_t{blocks_} * harness_.instances * rounds;
  }

  /// Returns the seconds it took; nothing when it does not end.
  std::optional<double> launch(std::uint32_t rounds, std::uint32_t seed, std::vector<TableSlot>& table,
                               Control& control) {
    outcomes_.clear(table, control);
    abi::Pointer memory = memory_.address(), results = results_.address(), slots = outcomes_.table(),
                 counters = outcomes_.control();
    std::uint32_t blocks = blocks_, reach = harness_.reach_of(blocks_);
    std::uint64_t span = memory_.span();
    std::vector<std::uint64_t> given = harness_.given;
    std::vector<void*> arguments{&memory, &results, &slots, &counters, &blocks, &rounds, &seed, &reach};
    if (harness_.mappings > 1) arguments.push_back(&span);
    std::vector<abi::TextureObject> textures = memory_.textures();
    for (abi::TextureObject& texture : textures) arguments.push_back(&texture);
    for (std::uint64_t& value : given) arguments.push_back(&value);
    const auto begin = Clock::now();
    kernel_.launch(shape_, std::move(arguments));
    if (!device_.finished_within(patience_)) return std::nullopt;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    outcomes_.read(table, control);
    return seconds;
  }

 private:
  const Device& device_;
  const Harness& harness_;
  double patience_;
  Kernel kernel_;
  LaunchShape shape_;
  unsigned blocks_ = 0;
  InstanceMemory memory_;
  DeviceMemory results_;
  OutcomeMemory outcomes_;
};

/// As many as take a launch's time, or what is left of a shorter run.
}  // namespace

void collect(const std::vector<TableSlot>& table, const Control& control, std::uint64_t expected,
             std::size_t names, unsigned bits, Histogram& histogram) {
  std::uint64_t counted = control.unrecorded + control.hung;
  for (const TableSlot& slot : table) {
    if (slot.key == TableSlot{}.key) continue;
    counted += slot.count;
    histogram.counts[unpack(slot.key, names, bits)] += slot.count;
  }
  PTXMC_CHECK(counted == expected,
              fmt::format("{} instances ran on the GPU, and {} were counted", expected, counted));
  histogram.instances += expected;
  histogram.hung += control.hung;
  histogram.unrecorded += control.unrecorded;
}

Histogram run(const Device& device, const Harness& harness, const Observation& observation,
              const RunOptions& options, const std::function<bool()>& stop) {
  check_target(device, harness.target);
  Launcher launcher(device, harness, options);
  Pace pace;
  if (harness.most_rounds != 0) pace.most = harness.most_rounds;
  pace.first = std::min(pace.first, pace.most);
  return run_launches(launcher, pace, options, observation.names().size(), harness.bits, stop);
}

}  // namespace ptxmc::gpu
