// SPDX-License-Identifier: Apache-2.0
// One thread's statements on their way to instructions; internal to src/litmus. resolve.cpp finds the form of
// each statement and matches its operands with the form's shape; resolve_operands.cpp reads one operand.
#pragma once

#include <string>
#include <utility>

#include "isa/table.h"
#include "litmus/raw.h"

namespace ptxmc::litmus {

class CodeResolver {
 public:
  CodeResolver(ParseState& state, RawThread& thread, isa::Notation notation)
      : state_(state), thread_(thread), notation_(notation) {}

  void run();

 private:
  bool is_register(const RawName& name) const {
    return name.percent || is_bare_register(name.name) || thread_.bare_registers.count(name.name) != 0;
  }
  void error(Position position, std::string message) { state_.errors.error(position, std::move(message)); }

  bool instruction(const RawStatement& raw, Instruction& out);
  bool guard(const RawStatement& raw, Instruction& out);
  bool native_rules(const RawStatement& raw, const Instruction& out);
  void read_through_constant_name(Instruction& out);
  bool is_short_move(const RawStatement& raw) const;
  bool operands(const RawStatement& raw, const isa::Resolved& form, Instruction& out);
  bool operand(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool as_integers(RawOperand& operand, const isa::Place& place, const isa::Modifiers& modifiers);
  bool elements(const RawOperand& raw, const isa::Place& place, const isa::Resolved& form,
                const Instruction& out);
  bool fragment_size(const RawOperand& raw, isa::Role role, const isa::Resolved& form);
  bool destination(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool source(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool predicate(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool address(const RawOperand& raw, Operand& out);
  bool tensor(const RawOperand& raw, Operand& out);
  bool label(const RawOperand& raw, Operand& out);
  bool object(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool device(const RawOperand& raw, Operand& out);
  bool integer(const RawOperand& raw, Operand& out);
  bool fragment(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool descriptor(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool pair(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool vector(const RawOperand& raw, isa::Kind kind, Operand& out);
  bool mismatch(const RawOperand& raw, isa::Kind kind);
  std::string found(const RawOperand& raw) const;
  void note(const RawName& name, bool write);
  void note(const RawOperand& raw, isa::Kind kind);

  ParseState& state_;
  RawThread& thread_;
  isa::Notation notation_;
  std::vector<RegisterUse> uses_;  // of the instruction at hand
};

}  // namespace ptxmc::litmus
