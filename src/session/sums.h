// SPDX-License-Identifier: Apache-2.0
// Expressions as sums of truth values and of other parts, each so many times: which numbers they may be, and whether two of
// them may differ by a number. An index that counts lanes is such a sum.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "axiomatic/event/expr.h"

namespace ptxmc::session {

struct Sum {
  std::map<event::Expr, std::int64_t> times;
  std::int64_t number = 0;
};

/// The bounds of a sum, and what all of its numbers are multiples of, from the least one on; 0: it is one number.
struct SumRange {
  std::int64_t least = 0, most = 0, step = 0;
};

/// What conditions say of expressions.
class SumFacts {
 public:
  struct Bounds {
    std::int64_t least = 0, most = 0;
  };
  virtual ~SumFacts() = default;
  /// What they say of a truth value; nothing: they do not tell.
  virtual std::optional<bool> truth(event::Expr) const { return std::nullopt; }
  /// Bounds of a value of more bits, as a signed number that is not negative. Nothing: the same.
  virtual std::optional<Bounds> bounds(event::Expr) const { return std::nullopt; }
};

class Sums {
 public:
  explicit Sums(const event::ExprPool& pool) : pool_(pool) {}
  /// The expression is the sum, but for multiples of 2^w for its width w. Nothing: it is none, or parts are too large.
  std::optional<Sum> of(event::Expr value);
  static std::optional<Sum> difference(const Sum& a, const Sum& b);
  SumRange range(const Sum& sum, const SumFacts& known) const;

 private:
  std::optional<Sum> made(event::Expr value);
  std::optional<Sum> truth(event::Expr value);
  std::optional<Sum> extended(const event::Node& node);
  std::optional<Sum> chosen(const event::Node& node);
  std::optional<Sum> part(event::Expr value) const;
  SumFacts::Bounds bounds_of(event::Expr part, const SumFacts& known) const;
  std::int64_t most_of(event::Expr value, unsigned depth = 0) const;
  std::int64_t shifted_most(event::Expr value, unsigned by, unsigned depth) const;
  std::int64_t unit_of(event::Expr value, unsigned depth = 0) const;
  /// A value as another one divided by a number.
  struct Quotient {
    event::Expr dividend;
    std::int64_t divisor = 0;
  };
  event::Expr whole_of(event::Expr value) const;
  std::optional<Quotient> quotient_of(event::Expr value, std::int64_t divisor) const;
  bool add_remainder(const Sum& sum, event::Expr quotient, std::map<event::Expr, std::int64_t>& rest,
                     SumRange& out) const;

  const event::ExprPool& pool_;
  std::map<event::Expr, std::optional<Sum>> known_;
  unsigned depth_ = 0;
};

}  // namespace ptxmc::session
