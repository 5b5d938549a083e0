// SPDX-License-Identifier: Apache-2.0
#include "model/relation/tree.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace ptxmc::relation {

namespace {

template <typename T, typename Node>
const T* as(const Node& node) {
  return std::get_if<T>(&node);
}

template <typename Node>
std::uint32_t add_to(std::vector<Node>& nodes, std::map<Node, std::uint32_t>& ids, const Node& node) {
  for (std::size_t i = ids.size(); i < nodes.size(); ++i)
    ids.emplace(nodes[i], static_cast<std::uint32_t>(i));
  const auto [it, fresh] = ids.try_emplace(node, static_cast<std::uint32_t>(nodes.size()));
  if (fresh) nodes.push_back(node);
  return it->second;
}

}  // namespace

Set Tree::add(SetNode node) {
  return Set{add_to(sets_, set_ids_, node)};
}

Rel Tree::add(RelNode node) {
  return Rel{add_to(rels_, rel_ids_, node)};
}

Set Tree::base_set(std::uint32_t base) {
  return add(SetNode{BaseSet{base}});
}
Set Tree::empty_set() {
  return add(SetNode{EmptySet{}});
}
Set Tree::universe() {
  return add(SetNode{Universe{}});
}

// Unions and intersections are stored with ordered operands, so that a|b and b|a share a node.
Set Tree::unite(Set a, Set b) {
  if (a == b || as<EmptySet>(node(b)) || as<Universe>(node(a))) return a;
  if (as<EmptySet>(node(a)) || as<Universe>(node(b))) return b;
  return add(SetNode{SetUnion{std::min(a, b), std::max(a, b)}});
}

Set Tree::intersect(Set a, Set b) {
  if (a == b || as<EmptySet>(node(a)) || as<Universe>(node(b))) return a;
  if (as<EmptySet>(node(b)) || as<Universe>(node(a))) return b;
  return add(SetNode{SetIntersection{std::min(a, b), std::max(a, b)}});
}

Set Tree::subtract(Set a, Set b) {
  if (as<EmptySet>(node(a)) || as<EmptySet>(node(b))) return a;
  if (a == b || as<Universe>(node(b))) return empty_set();
  return add(SetNode{SetDifference{a, b}});
}

Set Tree::domain(Rel r) {
  if (as<EmptyRel>(node(r))) return empty_set();
  if (const auto* restrict = as<Restrict>(node(r))) return restrict->s;
  return add(SetNode{Domain{r}});
}

Set Tree::range(Rel r) {
  if (as<EmptyRel>(node(r))) return empty_set();
  if (const auto* restrict = as<Restrict>(node(r))) return restrict->s;
  return add(SetNode{Range{r}});
}

Rel Tree::base_relation(std::uint32_t base) {
  return add(RelNode{BaseRel{base}});
}
Rel Tree::empty_relation() {
  return add(RelNode{EmptyRel{}});
}
Rel Tree::identity() {
  return add(RelNode{Identity{}});
}

Rel Tree::restrict_to(Set s) {
  if (as<EmptySet>(node(s))) return empty_relation();
  if (as<Universe>(node(s))) return identity();
  return add(RelNode{Restrict{s}});
}

Rel Tree::product(Set a, Set b) {
  if (as<EmptySet>(node(a)) || as<EmptySet>(node(b))) return empty_relation();
  return add(RelNode{Product{a, b}});
}

Rel Tree::unite(Rel a, Rel b) {
  if (a == b || as<EmptyRel>(node(b))) return a;
  if (as<EmptyRel>(node(a))) return b;
  return add(RelNode{Union{std::min(a, b), std::max(a, b)}});
}

Rel Tree::intersect(Rel a, Rel b) {
  if (a == b || as<EmptyRel>(node(a))) return a;
  if (as<EmptyRel>(node(b))) return b;
  return add(RelNode{Intersection{std::min(a, b), std::max(a, b)}});
}

Rel Tree::subtract(Rel a, Rel b) {
  if (as<EmptyRel>(node(a)) || as<EmptyRel>(node(b))) return a;
  if (a == b) return empty_relation();
  return add(RelNode{Difference{a, b}});
}

Rel Tree::sequence(Rel a, Rel b) {
  if (as<EmptyRel>(node(a)) || as<Identity>(node(b))) return a;
  if (as<EmptyRel>(node(b)) || as<Identity>(node(a))) return b;
  const auto* left = as<Restrict>(node(a));
  const auto* right = as<Restrict>(node(b));
  if (left && right) return restrict_to(intersect(left->s, right->s));
  return add(RelNode{Sequence{a, b}});
}

Rel Tree::inverse(Rel a) {
  if (as<EmptyRel>(node(a)) || as<Identity>(node(a)) || as<Restrict>(node(a))) return a;
  if (const auto* inner = as<Inverse>(node(a))) return inner->a;
  if (const auto* product_node = as<Product>(node(a))) return product(product_node->b, product_node->a);
  return add(RelNode{Inverse{a}});
}

Rel Tree::closure(Rel a) {
  if (as<EmptyRel>(node(a)) || as<Identity>(node(a)) || as<Restrict>(node(a)) || as<Closure>(node(a)))
    return a;
  return add(RelNode{Closure{a}});
}

Rel Tree::order_choice(std::uint32_t order) {
  return add(RelNode{OrderChoice{order}});
}

Rel Tree::from_reads(Rel co) {
  if (as<EmptyRel>(node(co))) return co;
  return add(RelNode{FromReads{co}});
}

std::uint32_t Tree::open_group(std::size_t members) {
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.emplace_back();
  for (std::uint32_t member = 0; member < members; ++member) {
    groups_[group].variables.push_back(add(RelNode{Variable{group, member}}));
  }
  return group;
}

void Tree::set_bodies(std::uint32_t group, std::vector<Rel> bodies) {
  PTXMC_CHECK(bodies.size() == groups_.at(group).variables.size(), "one body for each variable");
  groups_[group].bodies = std::move(bodies);
}

}  // namespace ptxmc::relation
