// SPDX-License-Identifier: Apache-2.0
// Words: arithmetic on bit patterns as circuits, for values that are too many to list.
#pragma once

#include <vector>

#include "axiomatic/engine/smt/circuit.h"
#include "axiomatic/event/expr.h"

namespace ptxmc::engine::smt {

using Word = std::vector<Lit>;  ///< least significant bit first; unbounded integers have 64 bits

class Words {
 public:
  explicit Words(Circuit& circuit) : circuit_(circuit) {}

  static std::size_t bits(event::Width width) { return width == event::kUnbounded ? 64 : width; }
  Word constant(event::Value value, event::Width width) const;
  Word fresh(event::Width width);
  Word choose(Lit condition, const Word& then, const Word& otherwise);
  Lit equal(const Word& a, const Word& b);
  /// op on operands, as event::apply computes it. `overflow` collects where unbounded integers leave 64 bits.
  Word apply(event::Op op, event::Width width, const Word& a, const Word& b, std::vector<Lit>& overflow);

 private:
  struct Sum {
    Word word;
    Lit carry;  // out of the highest bit
    Lit signed_overflow;
  };
  Sum add(const Word& a, const Word& b, Lit carry);
  Word negate(const Word& a);
  Word invert(Word a) const;
  Word absolute(const Word& a) { return choose(a.back(), negate(a), a); }
  Word multiply(const Word& a, const Word& b);
  struct Quotient {
    Word quotient, remainder;
  };
  Quotient divide(const Word& a, const Word& b);
  Word divide_signed(bool remainder, const Word& a, const Word& b);
  Word shift(event::Op op, const Word& a, const Word& amount);
  Lit less(const Word& a, const Word& b, bool is_signed);
  Lit any(const Word& a) { return circuit_.disjunction(a); }
  Word extend(const Word& a, std::size_t size, bool is_signed) const;
  Word fixed(event::Op op, const Word& a, const Word& b);
  Word unbounded(event::Op op, const Word& a, const Word& b, std::vector<Lit>& overflow);
  Word comparison(event::Op op, const Word& a, const Word& b);

  Circuit& circuit_;
};

}  // namespace ptxmc::engine::smt
