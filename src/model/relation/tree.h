// SPDX-License-Identifier: Apache-2.0
// The Set/Rel tree: one immutable, hash-consed DAG per model, interpreted by every engine.
//
// Set and Rel are distinct handle types, so a set cannot stand where a relation is expected. Nodes are closed
// variants: a visitor without a default case is checked for completeness by the compiler. Derived operators
// are desugared by the builders: R? = R | id, R* = R+ | id, ~R = (_*_) \ R, [S] = Restrict, empty = 0.
// Builders simplify (empty operands, idempotence, double inverse); nodes refer to earlier nodes only, so
// ascending index order is an evaluation order, except that the bodies of a `let rec` group refer to its
// variables (see RecGroup).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "model/relation/signature.h"

namespace ptxmc::relation {

struct Set {
  std::uint32_t index = 0;
  friend auto operator<=>(const Set&, const Set&) = default;
};
struct Rel {
  std::uint32_t index = 0;
  friend auto operator<=>(const Rel&, const Rel&) = default;
};

// ---- Set nodes --------------------------------------------------------------------------------------------
struct BaseSet {
  std::uint32_t base;
  friend auto operator<=>(const BaseSet&, const BaseSet&) = default;
};
struct EmptySet {
  friend auto operator<=>(const EmptySet&, const EmptySet&) = default;
};
struct Universe {
  friend auto operator<=>(const Universe&, const Universe&) = default;
};  // `_`: all events of the execution
struct SetUnion {
  Set a, b;
  friend auto operator<=>(const SetUnion&, const SetUnion&) = default;
};
struct SetIntersection {
  Set a, b;
  friend auto operator<=>(const SetIntersection&, const SetIntersection&) = default;
};
struct SetDifference {
  Set a, b;
  friend auto operator<=>(const SetDifference&, const SetDifference&) = default;
};
struct Domain {
  Rel r;
  friend auto operator<=>(const Domain&, const Domain&) = default;
};
struct Range {
  Rel r;
  friend auto operator<=>(const Range&, const Range&) = default;
};
using SetNode =
    std::variant<BaseSet, EmptySet, Universe, SetUnion, SetIntersection, SetDifference, Domain, Range>;

// ---- Relation nodes ---------------------------------------------------------------------------------------
struct BaseRel {
  std::uint32_t base;
  friend auto operator<=>(const BaseRel&, const BaseRel&) = default;
};
struct EmptyRel {
  friend auto operator<=>(const EmptyRel&, const EmptyRel&) = default;
};
struct Identity {
  friend auto operator<=>(const Identity&, const Identity&) = default;
};
struct Restrict {
  Set s;
  friend auto operator<=>(const Restrict&, const Restrict&) = default;
};  // [S]
struct Product {
  Set a, b;
  friend auto operator<=>(const Product&, const Product&) = default;
};  // A * B
struct Union {
  Rel a, b;
  friend auto operator<=>(const Union&, const Union&) = default;
};
struct Intersection {
  Rel a, b;
  friend auto operator<=>(const Intersection&, const Intersection&) = default;
};
struct Difference {
  Rel a, b;
  friend auto operator<=>(const Difference&, const Difference&) = default;
};
struct Sequence {
  Rel a, b;
  friend auto operator<=>(const Sequence&, const Sequence&) = default;
};
struct Inverse {
  Rel a;
  friend auto operator<=>(const Inverse&, const Inverse&) = default;
};
struct Closure {
  Rel a;
  friend auto operator<=>(const Closure&, const Closure&) = default;
};  // R+
/// The direction chosen for each pair of an `order` declaration (index into MemoryModel::orders).
struct OrderChoice {
  std::uint32_t order;
  friend auto operator<=>(const OrderChoice&, const OrderChoice&) = default;
};
/// (r, w): for some byte of both, r reads it from a w' with (w', w) in co; never within one operation
/// (8.9.7(3)).
struct FromReads {
  Rel co;
  friend auto operator<=>(const FromReads&, const FromReads&) = default;
};
/// Variable number `member` of `let rec` group `group`; its value is the least fixed point of the group's
/// bodies.
struct Variable {
  std::uint32_t group, member;
  friend auto operator<=>(const Variable&, const Variable&) = default;
};
using RelNode = std::variant<BaseRel, EmptyRel, Identity, Restrict, Product, Union, Intersection, Difference,
                             Sequence, Inverse, Closure, OrderChoice, FromReads, Variable>;

/// `let rec v0 = b0 and v1 = b1 ...`: relations only; every body is monotone in the variables (the reader
/// checks it). Variables are nodes created before the bodies.
struct RecGroup {
  std::vector<Rel> variables;
  std::vector<Rel> bodies;
};

class Tree {
 public:
  Tree() = default;
  /// A tree of nodes that a tree had, in its order.
  Tree(std::vector<SetNode> sets, std::vector<RelNode> relations, std::vector<RecGroup> groups)
      : sets_(std::move(sets)), rels_(std::move(relations)), groups_(std::move(groups)) {}

  // Sets
  Set base_set(std::uint32_t base);
  Set empty_set();
  Set universe();
  Set unite(Set a, Set b);
  Set intersect(Set a, Set b);
  Set subtract(Set a, Set b);
  Set complement(Set a) { return subtract(universe(), a); }
  Set domain(Rel r);
  Set range(Rel r);

  // Relations
  Rel base_relation(std::uint32_t base);
  Rel empty_relation();
  Rel identity();
  Rel restrict_to(Set s);
  Rel product(Set a, Set b);
  Rel unite(Rel a, Rel b);
  Rel intersect(Rel a, Rel b);
  Rel subtract(Rel a, Rel b);
  Rel complement(Rel a) { return subtract(product(universe(), universe()), a); }
  Rel sequence(Rel a, Rel b);
  Rel inverse(Rel a);
  Rel closure(Rel a);
  Rel optional(Rel a) { return unite(a, identity()); }
  Rel star(Rel a) { return unite(closure(a), identity()); }
  Rel order_choice(std::uint32_t order);
  Rel from_reads(Rel co);

  /// Opens a `let rec` group of `members` variables; set_bodies closes it.
  std::uint32_t open_group(std::size_t members);
  void set_bodies(std::uint32_t group, std::vector<Rel> bodies);

  const SetNode& node(Set s) const { return sets_[s.index]; }
  const RelNode& node(Rel r) const { return rels_[r.index]; }
  const std::vector<SetNode>& sets() const { return sets_; }
  const std::vector<RelNode>& relations() const { return rels_; }
  const std::vector<RecGroup>& groups() const { return groups_; }

 private:
  Set add(SetNode node);
  Rel add(RelNode node);

  std::vector<SetNode> sets_;
  std::vector<RelNode> rels_;
  std::vector<RecGroup> groups_;
  // The nodes by what they are: made when a node is added, since most trees are only read.
  std::map<SetNode, std::uint32_t> set_ids_;
  std::map<RelNode, std::uint32_t> rel_ids_;
};

}  // namespace ptxmc::relation
