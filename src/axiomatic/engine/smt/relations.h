// SPDX-License-Identifier: Apache-2.0
// Relations: the literal of each pair of each relation of the tree, on demand.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "axiomatic/engine/smt/bounds.h"
#include "axiomatic/engine/smt/deadline.h"
#include "axiomatic/engine/smt/fixpoint.h"
#include "axiomatic/engine/smt/program.h"
#include "axiomatic/engine/smt/skeleton.h"
#include "support/recursion.h"

namespace ptxmc::engine::smt {

class Paths;

class Relations {
 public:
  Relations(const Query& query, const Bounds& bounds, const Reach& reach, const Guards& guards,
            Program& program, Circuit& circuit, Cnf& cnf, const Deadline& deadline);
  ~Relations();

  /// The pair is in the relation (and both events exist). Exact where the node is needed from below, else
  /// possibly an over-approximation that the solver may shrink to the truth (reach.h).
  Lit pair(relation::Rel r, event::EventId a, event::EventId b);
  Lit member(relation::Set s, event::EventId a);
  /// Order `order` is chosen to go from a to b.
  Lit choice(std::uint32_t order, event::EventId a, event::EventId b) { return build_choice(order, a, b); }

  /// No cycle in r.
  void require_acyclic(relation::Rel r);
  /// Tells closures that an axiom forbids cycles in r (before any literal is asked for).
  void assume_acyclic(relation::Rel r);
  bool known_acyclic(relation::Rel r) const;

  /// Static edges and dynamic pairs of r's graph; shared by closures and acyclicity.
  const Skeleton& skeleton(relation::Rel r);
  /// Literal of a dynamic pair of a skeleton.
  Lit edge(const Skeleton& skeleton, event::EventId a, event::EventId b);
  /// Where r contains an order's choice for the pair, which decides it one way or the other in every
  /// execution: the literal of (a, b) in that choice.
  std::optional<Lit> decided_direction(relation::Rel r, event::EventId a, event::EventId b);

  FixedPoints& fixed_points() { return fixed_points_; }
  Lit both(event::EventId a, event::EventId b) { return program_.both(a, b); }
  Circuit& circuit() { return circuit_; }
  Cnf& cnf() { return cnf_; }
  const Bounds& bounds() const { return bounds_; }
  const relation::Tree& tree() const { return tree_; }
  const Deadline& deadline() const { return deadline_; }
  Recursion& recursion() { return recursion_; }
  /// Fixed-point component of a node: closures and variables that depend on each other share one.
  std::size_t component(relation::Rel r) const { return components_[r.index]; }
  bool exact(relation::Rel r) const { return reach_.of(r).lower; }

 private:
  Lit build(relation::Rel r, event::EventId a, event::EventId b);
  Lit build_base(std::uint32_t base, event::EventId a, event::EventId b);
  Lit build_sequence(const relation::Sequence& node, event::EventId a, event::EventId b);
  Lit build_choice(std::uint32_t order, event::EventId a, event::EventId b);
  Lit build_from_reads(relation::Rel co, event::EventId r, event::EventId w);
  Lit build_variable(const relation::Variable& node, relation::Rel r, event::EventId a, event::EventId b);
  Lit build_member(const relation::SetNode& node, event::EventId a);
  const relation::BitMatrix& columns(relation::Rel r);  ///< inverse of its upper bound
  void find_components();

  const Query& query_;
  const relation::Tree& tree_;
  const Bounds& bounds_;
  const Reach& reach_;
  Program& program_;
  const Guards& guards_;
  Circuit& circuit_;
  Cnf& cnf_;
  const Deadline& deadline_;
  Recursion recursion_;
  FixedPoints fixed_points_;
  std::size_t size_;
  std::vector<std::vector<Lit>> pairs_;    // per node: n * n literals once one is asked for
  std::vector<std::vector<Lit>> members_;  // per set
  std::vector<relation::BitMatrix> columns_;
  std::vector<std::unique_ptr<Skeleton>> skeletons_;
  std::vector<std::unique_ptr<Paths>> paths_;
  std::vector<std::vector<relation::Rel>> acyclic_;  // parts of each
  std::vector<std::size_t> components_;
};

}  // namespace ptxmc::engine::smt
