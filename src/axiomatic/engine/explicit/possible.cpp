// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/possible.h"

#include <variant>

#include "support/overloaded.h"

namespace ptxmc::engine::explicit_ {

namespace {

using relation::BitMatrix;
using relation::Rel;
using relation::Set;

class Possible {
 public:
  explicit Possible(const Evaluator& evaluator) : evaluator_(evaluator) {}

  BitMatrix of(Rel r) const {
    if (!evaluator_.is_dynamic(r)) return evaluator_.value(r);
    return std::visit([this](const auto& node) { return of(node); }, evaluator_.tree().node(r));
  }

 private:
  BitMatrix none() const { return BitMatrix(evaluator_.size()); }
  BitMatrix all() const {
    relation::BitSet everything(evaluator_.size());
    everything.set_all();
    BitMatrix out = none();
    out.assign_product(everything, everything);
    return out;
  }
  relation::BitSet of(Set s) const {
    if (!evaluator_.is_dynamic(s)) return evaluator_.value(s);
    relation::BitSet out(evaluator_.size());
    out.set_all();
    return out;
  }

  // The only base relation that depends on choices is reads-from.
  BitMatrix of(const relation::BaseRel&) const {
    BitMatrix out = none();
    for (const Inputs::Read& read : evaluator_.inputs().reads)
      read.writers.for_each([&](std::size_t w) { out.set(w, read.event); });
    return out;
  }
  BitMatrix of(const relation::FromReads&) const {
    BitMatrix out = none();
    for (const Inputs::Read& read : evaluator_.inputs().reads)
      read.writers.for_each([&](std::size_t w) { out.set(read.event, w); });
    return out;
  }
  BitMatrix of(const relation::EmptyRel&) const { return none(); }
  BitMatrix of(const relation::Identity&) const {
    BitMatrix out = none();
    for (std::size_t i = 0; i < evaluator_.size(); ++i) out.set(i, i);
    return out;
  }
  BitMatrix of(const relation::Restrict& n) const {
    BitMatrix out = none();
    out.assign_identity(of(n.s));
    return out;
  }
  BitMatrix of(const relation::Product& n) const {
    BitMatrix out = none();
    out.assign_product(of(n.a), of(n.b));
    return out;
  }
  BitMatrix of(const relation::Union& n) const {
    BitMatrix out = of(n.a);
    out |= of(n.b);
    return out;
  }
  BitMatrix of(const relation::Intersection& n) const {
    BitMatrix out = of(n.a);
    out &= of(n.b);
    return out;
  }
  BitMatrix of(const relation::Difference& n) const {
    const BitMatrix from = of(n.a);
    BitMatrix out = none();
    from.for_each([&](std::size_t a, std::size_t b) {
      if (!evaluator_.in_base(n.b, a, b)) out.set(a, b);
    });
    return out;
  }
  BitMatrix of(const relation::Sequence& n) const {
    BitMatrix out = none();
    out.assign_sequence(of(n.a), of(n.b));
    return out;
  }
  BitMatrix of(const relation::Inverse& n) const {
    BitMatrix out = none();
    out.assign_inverse(of(n.a));
    return out;
  }
  BitMatrix of(const relation::Closure& n) const {
    BitMatrix out = of(n.a);
    out.close();
    return out;
  }
  BitMatrix of(const relation::OrderChoice&) const { return all(); }
  BitMatrix of(const relation::Variable&) const { return all(); }

  const Evaluator& evaluator_;
};

}  // namespace

BitMatrix possible_pairs(const Evaluator& evaluator, Rel r) {
  return Possible(evaluator).of(r);
}

}  // namespace ptxmc::engine::explicit_
