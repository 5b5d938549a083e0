// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/access.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// The upper half of a .b128 register, or of an integer of 128 bits.
Operand upper_operand(const Operand& operand);

/// Registers as the words of an access: vectors `{...}`, packed pairs, .b128 registers.
class RegisterWords : ThreadContext {
 public:
  explicit RegisterWords(const ThreadContext& context) : ThreadContext(context) {}

  bool whole_vector(const Instruction& instruction) const;
  Access element_of(const Instruction& instruction, const Access& scalar) const;
  Words divided(const Words& words, const Access& whole, const Access& element);
  Words joined(const Words& words, const Access& element, const Access& whole);
  Words stored_words(const Instruction& instruction, const State& state, const Operand& source,
                     const Access& scalar);
  void write_words(State& state, const Instruction& instruction, const Operand& destination,
                   const Words& words, const Access& scalar);
  void move_parts(const Instruction& instruction, State& state);

 private:
  Registers registers_{*this};
};

}  // namespace ptxmc::lower
