// SPDX-License-Identifier: Apache-2.0
// One ascending pass over the needed nodes, repeated while `let rec` groups grow: both bounds of a variable
// start empty and take the bounds of its body until nothing changes. The upper bounds so reach the least
// fixed point of the upper semantics; the lower bounds stay below the true least fixed point in every
// execution, because bodies are monotone. Cost: a pass is nodes * n * n * n / 64 at worst (sequences,
// closures).
#include "engine/smt/bounds.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::engine::smt {

using namespace relation;  // NOLINT: the node types of the tree

namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

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
      identity_(graph.size()),
      everything_(graph.size()),
      sets_(model.tree.sets().size()),
      rels_(model.tree.relations().size()) {
  for (std::size_t e = 0; e < graph.size(); ++e) {
    if (guards.together.test(e, e)) identity_.set(e, e);
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
  const auto set = [&](Set s) -> bool { return open_set_[s.index]; };
  const auto rel = [&](Rel r) -> bool { return open_rel_[r.index]; };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (open_set_[i]) continue;
      const bool open = std::visit(
          Overloaded{[](const BaseSet&) { return false; }, [](const EmptySet&) { return false; },
                     [](const Universe&) { return false; }, [&](const Domain& n) { return rel(n.r); },
                     [&](const Range& n) { return rel(n.r); },
                     [&](const auto& n) { return set(n.a) || set(n.b); }},
          tree.sets()[i]);
      open_set_[i] = open;
      changed = changed || open;
    }
    for (std::size_t i = 0; i < rels_.size(); ++i) {
      if (open_rel_[i]) continue;
      const bool open = std::visit(
          Overloaded{[](const BaseRel&) { return false; }, [](const EmptyRel&) { return false; },
                     [](const Identity&) { return false; }, [&](const Restrict& n) { return set(n.s); },
                     [&](const Product& n) { return set(n.a) || set(n.b); },
                     [&](const Inverse& n) { return rel(n.a); }, [&](const Closure& n) { return rel(n.a); },
                     [&](const FromReads& n) { return rel(n.co); },
                     [&](const OrderChoice& n) { return rel(model_.orders[n.order].over); },
                     [](const Variable&) { return true; },
                     [&](const auto& n) { return rel(n.a) || rel(n.b); }},
          tree.relations()[i]);
      open_rel_[i] = open;
      changed = changed || open;
    }
  }
}

