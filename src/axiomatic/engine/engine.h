// SPDX-License-Identifier: Apache-2.0
// What every engine answers: which states do the consistent executions of a program graph reach?
// explicit/explicit.h and smt/smt.h each offer `Result solve(const Query&)`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "axiomatic/engine/packed.h"
#include "axiomatic/event/base.h"
#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"
#include "model/relation/memory_model.h"
#include "support/budget.h"

namespace ptxmc::engine {

enum class Ask : std::uint8_t {
  states,   ///< every reachable state (that the filter admits), each with a witness
  verdict,  ///< one decisive state: one that satisfies the proposition (exists, ~exists) or violates it
            ///< (forall); or none
  flag,     ///< one consistent execution (that the filter admits) that raises flag number `flag`; or none
};

/// A bound on work that is the same on every machine.
struct Effort {
  std::size_t literals = 0;  ///< of gates and clauses
  unsigned steps = 0;        ///< Z3's resource count, for each check
};

/// What the explicit engine leaves out because it changes no answer; each may be switched off, to compare.
struct Reductions {
  bool symmetry = true;    ///< one arrangement of threads that may change places
  bool refutation = true;  ///< no choices that break an axiom by themselves (explicit/refuted.h)
  bool pairs = true;       ///< a flag is asked for pair by pair, and only of pairs that may raise it
  bool cubes = true;   ///< one execution stands for others whose reads may be exchanged (explicit/widen.h)
  bool resume = true;  ///< what a ResumeState says is left out
};
constexpr Reductions kNoReductions{false, false, false, false, false};

/// What is known of one question for one execution (Ask::verdict, flag) that is asked again and again, each time of
/// fewer executions: where none was found there is none later either. Kept and given by the one who asks, to the
/// explicit engine; one thread at a time.
struct ResumeState {
  /// searches, in their order, from the first on, that found nothing and left nothing open
  std::uint64_t exhausted = 0;
  /// Values of enumerated relations that were listed: by path, relation and how many were wanted.
  std::map<std::tuple<std::uint64_t, std::uint32_t, event::HowMany>, event::Alternatives> alternatives = {};
};

struct Query {
  const event::ProgramGraph& graph;
  const event::BaseValues& base;
  const relation::Signature& signature;
  const relation::MemoryModel& model;
  Ask ask = Ask::states;
  std::size_t flag = 0;
  Budget budget = {};  ///< of time; an engine that exceeds it says "timeout"
  /// How many states get a witness, the first found first; the others' are empty. Witnesses of many states
  /// take memory.
  std::size_t witnesses = ~std::size_t{0};
  /// Asked by the explicit engine now and then, with the work that it has done since it last found a state:
  /// may it stop? Its answer is then incomplete, kStalled.
  std::function<bool(double work)> stalled = {};
  /// The effort of the SMT engine; beyond it, its answer is incomplete, "effort".
  std::optional<Effort> effort = std::nullopt;
  Reductions reductions = {};
  bool count = false;  ///< of Ask::states: how many there are is wanted, not which
  /// The explicit engine packs complete answers to Ask::states from so many states on, where `witnesses` are
  /// few.
  std::size_t packs_from = ~std::size_t{0};
  std::shared_ptr<ResumeState> course = {};  ///< of a question that is asked again; none: of one that is not
  /// Threads for a long list of states, and for a caller that asks many questions (axiomatic/question/races.h). No answer depends on it.
  std::size_t jobs = 1;

  /// Another question about the same program or one made of it, with the same time: one witness, all else as by default.
  Query about(const event::ProgramGraph& other, const event::BaseValues& other_base,
              const relation::MemoryModel& other_model, Ask asked, std::size_t asked_flag = 0) const {
    return {.graph = other,
            .base = other_base,
            .signature = signature,
            .model = other_model,
            .ask = asked,
            .flag = asked_flag,
            .budget = budget,
            .witnesses = 1};
  }
  /// The same question of another model.
  Query of(const event::BaseValues& other_base, const relation::Signature& names,
           const relation::MemoryModel& other) const {
    return {.graph = graph,
            .base = other_base,
            .signature = names,
            .model = other,
            .ask = ask,
            .flag = flag,
            .budget = budget,
            .witnesses = witnesses,
            .stalled = stalled,
            .effort = effort,
            .reductions = reductions,
            .count = count,
            .packs_from = packs_from,
            .course = course,
            .jobs = jobs};
  }
};

struct State {
  std::vector<event::Value> values;  ///< one per observable, with the numbers that the witness gives to terms
  bool satisfied = false;            ///< the proposition
  event::Execution witness;
  /// Numbers that tell values over terms from each other, and how these print; 0 and "" for other values,
  /// empty where no value is over terms. States that differ in no number, no symbol and not in `satisfied`
  /// are one.
  std::vector<std::uint64_t> symbols = {};
  std::vector<std::string> names = {};
};

/// Why an answer is incomplete: a value may come out of a cycle of its own.
inline constexpr std::string_view kValueCycle = "value-cycle";
/// Why an answer is incomplete: the search went on for long and found nothing new (Query::stalled).
inline constexpr std::string_view kStalled = "stalled";

struct Result {
  /// ascending by values (as signed numbers of the observable); Ask::verdict, flag: at most one
  std::vector<State> states;
  /// All states, in that order, where they are many (Query::packs_from); `states` are then those with a witness.
  std::shared_ptr<const PackedStates> packed = {};
  std::optional<std::uint64_t> count = {};  ///< Query::count: of complete answers, instead of the states
  bool complete = true;                     ///< false: more states may exist, `unknown` says why
  std::string unknown;  ///< reason, one word with dashes: "timeout", "solver", "memory", "value-cycle",
                        ///< "overflow" ...
  /// Whether it depends on the numbers of terms that some execution satisfies the proposition (violates it),
  /// for complete answers to Ask::states (nothing: not decided); which terms they are.
  std::optional<bool> some_depends = false, all_depends = false;
  std::string depends_on = {};
  /// named counts and times (seconds): "candidates", "solve-seconds" ...
  std::map<std::string, double> statistics;
};

}  // namespace ptxmc::engine
