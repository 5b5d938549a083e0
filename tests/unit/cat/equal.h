// SPDX-License-Identifier: Apache-2.0
// Structural equality of models whose trees were built in different orders.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "model/relation/memory_model.h"

namespace ptxmc::cat::toys {

/// Numbers nodes by their structure; two nodes, of any trees, get one number iff they are equal up to the
/// order of the operands of `|` and `&`.
class Canon {
 public:
  std::uint32_t of(const relation::Tree& tree, relation::Set s) { return memoised(tree, s, 100); }
  std::uint32_t of(const relation::Tree& tree, relation::Rel r) { return memoised(tree, r, 200); }
  std::uint32_t of(const relation::Tree& tree, std::variant<relation::Set, relation::Rel> v) {
    return std::visit([&](auto x) { return of(tree, x); }, v);
  }

 private:
  using Key = std::vector<std::uint32_t>;
  template <typename Handle>
  std::uint32_t memoised(const relation::Tree& tree, Handle handle, std::size_t sort) {
    const auto place = std::make_tuple(&tree, sort, handle.index);
    if (const auto known = memo_.find(place); known != memo_.end()) return known->second;
    const std::uint32_t result = number(children(tree, tree.node(handle)), sort + tree.node(handle).index());
    memo_.emplace(place, result);
    return result;
  }
  std::uint32_t number(Key key, std::size_t kind) {
    key.push_back(static_cast<std::uint32_t>(kind));
    return ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(ids_.size())).first->second;
  }
  template <typename Node>
  Key children(const relation::Tree& tree, const Node& node) {
    return std::visit([&](const auto& n) { return key(tree, n); }, node);
  }
  template <typename T>
  Key pair(const relation::Tree& tree, const T& n, bool commutes) {
    Key k{of(tree, n.a), of(tree, n.b)};
    if (commutes && k[0] > k[1]) std::swap(k[0], k[1]);
    return k;
  }
  using T = relation::Tree;
  Key key(const T&, const relation::BaseSet& n) { return {n.base}; }
  Key key(const T&, const relation::EmptySet&) { return {}; }
  Key key(const T&, const relation::Universe&) { return {}; }
  Key key(const T& t, const relation::SetUnion& n) { return pair(t, n, true); }
  Key key(const T& t, const relation::SetIntersection& n) { return pair(t, n, true); }
  Key key(const T& t, const relation::SetDifference& n) { return pair(t, n, false); }
  Key key(const T& t, const relation::Domain& n) { return {of(t, n.r)}; }
  Key key(const T& t, const relation::Range& n) { return {of(t, n.r)}; }
  Key key(const T&, const relation::BaseRel& n) { return {n.base}; }
  Key key(const T&, const relation::EmptyRel&) { return {}; }
  Key key(const T&, const relation::Identity&) { return {}; }
  Key key(const T& t, const relation::Restrict& n) { return {of(t, n.s)}; }
  Key key(const T& t, const relation::Product& n) { return pair(t, n, false); }
  Key key(const T& t, const relation::Union& n) { return pair(t, n, true); }
  Key key(const T& t, const relation::Intersection& n) { return pair(t, n, true); }
  Key key(const T& t, const relation::Difference& n) { return pair(t, n, false); }
  Key key(const T& t, const relation::Sequence& n) { return pair(t, n, false); }
  Key key(const T& t, const relation::Inverse& n) { return {of(t, n.a)}; }
  Key key(const T& t, const relation::Closure& n) { return {of(t, n.a)}; }
  Key key(const T&, const relation::OrderChoice& n) { return {n.order}; }
  Key key(const T& t, const relation::FromReads& n) { return {of(t, n.co)}; }
  Key key(const T&, const relation::Variable& n) { return {n.group, n.member}; }

  std::map<Key, std::uint32_t> ids_;
  std::map<std::tuple<const relation::Tree*, std::size_t, std::uint32_t>, std::uint32_t> memo_;
};

/// Everything but positions, sources and the names of hidden definitions.
inline bool equal(const relation::MemoryModel& a, const relation::MemoryModel& b) {
  Canon canon;
  const auto same = [&](const auto& x, const auto& y) { return canon.of(a.tree, x) == canon.of(b.tree, y); };
  const auto constraints = [&](const auto& xs, const auto& ys) {
    if (xs.size() != ys.size()) return false;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (xs[i].test != ys[i].test || xs[i].negated != ys[i].negated || xs[i].name != ys[i].name ||
          xs[i].section != ys[i].section || xs[i].role != ys[i].role ||
          !same(xs[i].expression, ys[i].expression)) {
        return false;
      }
    }
    return true;
  };
  if (a.orders.size() != b.orders.size() || a.definitions.size() != b.definitions.size() ||
      a.name != b.name || a.tree.groups().size() != b.tree.groups().size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.tree.groups().size(); ++i) {
    for (std::size_t j = 0; j < a.tree.groups()[i].bodies.size(); ++j) {
      if (!same(a.tree.groups()[i].bodies[j], b.tree.groups()[i].bodies[j])) return false;
    }
  }
  for (std::size_t i = 0; i < a.orders.size(); ++i) {
    if (a.orders[i].partial != b.orders[i].partial || !same(a.orders[i].over, b.orders[i].over)) return false;
  }
  for (std::size_t i = 0; i < a.definitions.size(); ++i) {
    if (a.definitions[i].section != b.definitions[i].section ||
        !same(a.definitions[i].value, b.definitions[i].value))
      return false;
  }
  if (a.roles.size() != b.roles.size()) return false;
  for (std::size_t i = 0; i < a.roles.size(); ++i) {
    const relation::RoleDeclaration &x = a.roles[i], &y = b.roles[i];
    if (x.role != y.role || x.flag != y.flag || x.value.has_value() != y.value.has_value() ||
        (x.value && !same(*x.value, *y.value)))
      return false;
  }
  return constraints(a.axioms, b.axioms) && constraints(a.flags, b.flags) && same(a.coherence, b.coherence);
}

}  // namespace ptxmc::cat::toys
