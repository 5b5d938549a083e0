// SPDX-License-Identifier: Apache-2.0
// Relaxations: what is stronger in a test than it must be for all that holds of it to hold.
#pragma once

#include <string>
#include <vector>

#include "repair/change.h"
#include "repair/costs.h"
#include "repair/judge.h"

namespace ptxmc::repair {

struct Relaxation {
  std::string what;  ///< "P0 line 7: fence.sc.gpu -> fence.acq_rel.gpu"
  double saved = 0;  ///< nanoseconds, or strength
  std::string text;  ///< of the test with it, and nothing else
};

struct Weakened {
  Found before;
  /// all of it that holds of the test; nothing: any program will do. Findings are not new, either: races,
  /// pair by pair
  Wanted kept;
  std::vector<Relaxation> single;     ///< of each site the weakest that alone keep it
  std::vector<std::string> together;  ///< a largest set: nothing more can be relaxed beside it
  double saved = 0;
  std::string text;  ///< of the test with them
  Found proof;
  bool measured = false;     ///< figures are nanoseconds
  bool open = false;         ///< some question was left open, and counted as no
  bool out_of_time = false;  ///< not everything was tried

  /// Nothing holds, or the behaviour is undefined, of which nothing holds.
  bool keeps_nothing() const {
    return before.undefined || (!kept.outcome && !kept.race_free && !kept.terminates);
  }
};

/// Throws InputError for a test that ptxmc refuses, OutOfTime where not even the test itself could be judged in time.
Weakened weaken(const session::Session& session, const litmus::Test& test, const Costs& costs,
                const Budget& budget);

}  // namespace ptxmc::repair
