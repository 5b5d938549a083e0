// SPDX-License-Identifier: Apache-2.0
// One ascending pass over the needed nodes, repeated while `let rec` groups grow: both bounds of a variable
// start empty and take the bounds of its body until nothing changes. The upper bounds so reach the least
// fixed point of the upper semantics; the lower bounds stay below the true least fixed point in every
// execution, because bodies are monotone. Cost: a pass is nodes * n * n * n / 64 at worst (sequences,
// closures).
#include "axiomatic/engine/smt/bounds.h"

#include <algorithm>
#include <type_traits>

#include "axiomatic/engine/smt/children.h"
#include "support/check.h"

namespace ptxmc::engine::smt {

using namespace relation;  // NOLINT: the node types of the tree

namespace {

/// Does any operand satisfy the predicates?
template <typename Node, typename InSet, typename InRel>
bool any_child(const MemoryModel& model, const Node& node, InSet&& in_set, InRel&& in_rel) {
  bool found = false;
  const auto on_set = [&](Set s) { found = found || in_set(s); };
  const auto on_rel = [&](Rel r) { found = found || in_rel(r); };
  if constexpr (std::is_same_v<Node, SetNode>) {
    for_each_child(node, on_set, on_rel);
  } else {
    for_each_child(model, node, on_set, on_rel);
  }
  return found;
}

}  // namespace

Bounds::Bounds(const event::ProgramGraph& graph, const event::BaseValues& base, const Signature& signature,
               const MemoryModel& model, const Guards& guards, OpenBases open, const Reach& reach)
    : graph_(graph),
      base_(base),
      signature_(signature),
      model_(model),
      guards_(guards),
      open_(std::move(open)),
      reach_(reach),
      possible_(graph.size()),
      identity_(graph.size()),
      everything_(graph.size()),
      sets_(model.tree.sets().size()),
      rels_(model.tree.relations().size()) {
  for (std::size_t e = 0; e < graph.size(); ++e) {
    if (!guards.together.test(e, e)) continue;
    identity_.set(e, e);
    possible_.set(e);
  }
  everything_ = guards.together;
  find_open();
  for (std::uint32_t g = 0; g < model.tree.groups().size(); ++g) {
    for (const Rel v : model.tree.groups()[g].variables)
      rels_[v.index] = {BitMatrix(graph.size()), BitMatrix(graph.size())};
  }
  for (bool first = true; pass(first); first = false) {
  }
}

// A node is open if a variable occurs below it. Orders may be over relations with later indexes than their
// choice; such nodes are open, too, and are evaluated again.
void Bounds::find_open() {
  const Tree& tree = model_.tree;
  open_set_.assign(sets_.size(), false);
  open_rel_.assign(rels_.size(), false);
  const auto open_set = [&](Set s) -> bool { return open_set_[s.index]; };
  const auto open_rel = [&](Rel r) -> bool { return open_rel_[r.index]; };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (open_set_[i] || !any_child(model_, tree.sets()[i], open_set, open_rel)) continue;
      open_set_[i] = changed = true;
    }
    for (std::size_t i = 0; i < rels_.size(); ++i) {
      const bool variable = std::holds_alternative<Variable>(tree.relations()[i]);
      if (open_rel_[i] || !(variable || any_child(model_, tree.relations()[i], open_set, open_rel))) continue;
      open_rel_[i] = changed = true;
    }
  }
}

// Evaluates needed nodes (the open ones only, but for the first pass). Sets and relations refer to each
// other, always to what was built before: alternate until all are known. True when a variable grew, so that
// another pass is needed.
bool Bounds::pass(bool first) {
  const Tree& tree = model_.tree;
  std::vector<bool> set_waits(sets_.size()), rel_waits(rels_.size());
  std::size_t waiting = 0;
  for (std::uint32_t i = 0; i < sets_.size(); ++i) {
    set_waits[i] = reach_.of(Set{i}).any() && (first || open_set_[i]);
    waiting += set_waits[i] ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < rels_.size(); ++i) {
    rel_waits[i] = reach_.of(Rel{i}).any() && (first || open_rel_[i]) &&
                   !std::holds_alternative<Variable>(tree.relations()[i]);
    waiting += rel_waits[i] ? 1 : 0;
  }
  const auto on_set = [&](Set s) -> bool { return set_waits[s.index]; };
  const auto on_rel = [&](Rel r) -> bool { return rel_waits[r.index]; };
  while (waiting > 0) {
    const std::size_t before = waiting;
    for (std::uint32_t i = 0; i < rels_.size(); ++i) {
      if (!rel_waits[i] || any_child(model_, tree.relations()[i], on_set, on_rel)) continue;
      rels_[i] = evaluate(Rel{i}, tree.relations()[i]);
      rel_waits[i] = false;
      --waiting;
    }
    for (std::uint32_t i = 0; i < sets_.size(); ++i) {
      if (!set_waits[i] || any_child(model_, tree.sets()[i], on_set, on_rel)) continue;
      sets_[i] = evaluate(tree.sets()[i]);
      set_waits[i] = false;
      --waiting;
    }
    PTXMC_CHECK(waiting < before, "the tree of the model is not well-founded");
  }
  return grow_variables();
}

