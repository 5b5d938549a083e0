// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "axiomatic/lower/families/access.h"
#include "axiomatic/lower/families/accesses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"

namespace ptxmc::lower {

/// Asynchronous reductions: each element of the destination is an atomic of its own.
class Reductions : ThreadContext {
 public:
  explicit Reductions(const ThreadContext& context) : ThreadContext(context) {}

  Words element_words(const Instruction& instruction, const Tile& tile, const Words& cells);
  std::vector<EventId> reduce_tile(const Instruction& instruction, const Tile& to, EventId issue, Expr guard,
                                   const Words& words);

 private:
  Accesses accesses_{*this};
};

}  // namespace ptxmc::lower
