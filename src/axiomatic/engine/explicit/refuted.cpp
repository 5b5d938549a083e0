// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/refuted.h"

#include <functional>
#include <set>
#include <variant>

#include "support/overloaded.h"

namespace ptxmc::engine::explicit_ {

namespace {

using relation::BitMatrix;
using relation::Rel;
using relation::Word;

bool meet(const Word* a, const Word* b, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w) {
    if ((a[w] & b[w]) != 0) return true;
  }
  return false;
}

void unite(Word* into, const Word* from, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w) into[w] |= from[w];
}

BitMatrix reflexive(BitMatrix r) {
  for (std::size_t i = 0; i < r.size(); ++i) r.set(i, i);
  return r;
}

class Demands {
 public:
  Demands(const Evaluator& evaluator, const Choices& choices)
      : evaluator_(evaluator),
        choices_(choices),
        demands_(evaluator.tree().relations().size()),
        one_(evaluator.size()),
        other_(evaluator.size()) {
    out_.sources.assign(evaluator.inputs().reads.size(), relation::BitSet(evaluator.size()));
    out_.orders.assign(choices.orders.size(), BitMatrix(evaluator.size()));
  }

  void add(const relation::Constraint& axiom) {
    const auto* r = std::get_if<Rel>(&axiom.expression);
    if (axiom.negated || r == nullptr || !evaluator_.is_dynamic(*r)) return;
    BitMatrix demand(evaluator_.size());
    if (axiom.test == relation::Test::acyclic) {
      BitMatrix closed = evaluator_.value(*r);
      closed.close();
      demand.assign_inverse(reflexive(std::move(closed)));
    } else if (axiom.test == relation::Test::irreflexive) {
      demand = reflexive(std::move(demand));
    } else {
      relation::BitSet all(evaluator_.size());
      all.set_all();
      demand.assign_product(all, all);
    }
    add(*r, demand);
  }

  // A node's operands are earlier nodes; only a variable's body is a later one.
  Refuted pass_on() {
    while (!open_.empty()) {
      const Rel r{*open_.begin()};
      open_.erase(open_.begin());
      const BitMatrix& demand = demands_[r.index];  // nothing passes any on to itself
      std::visit([&](const auto& node) { pass_on(node, demand); }, evaluator_.tree().node(r));
    }
    return std::move(out_);
  }

 private:
  void add(Rel r, const BitMatrix& demand) {
    if (!evaluator_.is_dynamic(r) || demand.empty()) return;
    BitMatrix& known = demands_[r.index];
    if (known.size() != 0 && known.contains(demand)) return;
    if (known.size() == 0) {
      known = demand;
    } else {
      known |= demand;
    }
    open_.insert(r.index);
  }

  // The (y, z) with (x, y) in a and (x, z) in demand for some x: what b may not have in `a ; b`. In other_.
  const BitMatrix& after(const BitMatrix& a, const BitMatrix& demand) {
    one_.assign_inverse(a);
    other_.assign_sequence(one_, demand);
    return other_;
  }

  // The (x, y) with (x, z) in demand and (y, z) in b for some z: what a may not have in `a ; b`. In one_.
  const BitMatrix& before(const BitMatrix& demand, const BitMatrix& b) {
    one_.assign_inverse(demand);
    other_.assign_sequence(b, one_);
    one_.assign_inverse(other_);
    return one_;
  }

  void pass_on(const relation::BaseRel&, const BitMatrix& demand) {  // reads-from
    const auto& reads = evaluator_.inputs().reads;
    for (std::size_t k = 0; k < reads.size(); ++k) {
      reads[k].writers.for_each([&](std::size_t w) {
        if (demand.test(w, reads[k].event)) out_.sources[k].set(w);
      });
    }
  }
  void pass_on(const relation::OrderChoice& n, const BitMatrix& demand) { out_.orders[n.order] |= demand; }
  void pass_on(const relation::FromReads& n, const BitMatrix& demand) {
    const BitMatrix& co = evaluator_.value(n.co);
    const auto& reads = evaluator_.inputs().reads;
    BitMatrix on_coherence(demand.size());
    for (std::size_t k = 0; k < reads.size(); ++k) {
      relation::BitSet later = reads[k].writers;
      Word* words = later.data();
      for (std::size_t w = 0; w < later.words(); ++w) words[w] &= demand.row(reads[k].event)[w];
      if (later.empty()) continue;
      for (std::size_t w = 0; w < co.size(); ++w) {
        if (meet(co.row(w), words, later.words())) out_.sources[k].set(w);
      }
      if (choices_.sources[k] != Choices::kNone)
        unite(on_coherence.row(choices_.sources[k]), words, later.words());
    }
    add(n.co, on_coherence);
  }
  void pass_on(const relation::Union& n, const BitMatrix& demand) { add(n.a, demand), add(n.b, demand); }
  void pass_on(const relation::Intersection& n, const BitMatrix& demand) {
    const auto with = [&](Rel other) -> const BitMatrix& {
      one_ = demand;
      return one_ &= evaluator_.value(other);
    };
    add(n.a, with(n.b)), add(n.b, with(n.a));
  }
  void pass_on(const relation::Difference& n, const BitMatrix& demand) {
    if (evaluator_.is_dynamic(n.b)) return;  // a lower bound of b says nothing about what is not in it
    one_ = demand;
    add(n.a, one_ -= evaluator_.value(n.b));
  }
  void pass_on(const relation::Sequence& n, const BitMatrix& demand) {
    if (evaluator_.is_dynamic(n.a)) add(n.a, before(demand, evaluator_.value(n.b)));
    if (evaluator_.is_dynamic(n.b)) add(n.b, after(evaluator_.value(n.a), demand));
  }
  void pass_on(const relation::Inverse& n, const BitMatrix& demand) {
    one_.assign_inverse(demand);
    add(n.a, one_);
  }
  void pass_on(const relation::Closure& n, const BitMatrix& demand) {
    BitMatrix closed = evaluator_.value(n.a);
    closed.close();
    const BitMatrix around = reflexive(std::move(closed));
    add(n.a, before(after(around, demand), around));
  }
  void pass_on(const relation::Variable& n, const BitMatrix& demand) {
    add(evaluator_.tree().groups()[n.group].bodies[n.member], demand);
  }
  // Sets that depend on choices pass nothing on.
  void pass_on(const relation::Restrict&, const BitMatrix&) {}
  void pass_on(const relation::Product&, const BitMatrix&) {}
  void pass_on(const relation::EmptyRel&, const BitMatrix&) {}
  void pass_on(const relation::Identity&, const BitMatrix&) {}

  const Evaluator& evaluator_;
  const Choices& choices_;
  std::vector<BitMatrix> demands_;                             // per relation; of size 0 until there is one
  std::set<std::uint32_t, std::greater<std::uint32_t>> open_;  // demands not passed on yet
  BitMatrix one_, other_;                                      // what is added next, and what it is made of
  Refuted out_;
};

}  // namespace

Refuted refuted_choices(const Evaluator& evaluator, const std::vector<const relation::Constraint*>& axioms,
                        const Choices& choices) {
  Demands demands(evaluator, choices);
  for (const relation::Constraint* axiom : axioms) demands.add(*axiom);
  return demands.pass_on();
}

}  // namespace ptxmc::engine::explicit_
