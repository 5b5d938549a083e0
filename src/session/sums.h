// SPDX-License-Identifier: Apache-2.0
// Expressions as sums of truth values and of other parts, each so many times: which numbers they may be, and whether two of
// them may differ by a number. An index that counts lanes is such a sum.
#pragma once

#include <cstdint>
#include <functional>
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

class Sums {
 public:
  explicit Sums(const event::ExprPool& pool) : pool_(pool) {}
  /// The expression is the sum, but for multiples of 2^w for its width w. Nothing: it is none, or parts are too large.
  std::optional<Sum> of(event::Expr value);
  static std::optional<Sum> difference(const Sum& a, const Sum& b);
  /// `truth`: of a truth value that is known.
  using Truth = std::function<std::optional<bool>(event::Expr)>;
  SumRange range(const Sum& sum, const Truth& truth) const;

 private:
  std::optional<Sum> made(event::Expr value);
  std::optional<Sum> truth(event::Expr value);
  std::optional<Sum> extended(const event::Node& node);
  std::optional<Sum> chosen(const event::Node& node);
  std::optional<Sum> part(event::Expr value) const;
  std::int64_t most_of(event::Expr part) const;

  const event::ExprPool& pool_;
  std::map<event::Expr, std::optional<Sum>> known_;
  unsigned depth_ = 0;
};

}  // namespace ptxmc::session
