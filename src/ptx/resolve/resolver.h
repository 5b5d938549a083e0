// SPDX-License-Identifier: Apache-2.0
// One thread's statements on their way to instructions; internal to src/ptx/resolve. instruction.cpp finds the form of
// each statement and matches its operands with the form's shape; operands.cpp reads one operand.
#pragma once

#include <string>
#include <utility>

#include "ptx/isa/table.h"
#include "ptx/resolve/code.h"

namespace ptxmc::resolve {

class CodeResolver {
 public:
  CodeResolver(const Context& context, Code& code) : context_(context), code_(code) {}

  void run();

 private:
  bool is_register(const RawName& name) const {
    return name.percent || context_.names.is_register(name.name) || code_.bare_registers.contains(name.name);
  }
  void error(Position position, std::string message) { context_.errors.error(position, std::move(message)); }

  bool instruction(const RawStatement& raw, program::Instruction& out);
  bool guard(const RawStatement& raw, program::Instruction& out);
  bool native_rules(const RawStatement& raw, const program::Instruction& out);
  bool map_size(const program::Instruction& out);
  void read_through_constant_name(program::Instruction& out);
  bool is_short_move(const RawStatement& raw) const;
  bool operands(const RawStatement& raw, const isa::Resolved& form, program::Instruction& out);
  bool operand(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool as_integers(RawOperand& operand, const isa::Place& place, const isa::Modifiers& modifiers);
  bool elements(const RawOperand& raw, const isa::Place& place, const isa::Resolved& form,
                const program::Instruction& out);
  bool coordinates(const RawOperand& raw, const isa::Modifiers& modifiers);
  bool fragment_size(const RawOperand& raw, isa::Role role, const isa::Resolved& form);
  bool destination(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool source(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool predicate(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool address(const RawOperand& raw, program::Operand& out);
  bool tensor(const RawOperand& raw, program::Operand& out);
  bool label(const RawOperand& raw, program::Operand& out);
  void unknown_label(const RawName& name);
  bool object(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool device(const RawOperand& raw, program::Operand& out);
  bool integer(const RawOperand& raw, program::Operand& out);
  bool fragment(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool descriptor(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool pair(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool vector(const RawOperand& raw, isa::Kind kind, program::Operand& out);
  bool mismatch(const RawOperand& raw, isa::Kind kind);
  std::string found(const RawOperand& raw) const;
  void note(const RawName& name, bool write);
  void note(const RawOperand& raw, isa::Kind kind);

  const Context& context_;
  Code& code_;
  std::vector<RegisterUse> uses_;  // of the instruction at hand
};

}  // namespace ptxmc::resolve
