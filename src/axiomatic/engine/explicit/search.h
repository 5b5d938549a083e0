// SPDX-License-Identifier: Apache-2.0
// The search over one path: choices as Boolean variables, axioms as the theory that judges them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "axiomatic/engine/explicit/cubes.h"
#include "axiomatic/engine/explicit/encode.h"
#include "axiomatic/engine/explicit/evaluator.h"
#include "axiomatic/engine/explicit/explain.h"
#include "axiomatic/engine/explicit/widen.h"
#include "axiomatic/engine/found.h"
#include "axiomatic/engine/symmetry.h"

namespace ptxmc::engine::explicit_ {

/// The value of each enumerated base relation on a path: base id -> matrix on all events.
using Enumerated = std::map<std::uint32_t, relation::BitMatrix>;

/// The base ids that axioms, coherence, orders and the asked flag depend on.
UsedBases used_bases(const Query& query);

class Search final : public Theory {
 public:
  /// `classes`: interchangeable threads, of which one arrangement is enough; empty where all states are asked
  /// for. `symmetries`: there, of which one state an orbit is enough (orbits.h). `terms`: where there are any.
  /// `cubes`: where states that one execution stands for may be left together.
  Search(const Query& query, Path& path, const Enumerated& enumerated,
         const std::vector<Interchangeable>& classes, const std::vector<ThreadSymmetry>& symmetries,
         const UsedBases& used, TermSolver* terms, std::vector<Cube>* cubes);

  /// Finds states not in `known` and adds them (Ask::verdict and flag: at most one). `stop` is polled; true:
  /// stopped.
  bool run(std::map<StateKey, Found>& known, const std::function<bool()>& stop);

  std::vector<Clause> check(bool complete) override;
  /// Some accepted execution had values that depend on themselves: not decided here.
  bool value_cycle() const { return value_cycle_; }
  /// Whether numbers for the terms allow some execution was not decided.
  bool undecided_terms() const { return undecided_terms_; }
  std::uint64_t candidates() const { return candidates_; }
  /// What was done so far, as a count that is the same on every machine.
  double work() const;
  const ChoiceSolver& solver() const { return solver_; }

 private:
  Inputs inputs() const;
  Inputs inputs(const std::vector<std::size_t>& copies) const;
  void look_for_loose_reads();
  Clause differ_from(const Cube& cube);
  bool add_cube();
  std::vector<relation::BitMatrix> order_pairs() const;
  Leaves leaves();
  void read_choices();
  bool prepare(const std::map<StateKey, Found>& known);
  void break_symmetry();
  bool settle();
  bool rule_out();
  bool may_raise();
  bool choose_raising_pair();
  void check_flag(NogoodExplainer& explainer, bool complete, std::vector<Clause>& out);
  void check_finals(NogoodExplainer& explainer, std::vector<Clause>& out);
  bool has_value_cycle();
  void check_terms(std::vector<Clause>& out);
  bool is_active(const Obligation& o) const { return solver_.is_true(o.a) && solver_.is_true(o.b); }
  StateKey key();
  State state(const StateKey& key, bool with_witness);
  bool add(std::map<StateKey, Found>& known);
  Clause differ_from(const StateKey& key);
  event::Execution witness();

  const Query& query_;
  Path& path_;
  const Enumerated& enumerated_;
  const std::vector<Interchangeable>& classes_;
  const std::vector<ThreadSymmetry>& symmetries_;
  const UsedBases& used_;
  ChoiceSolver solver_;
  Evaluator evaluator_;
  Encoding encoding_;
  std::vector<const relation::Constraint*> axioms_;
  Choices choices_;
  std::size_t ruled_out_at_ = ~std::size_t{0};  // choices made when refuted ones were last looked for
  /// Where a flag is asked for that a pair of a relation raises: the pairs that may, with their literals.
  struct Raising {
    relation::Rel relation;
    std::vector<std::tuple<std::size_t, std::size_t, ChoiceLit>> pairs;
  };
  std::optional<Raising> raising_;
  std::vector<event::Expr> observables_;
  Leaves leaves_;
  TermSolver* terms_;
  std::vector<Cube>* cubes_;
  std::unique_ptr<Widener> widener_;    // where there are loose reads
  std::size_t path_obligations_ = 0;    // obligations that are not the proposition's
  std::optional<ChoiceLit> satisfied_;  // the proposition, where its truth rests on terms
  event::Valuation valuation_;          // of the last complete assignment
  bool value_cycle_ = false, undecided_terms_ = false;
  std::uint64_t candidates_ = 0;
};

}  // namespace ptxmc::engine::explicit_
