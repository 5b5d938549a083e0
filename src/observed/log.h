// SPDX-License-Identifier: Apache-2.0
// Reading logs of observed outcomes: the herd family's text (of a hardware run: `Histogram`, lines
// `COUNT*>STATE`; of a simulator: `States`, lines `STATE`, counted once each), and the JSON lines of
// `ptxmc run`, its campaigns, and `ptxmc compare --merge`. Both may follow each other in a file; a test that
// occurs again adds to its counts.
//
// A writer that died may leave a last line of JSON that is not whole, or bytes that are no text; they are
// left out, with a warning. Anything else that is not understood is an error.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/source.h"

namespace ptxmc::observed {

/// What a log says of one test.
struct LoggedTest {
  std::string name;
  std::string hash;                             ///< of its meaning; empty: the log gives none
  std::map<std::string, std::uint64_t> states;  ///< canonical_state() -> how often it was observed
  std::uint64_t observed = 0;                   ///< sum of the counts
  std::uint64_t hung = 0;                       ///< instances without an outcome
  double seconds = 0;
  std::string file;                 ///< as the run named it; empty: a log in text
  std::string condition;            ///< "exists (...)"; empty: the log gives none
  std::set<std::string> satisfied;  ///< those states that satisfy it, where the log says so
  std::uint64_t instances = 0;      ///< that ran; of a log in text: those that it accounts for
  std::uint64_t stuck = 0;          ///< more instances, of launches that did not end
  std::uint64_t unrecorded = 0;     ///< outcomes with values too large to be told apart
  std::uint64_t runs = 0;           ///< that were added up
  std::set<std::string> devices;    ///< "NAME (sm_90), driver 13.0"
  std::set<std::string> ids;  ///< of those runs: as the log gives them, else a digest of what it says of one

  /// How many of the outcomes satisfy the condition.
  std::uint64_t positive() const;
  /// That many in each second of the runs; 0 of no time.
  double per_second(std::uint64_t count) const {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  }
  /// Adds all that is counted, and the devices.
  void add(const LoggedTest& other);
};

/// Do two logs of one test share a run? All of the second's: it adds nothing.
enum class Shared : std::uint8_t { nothing, some, all };
Shared shared_runs(const LoggedTest& known, const LoggedTest& other);

/// A state's assignments in the order of their text: `[x]=1; 1:r0=0;`. Logs order them in several ways.
std::string canonical_state(const std::string& state);

/// The tests of a log, in order of their first occurrence. Two tests may have one name when their files
/// differ (a folder's do). A run that occurs twice counts once, with a warning. Throws InputError, with its line,
/// for a text that is no log, or that ends within a test's states. Warnings, a line each, go to `warnings` where
/// there is one.
std::vector<LoggedTest> read_log(const SourcePtr& source, std::vector<std::string>* warnings = nullptr);

}  // namespace ptxmc::observed
