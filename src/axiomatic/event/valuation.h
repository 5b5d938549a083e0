// SPDX-License-Identifier: Apache-2.0
// Valuation: numbers for the terms of a program (expr.h).
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "axiomatic/event/expr.h"

namespace ptxmc::event {

struct Valuation {
  /// A function's name, the widths of its result and its operands, and the operands' values.
  struct Call {
    Value function = 0;
    Width width = 64, width_a = 64, width_b = 1;
    Value a = 0, b = 0;
    friend auto operator<=>(const Call&, const Call&) = default;
  };
  std::vector<Value> terms;         // by id; empty: every term has its sample
  std::map<Call, Value> functions;  // calls that are not listed give zero

  Value of_term(const ExprPool& pool, std::uint32_t id) const {
    return id < terms.size() ? terms[id] : wrap(pool.terms()[id].sample, pool.terms()[id].width);
  }
  Value of_call(const Call& call) const {
    const auto it = functions.find(call);
    return it == functions.end() ? 0 : it->second;
  }
};

}  // namespace ptxmc::event
