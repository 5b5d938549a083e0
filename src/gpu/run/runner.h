// SPDX-License-Identifier: Apache-2.0
// Running a test on a device: launches of its kernel until a time or a number of instances is reached.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "gpu/driver/driver.h"
#include "gpu/harness/harness.h"
#include "gpu/text/observe.h"

namespace ptxmc::gpu {

struct RunOptions {
  HarnessOptions harness;
  double seconds = 1;           ///< of kernel time, at most about that
  std::uint64_t instances = 0;  ///< enough of them; 0: no such limit
  std::uint32_t seed = 1;
  unsigned ctas = 0;      ///< at most; 0: all that the device holds
  double patience = 5;    ///< seconds that a launch may take, of some 0.1 s as a rule, before it hangs
  unsigned batch = 1024;  ///< instances of a round, in tests with host threads
};

/// What a run has seen.
struct Histogram {
  std::map<Values, std::uint64_t> counts;
  std::uint64_t instances = 0;   ///< that ran, hung and unrecorded ones among them
  std::uint64_t hung = 0;        ///< a thread of them did not come to its end
  std::uint64_t unrecorded = 0;  ///< outcomes with values too large to be told apart
  std::uint64_t stuck = 0;       ///< a launch of so many did not end: nothing is known of them
  double seconds = 0;            ///< of kernel time
  unsigned launches = 0;
  unsigned ctas = 0, blocks = 0;  ///< of a launch
};

/// The device is too old for the test, or does not hold enough of its CTAs at once.
class TooSmall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ends early, with what there is, when `stop` says so, or when a launch hangs: then the process has lost the
/// device (Driver::abandoned). Throws DriverError, TooSmall.
Histogram run(const Device& device, const Harness& harness, const Observation& observation,
              const RunOptions& options, const std::function<bool()>& stop);

/// Adds one launch's table to a histogram. Throws InternalError when instances are missing: `expected` ran.
void collect(const std::vector<TableSlot>& table, const Control& control, std::uint64_t expected,
             std::size_t names, unsigned bits, Histogram& histogram);

}  // namespace ptxmc::gpu
