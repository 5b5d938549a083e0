// SPDX-License-Identifier: Apache-2.0
// The builders simplify; these tests prove that no simplification changes the meaning. Each builder is
// applied to terms of every shape that a rule looks at, and the node it returns is compared with the
// operator's definition under all values of the base names over 2 events (two relations, two sets), and over
// 3 events (one relation, one set).
#include "model/relation/tree.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

using namespace ptxmc::relation;

namespace {

using Mask = std::uint32_t;  // a relation: bit a*n+b; a set: bit a

/// Values of base relations and sets 0 and 1 over n events.
struct World {
  unsigned n = 2;
  Mask relations[2] = {0, 0};
  Mask sets[2] = {0, 0};

  Mask all_sets() const { return (Mask{1} << n) - 1; }
  Mask all_relations() const { return (Mask{1} << (n * n)) - 1; }
  bool has(Mask r, unsigned a, unsigned b) const { return (r >> (a * n + b)) & 1; }

  /// The relation { (a, b) | member(a, b) }.
  template <typename F>
  Mask pairs(F&& member) const {
    Mask out = 0;
    for (unsigned a = 0; a < n; ++a) {
      for (unsigned b = 0; b < n; ++b) out |= Mask{member(a, b)} << (a * n + b);
    }
    return out;
  }
  Mask identity() const {
    return pairs([](unsigned a, unsigned b) { return a == b; });
  }
  Mask on(Mask s) const {
    return pairs([&](unsigned a, unsigned b) { return a == b && ((s >> a) & 1) != 0; });
  }
  Mask product(Mask s, Mask t) const {
    return pairs([&](unsigned a, unsigned b) { return ((s >> a) & (t >> b) & 1) != 0; });
  }
  Mask inverse(Mask r) const {
    return pairs([&](unsigned a, unsigned b) { return has(r, b, a); });
  }
  Mask sequence(Mask r, Mask s) const {
    return pairs([&](unsigned a, unsigned b) {
      for (unsigned c = 0; c < n; ++c) {
        if (has(r, a, c) && has(s, c, b)) return true;
      }
      return false;
    });
  }
  Mask closure(Mask r) const {
    Mask out = r;
    for (unsigned i = 0; i < n; ++i) out |= sequence(out, r);
    return out;
  }
  Mask domain(Mask r) const {
    Mask out = 0;
    for (unsigned a = 0; a < n; ++a) {
      for (unsigned b = 0; b < n; ++b) out |= Mask{has(r, a, b)} << a;
    }
    return out;
  }
};

/// The definition of each node, with recursion and nothing else.
struct Evaluator {
  const Tree& tree;
  const World& w;

  Mask of(Set s) const {
    return std::visit([&](const auto& n) { return node(n); }, tree.node(s));
  }
  Mask of(Rel r) const {
    return std::visit([&](const auto& n) { return node(n); }, tree.node(r));
  }

