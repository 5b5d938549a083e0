// SPDX-License-Identifier: Apache-2.0
// Outcome: everything the printers need to know about one checked test. References only; the caller keeps the
// parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "explain/judgement.h"
#include "input/litmus/test.h"

namespace ptxmc::explain {

/// The test once more, with one reading changed.
struct Variation {
  std::string reading;  ///< "NAME=VALUE"
  Answer answer = Answer::unknown;
  std::string unknown;  ///< why, as Judgement::unknown
  Vacuity vacuity = Vacuity::none;
  std::optional<bool> racy;     ///< where flags were asked for
  bool changes_answer = false;  ///< both answers are known, and they differ
  bool changes_races = false;
};

/// How many states there are.
struct Count {
  std::optional<std::uint64_t> states;
  std::string unknown;  ///< where that is not known, why: as Judgement::unknown
};

struct Outcome {
  const litmus::Test& test;
  const engine::Query& query;  ///< graph, base values, signature, model, what was asked
  const engine::Result& result;
  const Judgement& judgement;
  const std::vector<FlagOutcome>& flags;   ///< those that were evaluated
  std::string file;                        ///< as the user named it
  std::string model;                       ///< profile name or path, as the user named it
  std::string engine;                      ///< that answered: "explicit", "smt", "both"
  double seconds = 0;                      ///< for this test, parsing to re-check
  std::vector<std::string> readings = {};  ///< that do not have their default, NAME=VALUE
  std::vector<Variation> variations = {};  ///< --sensitivity: one for each reading that the model consults
  Vacuity vacuity = Vacuity::none;
  std::vector<std::string> warnings = {};  ///< about the program, whatever its outcomes
  std::optional<Count> count = {};         ///< where it was asked for
};

/// Index of the state whose witness answers the condition: the first that satisfies it (`forall`: violates
/// it), else the first; nothing when there is no state. The index is of packed states, if that is what they
/// are.
std::optional<std::size_t> deciding_state(const event::ProgramGraph& graph, const engine::Result& result);

}  // namespace ptxmc::explain
