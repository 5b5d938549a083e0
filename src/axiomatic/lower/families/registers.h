// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// Registers and operands of the thread: what instructions read and write.
class Registers : ThreadContext {
 public:
  explicit Registers(const ThreadContext& context) : ThreadContext(context) {}

  Typed read_register(const State& state, const std::string& name) const;
  Expr read_number(const State& state, const std::string& name, Width width, Position position);
  Expr base_register(const State& state, const program::Address& address, Position position);
  Expr operand(const State& state, const Operand& operand, Width width);  ///< any source operand at a width
  Expr predicate_operand(const State& state, const Operand& operand);
  /// A number that is known: a size, a count, a mask.
  std::uint32_t constant_operand(const State& state, const Operand& source, const char* what);
  /// The only destination of an instruction.
  void write_register(State& state, const Instruction& instruction, const Operand& destination, Typed value);

  Expr predicate(const Instruction& instruction, const State& state);  ///< @p; true without one
  /// Path and predicate; adds decisions.
  Expr event_guard(const Instruction& instruction, const State& state);
  Expr branch_condition(const Instruction& instruction, const State& state);
  Width operation_width(const Instruction& instruction) const;
  bool operation_signed(const Instruction& instruction) const;

  /// The register that an operand names.
  const std::string& destination_of(const Operand& operand) const;
  /// The value as the register is declared to hold it.
  Typed fitted(const std::string& name, Position position, Typed value) const;
  /// The register has the value where `executed` holds.
  void assign(State& state, const std::string& name, Typed value, Expr executed);
  Expr read_predicate(const State& state, const std::string& name, bool negated, Position position);
};

/// The registers that one instruction writes. Its predicate is read before any of them is written.
class Results {
 public:
  Results(Registers& registers, const Instruction& instruction, State& state)
      : registers_(registers), instruction_(instruction), state_(state) {}

  void write(const Operand& destination, Typed value);  ///< a register, or `_`
  void write(const std::string& name, Position position, Typed value);

 private:
  Registers& registers_;
  const Instruction& instruction_;
  State& state_;
  std::optional<Expr> executed_;
};

}  // namespace ptxmc::lower
