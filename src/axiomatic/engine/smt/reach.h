// SPDX-License-Identifier: Apache-2.0
// Reach: what of the model's tree a query needs, and in which direction.
#pragma once

#include <cstdint>
#include <vector>

#include "model/relation/memory_model.h"

namespace ptxmc::engine::smt {

/// Polarity of a node. `upper`: the formula only gets harder to satisfy as the node grows (an axiom forbids
/// it), so literals may be over-approximations that the solver is free to shrink. `lower`: the formula may
/// profit from a larger node, so its literals must not exceed the truth.
struct Need {
  bool upper = false;
  bool lower = false;
  bool any() const { return upper || lower; }
};

class Reach {
 public:
  explicit Reach(const relation::Tree& tree)
      : tree_(tree),
        sets_(tree.sets().size()),
        rels_(tree.relations().size()),
        groups_(tree.groups().size(), false) {}

  void visit(relation::Set s, Need need);
  void visit(relation::Rel r, Need need);
  Need of(relation::Set s) const { return sets_[s.index]; }
  Need of(relation::Rel r) const { return rels_[r.index]; }
  bool group(std::uint32_t g) const { return groups_[g]; }

 private:
  void visit_children(const relation::SetNode& node, Need need);
  void visit_children(const relation::RelNode& node, Need need);
  const relation::Tree& tree_;
  std::vector<Need> sets_, rels_;
  std::vector<bool> groups_;
};

/// Polarity of a constraint's expression when it must hold.
Need need_of(const relation::Constraint& constraint);

/// How `included` may argue about the larger side.
enum class Through : std::uint8_t {
  closures,  ///< r is a part of r+
  literals,  ///< only where the literals of the pairs follow suit, whatever closures assume about their base
};

/// `small` is a subset of `big` in every execution, by the shape of the expressions alone (sound,
/// incomplete).
bool included(const relation::Tree& tree, relation::Rel small, relation::Rel big,
              Through through = Through::closures);

/// r as a union of relations, where a closure among them stands for its base: same paths, same cycles.
std::vector<relation::Rel> path_parts(const relation::Tree& tree, relation::Rel r);

}  // namespace ptxmc::engine::smt
