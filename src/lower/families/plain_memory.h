// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "lower/families/accesses.h"
#include "lower/families/addresses.h"
#include "lower/families/context.h"
#include "lower/families/register_words.h"
#include "lower/families/registers.h"
#include "lower/families/state.h"
#include "lower/families/tiles.h"

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