// Variables take the bounds of their bodies. Later groups may subtract an earlier one: they start when it is
// complete.
bool Bounds::grow_variables() {
  const Tree& tree = model_.tree;
  for (std::uint32_t g = 0; g < tree.groups().size(); ++g) {
    if (!reach_.group(g)) continue;
    const RecGroup& group = tree.groups()[g];
    bool grown = false;
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
      RelBound& variable = rels_[group.variables[i].index];
      const RelBound& body = rels_[group.bodies[i].index];
      if (variable.may == body.may && variable.must == body.must) continue;
      variable = body;
      grown = true;
    }
    if (grown) return true;
  }
  return false;
}

SetBound Bounds::evaluate(const SetNode& node) const {
  const std::size_t n = graph_.size();
  SetBound bound{BitSet(n), BitSet(n)};
  std::visit(Overloaded{
                 [&](const BaseSet& s) {
                   bound = {base_.sets[s.base], base_.sets[s.base]};
                 },
                 [&](const EmptySet&) {},
                 [&](const Universe&) {
                   bound.may.set_all();
                   bound.must.set_all();
                 },
                 [&](const SetUnion& s) {
                   bound = of(s.a);
                   bound.may |= of(s.b).may;
                   bound.must |= of(s.b).must;
                 },
                 [&](const SetIntersection& s) {
                   bound = of(s.a);
                   bound.may &= of(s.b).may;
                   bound.must &= of(s.b).must;
                 },
                 [&](const SetDifference& s) {
                   bound = of(s.a);
                   bound.may -= of(s.b).must;
                   bound.must -= of(s.b).may;
                 },
                 [&](const Domain& s) {
                   of(s.r).may.for_each([&](std::size_t a, std::size_t) { bound.may.set(a); });
                   of(s.r).must.for_each([&](std::size_t a, std::size_t b) {
                     if (guards_.implied_by.test(b, a)) bound.must.set(a);
                   });
                 },
                 [&](const Range& s) {
                   of(s.r).may.for_each([&](std::size_t, std::size_t b) { bound.may.set(b); });
                   of(s.r).must.for_each([&](std::size_t a, std::size_t b) {
                     if (guards_.implied_by.test(a, b)) bound.must.set(b);
                   });
                 },
             },
             node);
  bound.may &= possible_;
  bound.must &= possible_;
  return bound;
}

RelBound Bounds::base(std::uint32_t id) const {
  switch (signature_[id].provider) {
    case Provider::reads_from:
      return reads_from();
    case Provider::enumerated:
      return open_.enumerated[id];
    case Provider::fixed:
      break;
  }
  BitMatrix value = base_.relations[id];
  value &= everything_;
  return {value, value};
}

RelBound Bounds::reads_from() const {
  RelBound result{BitMatrix(graph_.size()), BitMatrix(graph_.size())};
  for (event::SlotId s = 0; s < graph_.slot_count(); ++s) {
    const std::vector<event::SlotId>& sources = open_.sources[s];
    const event::EventId r = graph_.slot(s).event;
    for (const event::SlotId w : sources) result.may.set(graph_.slot(w).event, r);
    if (sources.size() == 1) result.must.set(graph_.slot(sources.front()).event, r);
  }
  return result;
}

