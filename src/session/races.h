// SPDX-License-Identifier: Apache-2.0
// Which accesses race, which instructions are misused, and what is missing: one test, under the session's model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "axiomatic/question/races.h"
#include "axiomatic/question/undefined.h"
#include "explain/races.h"
#include "session/analysis.h"
#include "session/vacuity.h"

namespace ptxmc::session {

/// Neither copied nor moved: query() refers to its parts, and findings to the graph.
struct Races {
  Races() = default;
  Races(const Races&) = delete;
  Races& operator=(const Races&) = delete;

  Budget budget;
  event::ProgramGraph graph;
  event::BaseValues base;
  check::RaceReport found;
  std::vector<check::Undefined> misuses;
  std::string open;  ///< why there may be more than that; empty: that is all
  explain::RaceAnswer answer = explain::RaceAnswer::unknown;
  std::string unknown;  ///< why the answer is unknown, or why there may be more
  FoundVacuity vacuity;
  std::string engine;                 ///< those that were asked: "explicit+smt"
  std::vector<std::string> problems;  ///< disagreements, failed re-checks
  double seconds = 0;

  engine::Query query(const Session& session) const;
};

/// What is known where the search ends for a reason; for use before it goes on.
using RacesAt = std::function<const Races*(const std::string& reason)>;
using RacesSoFar = std::function<void(const RacesAt&)>;

/// Throws InputError for a test that ptxmc refuses. `so_far` whenever more is known.
std::unique_ptr<Races> find_races(const Session& session, const litmus::Test& test, const Budget& budget,
                                  check::Wanted wanted = check::Wanted::all, const RacesSoFar& so_far = {});

}  // namespace ptxmc::session
