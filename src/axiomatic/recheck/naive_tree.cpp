// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/recheck/naive_tree.h"

#include "support/overloaded.h"

namespace ptxmc::check {

namespace rel = relation;

namespace {

// Calls visit with each node that this one is directly built from; for a variable, the bodies of its group.
template <typename Visit>
void for_operands(const rel::Tree&, const rel::SetNode& node, Visit visit) {
  std::visit(Overloaded{
                 [](const rel::BaseSet&) {},
                 [](const rel::EmptySet&) {},
                 [](const rel::Universe&) {},
                 [&](const rel::SetUnion& n) { visit(n.a), visit(n.b); },
                 [&](const rel::SetIntersection& n) { visit(n.a), visit(n.b); },
                 [&](const rel::SetDifference& n) { visit(n.a), visit(n.b); },
                 [&](const rel::Domain& n) { visit(n.r); },
                 [&](const rel::Range& n) { visit(n.r); },
             },
             node);
}

template <typename Visit>
void for_operands(const rel::Tree& tree, const rel::RelNode& node, Visit visit) {
  std::visit(Overloaded{
                 [](const rel::BaseRel&) {},
                 [](const rel::EmptyRel&) {},
                 [](const rel::Identity&) {},
                 [&](const rel::Restrict& n) { visit(n.s); },
                 [&](const rel::Product& n) { visit(n.a), visit(n.b); },
                 [&](const rel::Union& n) { visit(n.a), visit(n.b); },
                 [&](const rel::Intersection& n) { visit(n.a), visit(n.b); },
                 [&](const rel::Difference& n) { visit(n.a), visit(n.b); },
                 [&](const rel::Sequence& n) { visit(n.a), visit(n.b); },
                 [&](const rel::Inverse& n) { visit(n.a); },
                 [&](const rel::Closure& n) { visit(n.a); },
                 [](const rel::OrderChoice&) {},
                 [&](const rel::FromReads& n) { visit(n.co); },
                 [&](const rel::Variable& n) {
                   for (const rel::Rel body : tree.groups()[n.group].bodies) visit(body);
                 },
             },
             node);
}

std::vector<bool>::reference mark_of(NodeMarks& marks, rel::Set s) {
  return marks.sets[s.index];
}
std::vector<bool>::reference mark_of(NodeMarks& marks, rel::Rel r) {
  return marks.relations[r.index];
}

NodeMarks no_marks(const rel::Tree& tree) {
  return {std::vector<bool>(tree.sets().size()), std::vector<bool>(tree.relations().size())};
}

}  // namespace

NodeMarks mark_mentions(const rel::Tree& tree, std::uint32_t group) {
  NodeMarks marks = no_marks(tree);
  for (const rel::Rel variable : tree.groups()[group].variables) mark_of(marks, variable) = true;
  for (bool changed = true; changed;) {
    changed = false;
    const auto update = [&](std::vector<bool>::reference mark, const auto& node) {
      if (mark) return;
      for_operands(tree, node, [&](auto operand) { mark = mark || mark_of(marks, operand); });
      changed = changed || mark;
    };
    for (std::uint32_t i = 0; i < tree.sets().size(); ++i) update(marks.sets[i], tree.sets()[i]);
    for (std::uint32_t i = 0; i < tree.relations().size(); ++i)
      update(marks.relations[i], tree.relations()[i]);
  }
  return marks;
}

std::set<std::uint32_t> enumerated_bases(const rel::Tree& tree, const rel::Signature& signature,
                                         std::vector<NodeId> nodes) {
  std::set<std::uint32_t> found;
  NodeMarks seen = no_marks(tree);
  while (!nodes.empty()) {
    const NodeId at = nodes.back();
    nodes.pop_back();
    std::visit(
        [&](auto id) {
          if (mark_of(seen, id)) return;
          mark_of(seen, id) = true;
          for_operands(tree, tree.node(id), [&](auto operand) { nodes.push_back(operand); });
        },
        at);
    const auto* r = std::get_if<rel::Rel>(&at);
    const auto* base = r != nullptr ? std::get_if<rel::BaseRel>(&tree.node(*r)) : nullptr;
    if (base != nullptr && signature[base->base].provider == rel::Provider::enumerated)
      found.insert(base->base);
  }
  return found;
}

}  // namespace ptxmc::check
