// SPDX-License-Identifier: Apache-2.0
// SymbolicValue: what an expression is worth where every read has its source but terms have no numbers: a number, or
// an expression over terms.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/event/expr.h"
#include "axiomatic/event/valuation.h"

namespace ptxmc::event {

struct SymbolicValue {
  Value value = 0;  ///< of a number
  Expr expr;        ///< of the Symbols that made it; index 0: a number
  bool is_number() const { return expr.index == 0; }
  friend auto operator<=>(const SymbolicValue&, const SymbolicValue&) = default;
};

/// The data of one run, hash-consed.
class Symbols {
 public:
  explicit Symbols(const ExprPool& names) : pool_(ExprPool::with_names_of(names)) {}

  /// The operation of `node`, of the pool `from`, on data for its operands. Throws Overflow.
  SymbolicValue apply(const ExprPool& from, const Node& node, SymbolicValue a, SymbolicValue b,
                      SymbolicValue c);
  SymbolicValue term(std::uint32_t id) { return {0, pool_.term(id)}; }
  /// A datum as an expression of `pool()`.
  Expr expr(SymbolicValue datum, Width width) {
    return datum.is_number() ? pool_.constant(datum.value, width) : datum.expr;
  }
  SymbolicValue datum(Expr e) const {
    return pool_.is_constant(e) ? SymbolicValue{pool_[e].constant, {}} : SymbolicValue{0, e};
  }
  Value value(SymbolicValue datum, const Valuation& valuation) const;
  ExprPool& pool() { return pool_; }
  const ExprPool& pool() const { return pool_; }

 private:
  ExprPool pool_;
};

/// A number that only structure decides: equal expressions of any pools have equal ones.
std::uint64_t structure(const ExprPool& pool, Expr e);

}  // namespace ptxmc::event
