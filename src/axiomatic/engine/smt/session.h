// SPDX-License-Identifier: Apache-2.0
// Session: one encoded query and its solver.
#pragma once

#include <memory>
#include <optional>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/found.h"
#include "axiomatic/engine/smt/constraints.h"
#include "axiomatic/engine/smt/deadline.h"
#include "axiomatic/engine/smt/open_values.h"
#include "axiomatic/engine/smt/program.h"
#include "axiomatic/engine/smt/relations.h"
#include "axiomatic/engine/smt/solver.h"
#include "axiomatic/event/closed.h"

namespace ptxmc::engine::smt {

/// What is asked of one encoding. Constraints are normalised (constraints.h).
struct Task {
  const Query& query;                        ///< its model may be an extension of the user's
  std::optional<relation::Constraint> goal;  ///< a flag that must be raised
  bool free_values = false;                  ///< reads on value cycles return anything
  bool wants_state = false;                  ///< the proposition, or its negation, must hold
};

class Session {
 public:
  Session(const Task& task, const Sources& sources, const Guards& guards, const ValueFlow& flow,
          const Deadline& deadline);

  /// The next model, or why there is none. Refutes unfounded fixed points on the way.
  Answer next();
  /// The execution and state of the current model.
  State state(bool with_witness);
  /// No later model shows the values of this state. False: there is no other state.
  bool exclude(const State& state);
  /// The same where values rest on terms: the state before they have numbers, and what it asks of them.
  struct OpenState {
    StateKey key;
    event::SymbolicValue truth;
    std::vector<event::Expr> conditions;
  };
  OpenState open_state(const State& state, event::Closed& closed);
  /// No later model has this state by the same choices.
  bool exclude(const State& state, const OpenState& open, const event::Closed& closed);
  /// Some candidate execution makes unbounded arithmetic leave 64 bits.
  Answer overflows();
  /// False: what `next` says does not hold for all values of the enumerated relations.
  bool exhaustive() const { return program_.all_alternatives(); }
  void statistics(std::map<std::string, double>& out) const;

 private:
  void encode();
  void break_symmetry();
  void require_places();
  bool refute_calls();
  event::Valuation valuation(Valuation& bits);
  event::Value value_in(const event::Valuation& terms, event::Expr e, Valuation& bits);
  event::Execution execution(Valuation& valuation);
  std::optional<double> time_left() const;

  const Task& task_;
  const Query& query_;
  const Deadline& deadline_;
  const Guards& guards_;
  const Sources& sources_;
  Circuit circuit_;
  Z3Solver solver_;
  Cnf cnf_;
  Reach reach_;
  Program program_;
  OpenValues open_values_;
  std::unique_ptr<Bounds> bounds_;
  std::unique_ptr<Relations> relations_;
  struct OrderedPair {
    event::EventId a, b;
    Lit forward, backward;
  };
  std::vector<std::vector<OrderedPair>> ordered_;  // per order declaration
  std::optional<Lit> no_overflow_;
  std::vector<char> model_;
  bool placed_ = false;
  std::size_t checks_ = 0;
  double encode_seconds_ = 0, solve_seconds_ = 0;
};

}  // namespace ptxmc::engine::smt
