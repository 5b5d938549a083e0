// SPDX-License-Identifier: Apache-2.0
// Reading logs of observed outcomes: the herd family's text (of a hardware run: `Histogram`, lines
// `COUNT*>STATE`; of a simulator: `States`, lines `STATE`, counted once each), and the JSON lines of
// `ptxmc run`. Both may follow each other in a file; a test that occurs again adds to its counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/source.h"

namespace ptxmc::report {

/// What a log says of one test.
struct LoggedTest {
  std::string name;
  std::string hash;                             ///< of its meaning; empty: the log gives none
  std::map<std::string, std::uint64_t> states;  ///< canonical_state() -> how often it was observed
  std::uint64_t observed = 0;                   ///< sum of the counts
  std::uint64_t hung = 0;                       ///< instances without an outcome
  double seconds = 0;
};

/// A state's assignments in the order of their text: `[x]=1; 1:r0=0;`. Logs order them in several ways.
std::string canonical_state(const std::string& state);

/// The tests of a log, in order of their first occurrence. Throws InputError, with its line, for a text that
/// is no log, or that ends within a test's states.
std::vector<LoggedTest> read_log(const SourcePtr& source);

}  // namespace ptxmc::report
