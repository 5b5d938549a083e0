// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/register_words.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// f(a1, a2, ...), of the function that `name` names: equal arguments give equal results, and nothing else is known.
Expr unknown_function(event::ExprPool& pool, const std::string& name, Width width,
                      const std::vector<Expr>& arguments);

/// The same, of a truth: whether a number is not zero, as terms are numbers.
Expr unknown_truth(event::ExprPool& pool, const std::string& name, const std::vector<Expr>& arguments);

/// Instructions on registers that are no single operation: those on bits, and functions of floating numbers.
class Functions : ThreadContext {
 public:
  explicit Functions(const ThreadContext& context) : ThreadContext(context) {}

  void compute(const Instruction& instruction, State& state);
  void apply_unknown(const Instruction& instruction, State& state);

 private:
  void check_limit(const Instruction& instruction, const State& state);
  std::vector<Expr> sources(const Instruction& instruction, const State& state);

  Registers registers_{*this};
};

}  // namespace ptxmc::lower
