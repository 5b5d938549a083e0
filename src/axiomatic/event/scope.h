// SPDX-License-Identifier: Apache-2.0
// Which threads a scope includes (8.5).
#pragma once

#include "axiomatic/event/program_graph.h"

namespace ptxmc::event {

/// The next wider scope; there is none above .sys.
constexpr isa::Scope wider(isa::Scope scope) {
  return static_cast<isa::Scope>(static_cast<int>(scope) + 1);
}

/// Does this scope, of an operation of `from`, include `to`?
bool includes(isa::Scope scope, const ThreadInfo& from, const ThreadInfo& to);

/// The narrowest scope by which each includes the other.
isa::Scope common_scope(const ThreadInfo& a, const ThreadInfo& b);

}  // namespace ptxmc::event