RelBound Bounds::from_reads(const RelBound& co) const {
  const std::size_t n = graph_.size();
  RelBound result{BitMatrix(n), BitMatrix(n)};
  for (event::SlotId s = 0; s < graph_.slot_count(); ++s) {
    const std::vector<event::SlotId>& sources = open_.sources[s];
    if (sources.empty()) continue;
    const event::Slot slot = graph_.slot(s);
    const event::EventId r = slot.event;
    for (event::EventId w = 0; w < n; ++w) {
      if (!graph_.events[w].is_write() || !graph_.covers(w, slot.cell) || graph_.events[r].rmw_partner == w ||
          !everything_.test(r, w))
        continue;
      const auto in = [&](const BitMatrix& m) {
        return [&m, w, this](event::SlotId source) { return m.test(graph_.slot(source).event, w); };
      };
      if (std::any_of(sources.begin(), sources.end(), in(co.may))) result.may.set(r, w);
      if (std::all_of(sources.begin(), sources.end(), in(co.must))) result.must.set(r, w);
    }
  }
  return result;
}

RelBound Bounds::order(std::uint32_t index) const {
  const RelBound& over = of(model_.orders[index].over);
  RelBound result{over.may, BitMatrix(graph_.size())};
  BitMatrix inverse(graph_.size());
  inverse.assign_inverse(over.may);
  result.may |= inverse;
  result.may -= identity_;
  return result;
}

RelBound Bounds::difference(Rel a, Rel b) const {
  if (included(model_.tree, a, b)) return {BitMatrix(graph_.size()), BitMatrix(graph_.size())};
  RelBound result = of(a);
  result.may -= of(b).must;
  result.must -= of(b).may;
  return result;
}

BitMatrix Bounds::compose_must(const BitMatrix& a, const BitMatrix& b) const {
  BitMatrix result(graph_.size());
  if (guards_.all_always) {
    result.assign_sequence(a, b);
    return result;
  }
  a.for_each([&](std::size_t x, std::size_t m) {
    const relation::Word* from = b.row(m);
    const relation::Word* with = guards_.implied_by.row(m);
    relation::Word* to = result.row(x);
    const bool implied = guards_.implied_by.test(m, x);
    for (std::size_t w = 0; w < result.stride(); ++w) to[w] |= implied ? from[w] : from[w] & with[w];
  });
  result &= everything_;
  return result;
}

BitMatrix Bounds::close_must(BitMatrix must) const {
  if (guards_.all_always) {
    must.close();
    return must;
  }
  for (;;) {
    BitMatrix next = compose_must(must, must);
    next |= must;
    if (next == must) return must;
    must = std::move(next);
  }
}

RelBound Bounds::pointwise(Rel a, Rel b, Pointwise op) const {
  RelBound result = of(a);
  const RelBound& other = of(b);
  if (op == Pointwise::unite) {
    result.may |= other.may;
    result.must |= other.must;
  } else {
    result.may &= other.may;
    result.must &= other.must;
  }
  return result;
}

RelBound Bounds::evaluate(Rel self, const RelNode& node) const {
  const std::size_t n = graph_.size();
  RelBound bound{BitMatrix(n), BitMatrix(n)};
  std::visit(Overloaded{
                 [&](const BaseRel& r) { bound = base(r.base); },
                 [&](const EmptyRel&) {},
                 [&](const Identity&) {
                   bound = {identity_, identity_};
                 },
                 [&](const Restrict& r) {
                   bound.may.assign_identity(of(r.s).may);
                   bound.must.assign_identity(of(r.s).must);
                 },
                 [&](const Product& r) {
                   bound.may.assign_product(of(r.a).may, of(r.b).may);
                   bound.must.assign_product(of(r.a).must, of(r.b).must);
                 },
                 [&](const Union& r) { bound = pointwise(r.a, r.b, Pointwise::unite); },
                 [&](const Intersection& r) { bound = pointwise(r.a, r.b, Pointwise::intersect); },
                 [&](const Difference& r) { bound = difference(r.a, r.b); },
                 [&](const Sequence& r) {
                   bound.may.assign_sequence(of(r.a).may, of(r.b).may);
                   bound.must = compose_must(of(r.a).must, of(r.b).must);
                 },
                 [&](const Inverse& r) {
                   bound.may.assign_inverse(of(r.a).may);
                   bound.must.assign_inverse(of(r.a).must);
                 },
                 [&](const Closure& r) {
                   bound = {of(r.a).may, close_must(of(r.a).must)};
                   bound.may.close();
                 },
                 [&](const OrderChoice& r) { bound = order(r.order); },
                 [&](const FromReads& r) { bound = from_reads(of(r.co)); },
                 [&](const Variable&) { bound = rels_[self.index]; },
             },
             node);
  bound.may &= everything_;
  bound.must &= bound.may;
  return bound;
}

}  // namespace ptxmc::engine::smt
