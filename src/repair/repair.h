// SPDX-License-Identifier: Apache-2.0
// Repairs: the least changes of a test after which what is wrong with it does not happen. Each is proven: its text is read and
// checked as any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "repair/change.h"
#include "repair/costs.h"
#include "repair/judge.h"

namespace ptxmc::repair {

struct Asked {
  std::optional<Wanted> wanted;  ///< nothing: whatever is wrong with the test is to go
  std::size_t changes = 3;       ///< of a repair, at most
  std::size_t repairs = 5;       ///< the cheapest; 0: all
  bool ordering_alone = false;   ///< no barriers, phases, moves, and no fence.sc
  /// The changes are to be made in a kernel: none that names what the test alone has, and no two of those by which threads wait.
  bool of_kernel = false;
  /// Barriers, phases, moves and fence.sc from the beginning on; other operands come last all the same.
  bool all_kinds = false;
  bool monotone = true;  ///< what adds order is taken to keep a repair; false: everything is asked
  std::vector<std::uint32_t> kept = {};  ///< lines whose instructions are not changed themselves
  const Costs* costs = nullptr;          ///< null: those shipped
  Budget budget;
};

struct Repair {
  std::vector<std::string> what;  ///< a line a change
  std::vector<Edit> edits;        ///< of the test's text
  std::string text;               ///< of the repaired test, its `Verdict=` what is now true
  double cost = 0;                ///< nanoseconds where the table has all figures, else a strength
  Found proof;                    ///< of that text
};

struct Repairs {
  Found before;
  Wanted wanted;                ///< nothing: there is nothing to repair
  std::vector<Repair> repairs;  ///< the cheapest first; none has another's changes
  bool measured = false;        ///< costs are nanoseconds
  std::string unmeasured;       ///< an instruction that the table lacks
  bool more = false;            ///< there are more than were wanted
  bool beyond = false;          ///< larger sets of changes were not looked at
  bool open = false;            ///< some question was left open: there may be more
  bool out_of_time = false;
  bool meetings = false;  ///< barriers, phases and moves were tried
  bool by_order = false;  ///< some set of changes that add order does, of however many
  /// No such set, and no repair, forbids the outcome as well, so that `wanted` is all else that is wrong. It may be intended.
  bool outcome_stays = false;
  bool outcome_open = false;  ///< as far as they were decided
  std::size_t sites = 0, questions = 0;
  std::vector<std::string> problems;  ///< of proofs: disagreements, failed re-checks
};

/// Throws InputError for a test that ptxmc refuses, OutOfTime where not even the test itself could be judged in time.
Repairs find_repairs(const session::Session& session, const litmus::Test& test, const Asked& asked);

}  // namespace ptxmc::repair
