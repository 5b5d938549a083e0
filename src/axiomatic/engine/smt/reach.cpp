// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/reach.h"

#include <algorithm>
#include <set>

#include "axiomatic/engine/smt/children.h"

namespace ptxmc::engine::smt {

using namespace relation;  // NOLINT: the node types of the tree

namespace {

Need flipped(Need need) {
  return {need.lower, need.upper};
}

}  // namespace

void Reach::visit(Set s, Need need) {
  Need& have = sets_[s.index];
  const Need fresh{need.upper && !have.upper, need.lower && !have.lower};
  if (!fresh.any()) return;
  have = {have.upper || need.upper, have.lower || need.lower};
  visit_children(tree_.node(s), fresh);
}

void Reach::visit(Rel r, Need need) {
  Need& have = rels_[r.index];
  const Need fresh{need.upper && !have.upper, need.lower && !have.lower};
  if (!fresh.any()) return;
  have = {have.upper || need.upper, have.lower || need.lower};
  visit_children(tree_.node(r), fresh);
}

void Reach::visit_children(const SetNode& node, Need need) {
  const auto both = [&](Set a, Set b) {
    visit(a, need);
    visit(b, need);
  };
  std::visit(Overloaded{
                 [](const BaseSet&) {},
                 [](const EmptySet&) {},
                 [](const Universe&) {},
                 [&](const SetUnion& n) { both(n.a, n.b); },
                 [&](const SetIntersection& n) { both(n.a, n.b); },
                 [&](const SetDifference& n) {
                   visit(n.a, need);
                   visit(n.b, flipped(need));
                 },
                 [&](const Domain& n) { visit(n.r, need); },
                 [&](const Range& n) { visit(n.r, need); },
             },
             node);
}

void Reach::visit_children(const RelNode& node, Need need) {
  const auto both = [&](auto a, auto b) {
    visit(a, need);
    visit(b, need);
  };
  std::visit(Overloaded{
                 [](const BaseRel&) {},
                 [](const EmptyRel&) {},
                 [](const Identity&) {},
                 [](const OrderChoice&) {},  // its `over` is always needed exactly: the encoder visits it
                 [&](const Restrict& n) { visit(n.s, need); },
                 [&](const Product& n) { both(n.a, n.b); },
                 [&](const Union& n) { both(n.a, n.b); },
                 [&](const Intersection& n) { both(n.a, n.b); },
                 [&](const Sequence& n) { both(n.a, n.b); },
                 [&](const Difference& n) {
                   visit(n.a, need);
                   visit(n.b, flipped(need));
                 },
                 [&](const Inverse& n) { visit(n.a, need); },
                 [&](const Closure& n) { visit(n.a, need); },
                 [&](const FromReads& n) { visit(n.co, need); },
                 [&](const Variable& n) {
                   groups_[n.group] = true;
                   const RecGroup& group = tree_.groups()[n.group];
                   for (std::size_t i = 0; i < group.bodies.size(); ++i)
                     both(group.variables[i], group.bodies[i]);
                 },
             },
             node);
}

Need need_of(const Constraint& constraint) {
  return constraint.negated ? Need{false, true} : Need{true, false};
}

namespace {

class Inclusion {
 public:
  Inclusion(const Tree& tree, Through through) : tree_(tree), closures_(through == Through::closures) {}

  bool check(Rel small, Rel big) {
    if (small == big) return true;
    if (!open_.emplace(small, big).second) return false;  // being tried, or failed
    const RelNode& s = tree_.node(small);
    const RelNode& b = tree_.node(big);
    if (const auto* n = std::get_if<Union>(&s)) return check(n->a, big) && check(n->b, big);
    if (const auto* n = std::get_if<Union>(&b); n != nullptr && (check(small, n->a) || check(small, n->b)))
      return true;
    if (const auto* n = std::get_if<Closure>(&b); closures_ && n != nullptr && check(small, n->a))
      return true;
    if (const auto* n = std::get_if<Intersection>(&b)) return check(small, n->a) && check(small, n->b);
    if (const auto* n = std::get_if<Intersection>(&s)) return check(n->a, big) || check(n->b, big);
    if (const auto* n = std::get_if<Difference>(&s)) return check(n->a, big);
    if (const auto* n = std::get_if<Closure>(&s)) {
      const auto* outer = std::get_if<Closure>(&b);
      return closures_ && outer != nullptr && check(n->a, big);
    }
    if (const auto* n = std::get_if<Sequence>(&s)) {
      if (std::holds_alternative<Restrict>(tree_.node(n->a)) && check(n->b, big)) return true;
      if (std::holds_alternative<Restrict>(tree_.node(n->b)) && check(n->a, big)) return true;
      return closures_ && std::holds_alternative<Closure>(b) && check(n->a, big) && check(n->b, big);
    }
    return false;
  }

 private:
  const Tree& tree_;
  bool closures_;
  std::set<std::pair<Rel, Rel>> open_;
};

}  // namespace

bool included(const Tree& tree, Rel small, Rel big, Through through) {
  return Inclusion(tree, through).check(small, big);
}

std::vector<Rel> path_parts(const Tree& tree, Rel r) {
  std::vector<Rel> parts, stack{r};
  while (!stack.empty()) {
    const Rel top = stack.back();
    stack.pop_back();
    if (const auto* n = std::get_if<Union>(&tree.node(top))) {
      stack.push_back(n->b);
      stack.push_back(n->a);
    } else if (const auto* c = std::get_if<Closure>(&tree.node(top))) {
      stack.push_back(c->a);
    } else if (std::find(parts.begin(), parts.end(), top) == parts.end()) {
      parts.push_back(top);
    }
  }
  return parts;
}

}  // namespace ptxmc::engine::smt
