// SPDX-License-Identifier: Apache-2.0
// Why an outcome is forbidden: which axioms forbid it, and how an execution that has it violates each of
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "explain/derivation.h"

namespace ptxmc::explain {

/// Answers a query: one of the engines, or a choice among them.
using Solve = std::function<engine::Result(const engine::Query&)>;

/// What a violated axiom is about.
enum class Shape : std::uint8_t {
  cycle,        ///< `acyclic`: steps lead from an event back to it
  loop,         ///< `irreflexive`: the same, for a pair (e, e)
  pair,         ///< `empty` of a relation: steps lead from one event to another
  element,      ///< `empty` of a set: `at`
  absent,       ///< `~empty`: there is nothing to show
  final_value,  ///< steps lead from the write that the outcome takes for final to a later one in coherence
};

/// One axiom, and an execution with the outcome that violates it.
struct Violation {
  std::string axiom;
  std::string section;  ///< as in the model
  std::string text;     ///< "acyclic po | sync"
  Shape shape = Shape::cycle;
  std::optional<engine::State> state;  ///< nothing: no execution was found in time
  event::EventId at = event::kNoEvent;
  Chain chain;
  std::vector<std::string> also_violated;  ///< other axioms that this execution violates
};

struct Explanation {
  enum class Kind : std::uint8_t {
    reachable,   ///< `state` has the outcome
    forbidden,   ///< by `axioms`, which are needed together; each of `alternatives` forbids it by itself too
    impossible,  ///< without any axiom: no choice of sources yields these values; `state`, where there is
                 ///< one, is an execution of another outcome
    unknown,     ///< `reason`
  };
  Kind kind = Kind::unknown;
  std::string reason;
  std::optional<engine::State> state;
  std::vector<Violation> axioms;
  std::vector<Violation> alternatives;
  bool minimal = true;                ///< false: a question about fewer axioms stayed open
  std::vector<std::string> problems;  ///< executions that fail their re-check: bugs of ptxmc
};

/// Explains the outcome that the condition's quantifier asks about: what `exists` and `~exists` describe,
/// what `forall` excludes. `query` says graph, model and time limit (of each question); `decided` is an
/// answer to it with the complete model, for Ask::states or Ask::verdict.
Explanation explain(const engine::Query& query, const engine::Result& decided, const Solve& solve);

}  // namespace ptxmc::explain
