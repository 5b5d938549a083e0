// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "lower/families/context.h"
#include "lower/families/state.h"

namespace ptxmc::lower {

/// The predefined registers that tell a thread's place (chapter 10).
class SpecialRegisters : ThreadContext {
 public:
  explicit SpecialRegisters(const ThreadContext& context) : ThreadContext(context) {}

  event::Value special_value(const std::string& name) const;
};

}  // namespace ptxmc::lower