// Sets and relations refer to each other, always to what was built before: alternate until all needed nodes
// are known. True when a variable grew, so that another pass is needed.
bool Bounds::pass(bool first) {
  const Tree& tree = model_.tree;
  std::vector<bool> set_done(sets_.size()), rel_done(rels_.size());
  if (!first) {
    for (std::size_t i = 0; i < sets_.size(); ++i) set_done[i] = !open_set_[i];
    for (std::size_t i = 0; i < rels_.size(); ++i) rel_done[i] = !open_rel_[i];
  }
  const auto set = [&](Set s) -> bool { return set_done[s.index]; };
  const auto rel = [&](Rel r) -> bool { return rel_done[r.index]; };
  for (const RecGroup& group : tree.groups()) {
    for (const Rel v : group.variables) rel_done[v.index] = true;
  }
  for (bool waiting = true, moved = true; waiting;) {
    PTXMC_CHECK(moved, "the tree of the model is not well-founded");
    waiting = moved = false;
    for (std::size_t i = 0; i < std::max(sets_.size(), rels_.size()); ++i) {
      if (i < rels_.size() && !rel_done[i] && reach_.of(Rel{static_cast<std::uint32_t>(i)}).any()) {
        const bool ready = std::visit(
            Overloaded{[](const BaseRel&) { return true; }, [](const EmptyRel&) { return true; },
                       [](const Identity&) { return true; }, [&](const Restrict& n) { return set(n.s); },
                       [&](const Product& n) { return set(n.a) && set(n.b); },
                       [&](const Inverse& n) { return rel(n.a); }, [&](const Closure& n) { return rel(n.a); },
                       [&](const FromReads& n) { return rel(n.co); },
                       [&](const OrderChoice& n) { return rel(model_.orders[n.order].over); },
                       [](const Variable&) { return true; },
                       [&](const auto& n) { return rel(n.a) && rel(n.b); }},
            tree.relations()[i]);
        if (ready) {
          const Rel r{static_cast<std::uint32_t>(i)};
          rels_[i] = evaluate(r, tree.node(r));
        }
        rel_done[i] = ready;
        (ready ? moved : waiting) = true;
      }
      if (i < sets_.size() && !set_done[i] && reach_.of(Set{static_cast<std::uint32_t>(i)}).any()) {
        const bool ready = std::visit(
            Overloaded{[](const BaseSet&) { return true; }, [](const EmptySet&) { return true; },
                       [](const Universe&) { return true; }, [&](const Domain& n) { return rel(n.r); },
                       [&](const Range& n) { return rel(n.r); },
                       [&](const auto& n) { return set(n.a) && set(n.b); }},
            tree.sets()[i]);
        if (ready) sets_[i] = evaluate(tree.sets()[i]);
        set_done[i] = ready;
        (ready ? moved : waiting) = true;
      }
    }
  }
  bool grown = false;
  for (std::uint32_t g = 0; g < tree.groups().size(); ++g) {
    if (!reach_.group(g)) continue;
    const RecGroup& group = tree.groups()[g];
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
      RelBound& variable = rels_[group.variables[i].index];
      const RelBound& body = rels_[group.bodies[i].index];
      if (variable.may == body.may && variable.must == body.must) continue;
      variable = body;
      grown = true;
    }
    if (grown) return true;  // later groups may subtract this one: they start when it is complete
  }
  return false;
}

SetBound Bounds::evaluate(const SetNode& node) const {
  const std::size_t n = graph_.size();
  BitSet possible(n);
  for (std::size_t e = 0; e < n; ++e) {
    if (guards_.together.test(e, e)) possible.set(e);
  }
  const auto may_must = [&](const auto& f) {
    SetBound result{f(true), f(false)};
    return result;
  };
  return std::visit(Overloaded{
                        [&](const BaseSet& b) {
                          BitSet value = base_.sets[b.base];
                          value &= possible;
                          return SetBound{value, value};
                        },
                        [&](const EmptySet&) {
                          return SetBound{BitSet(n), BitSet(n)};
                        },
                        [&](const Universe&) {
                          return SetBound{possible, possible};
                        },
                        [&](const SetUnion& s) {
                          SetBound result = of(s.a);
                          result.may |= of(s.b).may;
                          result.must |= of(s.b).must;
                          return result;
                        },
                        [&](const SetIntersection& s) {
                          SetBound result = of(s.a);
                          result.may &= of(s.b).may;
                          result.must &= of(s.b).must;
                          return result;
                        },
                        [&](const SetDifference& s) {
                          SetBound result = of(s.a);
                          result.may -= of(s.b).must;
                          result.must -= of(s.b).may;
                          return result;
                        },
                        [&](const Domain& d) {
                          return may_must([&](bool may) {
                            const RelBound& r = of(d.r);
                            BitSet out(n);
                            (may ? r.may : r.must).for_each([&](std::size_t a, std::size_t b) {
                              if (may || guards_.implied_by.test(b, a)) out.set(a);
                            });
                            return out;
                          });
                        },
                        [&](const Range& d) {
                          return may_must([&](bool may) {
                            const RelBound& r = of(d.r);
                            BitSet out(n);
                            (may ? r.may : r.must).for_each([&](std::size_t a, std::size_t b) {
                              if (may || guards_.implied_by.test(a, b)) out.set(b);
                            });
                            return out;
                          });
                        },
                    },
                    node);
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
  for (event::EventId r = 0; r < graph_.size(); ++r) {
    for (const event::EventId w : open_.sources[r]) result.may.set(w, r);
    if (open_.sources[r].size() == 1) result.must.set(open_.sources[r].front(), r);
  }
  return result;
}