  Mask node(const BaseSet& n) const { return w.sets[n.base]; }
  Mask node(const EmptySet&) const { return 0; }
  Mask node(const Universe&) const { return w.all_sets(); }
  Mask node(const SetUnion& n) const { return of(n.a) | of(n.b); }
  Mask node(const SetIntersection& n) const { return of(n.a) & of(n.b); }
  Mask node(const SetDifference& n) const { return of(n.a) & ~of(n.b); }
  Mask node(const Domain& n) const { return w.domain(of(n.r)); }
  Mask node(const Range& n) const { return w.domain(w.inverse(of(n.r))); }
  Mask node(const BaseRel& n) const { return w.relations[n.base]; }
  Mask node(const EmptyRel&) const { return 0; }
  Mask node(const Identity&) const { return w.identity(); }
  Mask node(const Restrict& n) const { return w.on(of(n.s)); }
  Mask node(const Product& n) const { return w.product(of(n.a), of(n.b)); }
  Mask node(const Union& n) const { return of(n.a) | of(n.b); }
  Mask node(const Intersection& n) const { return of(n.a) & of(n.b); }
  Mask node(const Difference& n) const { return of(n.a) & ~of(n.b); }
  Mask node(const Sequence& n) const { return w.sequence(of(n.a), of(n.b)); }
  Mask node(const Inverse& n) const { return w.inverse(of(n.a)); }
  Mask node(const Closure& n) const { return w.closure(of(n.a)); }
  Mask node(const OrderChoice&) const { return unexpected(); }
  Mask node(const FromReads&) const { return unexpected(); }
  Mask node(const Variable&) const { return unexpected(); }
  static Mask unexpected() {
    FAIL("a node that these trees do not have");
    return 0;
  }
};

/// All values of the base names; over 3 events only the first relation and the first set vary.
template <typename F>
void for_each_world(F&& f) {
  World w;
  for (w.relations[0] = 0; w.relations[0] < 16; ++w.relations[0]) {
    for (w.relations[1] = 0; w.relations[1] < 16; ++w.relations[1]) {
      for (w.sets[0] = 0; w.sets[0] < 4; ++w.sets[0]) {
        for (w.sets[1] = 0; w.sets[1] < 4; ++w.sets[1]) f(w);
      }
    }
  }
  World three;
  three.n = 3;
  three.relations[1] = 0b010001000;
  three.sets[1] = 0b101;
  for (three.relations[0] = 0; three.relations[0] < 512; ++three.relations[0]) {
    for (three.sets[0] = 0; three.sets[0] < 8; ++three.sets[0]) f(three);
  }
}

std::vector<Set> set_terms(Tree& t) {
  const Set a = t.base_set(0);
  const Set b = t.base_set(1);
  return {a,
          b,
          t.empty_set(),
          t.universe(),
          t.unite(a, b),
          t.intersect(a, b),
          t.subtract(a, b),
          t.complement(a),
          t.domain(t.base_relation(0)),
          t.range(t.base_relation(0))};
}

std::vector<Rel> relation_terms(Tree& t) {
  const Rel r = t.base_relation(0);
  const Rel s = t.base_relation(1);
  const Set a = t.base_set(0);
  const Set b = t.base_set(1);
  return {r,
          s,
          t.empty_relation(),
          t.identity(),
          t.restrict_to(a),
          t.restrict_to(b),
          t.product(a, b),
          t.product(t.universe(), t.universe()),
          t.inverse(r),
          t.closure(r),
          t.optional(r),
          t.star(r),
          t.unite(r, s),
          t.intersect(r, s),
          t.subtract(r, s),
          t.sequence(r, s),
          t.complement(r),
          t.sequence(t.restrict_to(a), r)};
}

/// Checks `result` against `expected(world)` everywhere; one assertion a term, so that counts stay readable.
template <typename Handle>
void prove(const Tree& tree, Handle result, const std::string& what,
           const std::function<Mask(const World&, const Evaluator&)>& expected) {
  std::size_t wrong = 0;
  for_each_world([&](const World& world) {
    const Evaluator evaluator{tree, world};
    if (evaluator.of(result) != expected(world, evaluator)) ++wrong;
  });
  CAPTURE(what);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("set builders mean what they say") {
  Tree t;
  for (const Set a : set_terms(t)) {
    const std::string name = std::to_string(a.index);
    prove(t, t.complement(a), "~" + name,
          [&](const World& w, const Evaluator& e) { return w.all_sets() & ~e.of(a); });
    prove(t, t.restrict_to(a), "[" + name + "]",
          [&](const World& w, const Evaluator& e) { return w.on(e.of(a)); });
    for (const Set b : set_terms(t)) {
      const std::string both = name + ", " + std::to_string(b.index);
      prove(t, t.unite(a, b), "unite " + both,
            [&](const World&, const Evaluator& e) { return e.of(a) | e.of(b); });
      prove(t, t.intersect(a, b), "intersect " + both,
            [&](const World&, const Evaluator& e) { return e.of(a) & e.of(b); });
      prove(t, t.subtract(a, b), "subtract " + both,
            [&](const World&, const Evaluator& e) { return e.of(a) & ~e.of(b); });
      prove(t, t.product(a, b), "product " + both,
            [&](const World& w, const Evaluator& e) { return w.product(e.of(a), e.of(b)); });
    }
  }
}

TEST_CASE("unary relation builders mean what they say") {
  Tree t;
  for (const Rel r : relation_terms(t)) {
    const std::string name = std::to_string(r.index);
    prove(t, t.inverse(r), "inverse " + name,
          [&](const World& w, const Evaluator& e) { return w.inverse(e.of(r)); });
    prove(t, t.inverse(t.inverse(r)), "double inverse " + name,
          [&](const World&, const Evaluator& e) { return e.of(r); });
    prove(t, t.closure(r), "closure " + name,
          [&](const World& w, const Evaluator& e) { return w.closure(e.of(r)); });
    prove(t, t.optional(r), "optional " + name,
          [&](const World& w, const Evaluator& e) { return w.identity() | e.of(r); });
    prove(t, t.star(r), "star " + name,
          [&](const World& w, const Evaluator& e) { return w.identity() | w.closure(e.of(r)); });
    prove(t, t.complement(r), "complement " + name,
          [&](const World& w, const Evaluator& e) { return w.all_relations() & ~e.of(r); });
    prove(t, t.domain(r), "domain " + name,
          [&](const World& w, const Evaluator& e) { return w.domain(e.of(r)); });
    prove(t, t.range(r), "range " + name,
          [&](const World& w, const Evaluator& e) { return w.domain(w.inverse(e.of(r))); });
  }
}

TEST_CASE("binary relation builders mean what they say") {
  Tree t;
  for (const Rel a : relation_terms(t)) {
    for (const Rel b : relation_terms(t)) {
      const std::string both = std::to_string(a.index) + ", " + std::to_string(b.index);
      prove(t, t.unite(a, b), "unite " + both,
            [&](const World&, const Evaluator& e) { return e.of(a) | e.of(b); });
      prove(t, t.intersect(a, b), "intersect " + both,
            [&](const World&, const Evaluator& e) { return e.of(a) & e.of(b); });
      prove(t, t.subtract(a, b), "subtract " + both,
            [&](const World&, const Evaluator& e) { return e.of(a) & ~e.of(b); });
      prove(t, t.sequence(a, b), "sequence " + both,
            [&](const World& w, const Evaluator& e) { return w.sequence(e.of(a), e.of(b)); });
    }
  }
}

TEST_CASE("equal terms share a node") {
  Tree t;
  const Rel r = t.base_relation(0);
  const Rel s = t.base_relation(1);
  const Set a = t.base_set(0);
  const Set b = t.base_set(1);
  CHECK(t.unite(r, s) == t.unite(s, r));
  CHECK(t.intersect(r, s) == t.intersect(s, r));
  CHECK(t.unite(a, b) == t.unite(b, a));
  CHECK(t.sequence(r, s) != t.sequence(s, r));
  CHECK(t.unite(r, r) == r);
  CHECK(t.inverse(t.inverse(r)) == r);
  CHECK(t.closure(t.closure(r)) == t.closure(r));
  CHECK(t.sequence(t.restrict_to(a), t.restrict_to(b)) == t.restrict_to(t.intersect(a, b)));
  CHECK(t.from_reads(t.empty_relation()) == t.empty_relation());
  CHECK(t.order_choice(0) != t.order_choice(1));
}

TEST_CASE("operands come before their node, except in the bodies of a rec group") {
  Tree t;
  const std::uint32_t group = t.open_group(2);
  const std::vector<Rel> variables = t.groups()[group].variables;
  const Rel body = t.unite(t.base_relation(0), t.sequence(variables[0], variables[1]));
  t.set_bodies(group, {body, variables[0]});
  CHECK(t.groups()[group].bodies[0] == body);
  CHECK(variables[0].index < body.index);
  CHECK(t.open_group(1) == group + 1);
  CHECK(t.groups()[group + 1].variables[0] != variables[0]);
  CHECK_THROWS(t.set_bodies(group, {body}));
}
