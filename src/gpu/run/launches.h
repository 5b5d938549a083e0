// SPDX-License-Identifier: Apache-2.0
// Launches of a test one after the other, each as long as its pace says, until a time or a number of
// instances is reached; internal to the runners.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gpu/driver/driver.h"
#include "gpu/run/runner.h"
#include "ptx/isa/target.h"

namespace ptxmc::gpu {

/// How many rounds a launch has.
struct Pace {
  std::uint32_t first = 8;         ///< of the first launch, which tells how long a round takes
  std::uint32_t most = 1'000'000;  ///< of any
  double seconds = 0.1;            ///< of a launch, about: so often the host looks at it
  double growth = 16;              ///< at most, from one launch to the next
};

/// `took`: seconds of the last launch; `left`: seconds until the end.
std::uint32_t next_rounds(const Pace& pace, std::uint32_t rounds, double took, double left);
/// No more than what is missing of `wanted` instances (0: no such limit); `a_round` is not 0.
std::uint32_t cut_rounds(std::uint32_t rounds, std::uint64_t wanted, std::uint64_t have,
                         std::uint64_t a_round);
/// The seed of launch `number`.
std::uint32_t launch_seed(std::uint32_t seed, unsigned number);
/// Throws TooSmall when the device is too old.
void check_target(const Device& device, const isa::Target& needs);

/// The table of outcomes and the counters of a launch, on the device.
class OutcomeMemory {
 public:
  OutcomeMemory() = default;
  /// Zeroed.
  explicit OutcomeMemory(const Driver& driver);

  abi::Pointer table() const { return table_.address(); }
  abi::Pointer control() const { return control_.address(); }
  /// Empties both, here and on the device.
  void clear(std::vector<TableSlot>& table, Control& control) const;
  void read(std::vector<TableSlot>& table, Control& control) const;

 private:
  DeviceMemory table_, control_;
};

/// A Launcher has ctas(), blocks(), instances(rounds), launch(rounds, seed, table, control), which returns
/// its seconds or, when it does not end, nothing; and perhaps vary(number), called before each launch.
template <typename Launcher>
Histogram run_launches(Launcher& launcher, const Pace& pace, const RunOptions& options, std::size_t names,
                       unsigned bits, const std::function<bool()>& stop) {
  Histogram histogram;
  histogram.ctas = launcher.ctas();
  histogram.blocks = launcher.blocks();
  std::uint32_t rounds = pace.first;
  std::vector<TableSlot> table;
  Control control;
  while (histogram.launches == 0 || (!stop() && histogram.seconds < options.seconds)) {
    if constexpr (requires { launcher.vary(0U); }) launcher.vary(histogram.launches);
    const std::optional<double> took =
        launcher.launch(rounds, launch_seed(options.seed, histogram.launches), table, control);
    if (!took) {
      histogram.stuck = launcher.instances(rounds);
      break;
    }
    collect(table, control, launcher.instances(rounds), names, bits, histogram);
    histogram.seconds += *took;
    ++histogram.launches;
    if (options.instances != 0 && histogram.instances >= options.instances) break;
    rounds = next_rounds(pace, rounds, *took, options.seconds - histogram.seconds);
    rounds = cut_rounds(rounds, options.instances, histogram.instances, launcher.instances(1));
  }
  return histogram;
}

}  // namespace ptxmc::gpu