RelBound Bounds::from_reads(const RelBound& co) const {
  const std::size_t n = graph_.size();
  RelBound result{BitMatrix(n), BitMatrix(n)};
  for (event::EventId r = 0; r < n; ++r) {
    const event::Event& read = graph_.events[r];
    if (!read.is_read() || open_.sources[r].empty()) continue;
    for (event::EventId w = 0; w < n; ++w) {
      const event::Event& write = graph_.events[w];
      if (!write.is_write() || write.cell != read.cell || read.rmw_partner == w || !everything_.test(r, w))
        continue;
      const auto& sources = open_.sources[r];
      const auto in = [&](const BitMatrix& m) {
        return [&m, w](event::EventId source) { return m.test(source, w); };
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
    const Word* from = b.row(m);
    const Word* with = guards_.implied_by.row(m);
    Word* to = result.row(x);
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

RelBound Bounds::evaluate(Rel self, const RelNode& node) const {
  const std::size_t n = graph_.size();
  const auto combine = [&](Rel a, Rel b, const auto& f) {
    RelBound result = of(a);
    f(result, of(b));
    return result;
  };
  RelBound result = std::visit(Overloaded{
                                   [&](const BaseRel& r) { return base(r.base); },
                                   [&](const EmptyRel&) {
                                     return RelBound{BitMatrix(n), BitMatrix(n)};
                                   },
                                   [&](const Identity&) {
                                     return RelBound{identity_, identity_};
                                   },
                                   [&](const Restrict& r) {
                                     RelBound bound{BitMatrix(n), BitMatrix(n)};
                                     bound.may.assign_identity(of(r.s).may);
                                     bound.must.assign_identity(of(r.s).must);
                                     return bound;
                                   },
                                   [&](const Product& r) {
                                     RelBound bound{BitMatrix(n), BitMatrix(n)};
                                     bound.may.assign_product(of(r.a).may, of(r.b).may);
                                     bound.must.assign_product(of(r.a).must, of(r.b).must);
                                     return bound;
                                   },
                                   [&](const Union& r) {
                                     return combine(r.a, r.b, [](RelBound& x, const RelBound& y) {
                                       x.may |= y.may;
                                       x.must |= y.must;
                                     });
                                   },
                                   [&](const Intersection& r) {
                                     return combine(r.a, r.b, [](RelBound& x, const RelBound& y) {
                                       x.may &= y.may;
                                       x.must &= y.must;
                                     });
                                   },
                                   [&](const Difference& r) { return difference(r.a, r.b); },
                                   [&](const Sequence& r) {
                                     RelBound bound{BitMatrix(n), compose_must(of(r.a).must, of(r.b).must)};
                                     bound.may.assign_sequence(of(r.a).may, of(r.b).may);
                                     return bound;
                                   },
                                   [&](const Inverse& r) {
                                     RelBound bound{BitMatrix(n), BitMatrix(n)};
                                     bound.may.assign_inverse(of(r.a).may);
                                     bound.must.assign_inverse(of(r.a).must);
                                     return bound;
                                   },
                                   [&](const Closure& r) {
                                     RelBound bound{of(r.a).may, close_must(of(r.a).must)};
                                     bound.may.close();
                                     return bound;
                                   },
                                   [&](const OrderChoice& r) { return order(r.order); },
                                   [&](const FromReads& r) { return from_reads(of(r.co)); },
                                   [&](const Variable&) { return rels_[self.index]; },
                               },
                               node);
  result.may &= everything_;
  result.must &= result.may;
  return result;
}

}  // namespace ptxmc::engine::smt
