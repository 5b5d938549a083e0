// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "axiomatic/lower/families/accesses.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/register_words.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"

namespace ptxmc::lower {

/// ld and st.
class PlainMemory : ThreadContext {
 public:
  explicit PlainMemory(const ThreadContext& context) : ThreadContext(context) {}

  void load(const Instruction& instruction, State& state);
  void store(const Instruction& instruction, State& state);
  void discard(const Instruction& instruction, State& state);

 private:
  std::optional<Expr> constant_word(const Instruction& instruction, const State& state);

  Registers registers_{*this};
  Addresses addresses_{*this};
  RegisterWords words_{*this};
  Accesses accesses_{*this};
  Tiles tiles_{*this};
};

}  // namespace ptxmc::lower
