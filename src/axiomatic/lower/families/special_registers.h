// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// Predefined registers (chapter 10): those that tell a thread's place, and the others, which are terms.
class SpecialRegisters : ThreadContext {
 public:
  explicit SpecialRegisters(const ThreadContext& context) : ThreadContext(context) {}

  /// What a register holds now; one that changes by itself is another term at each read.
  Typed held(const std::string& name) const;

 private:
  std::optional<event::Value> special_value(const std::string& name) const;
  Expr unknown_special(const std::string& name, Width width) const;
};

}  // namespace ptxmc::lower
