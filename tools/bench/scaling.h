// SPDX-License-Identifier: Apache-2.0
// The scaling families: tests that grow in one parameter, and what the peers need for some of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "process.h"

namespace ptxmc::bench {

struct ScalingTest {
  std::string family;  ///< "SB-ring", "SB-all"
  int size = 0;        ///< the parameter, from the file's name
  std::string path;
  enum class Asks : std::uint8_t { verdict, all_states, count };
  Asks asks = Asks::verdict;  ///< all_states: listed as text
};
std::string asked(ScalingTest::Asks asks);  ///< "verdict" ...

/// The tests below the folders, by family and size; those in an `all-states` folder ask for all states, those
/// in a `count` folder for their number.
std::vector<ScalingTest> find_scaling_tests(const std::vector<std::string>& folders);

/// One run of `ptxmc check` with the recheck off.
struct ScalingRun {
  Measured measured;
  std::string answer;  ///< of a verdict: "Forbidden" ...; "-" when there is none
  double states = 0;
};
ScalingRun run_scaling(const std::string& program, const ScalingTest& test, const std::string& engine,
                       double limit);

/// Processor seconds of other tools on such a machine, and what ptxmc is meant to reach.
/// Dartagnan 3.0: the better of its two methods; verdict only. herd7: all states. "> 60": none in 60 s.
struct Peer {
  const char* family;
  int size;
  const char* tool;  ///< nullptr: no peer's figure
  const char* seconds;
  double target;  ///< 0: none
};
const std::vector<Peer>& peers();

}  // namespace ptxmc::bench
