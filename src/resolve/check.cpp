// SPDX-License-Identifier: Apache-2.0
#include "resolve/check.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "isa/opcode.h"

namespace ptxmc::resolve {

namespace {

using program::Instruction;
using program::Operand;

/// The type that an instruction asks for in a place; nothing where it is that of something else.
std::optional<isa::Type> type_of(const isa::Place& place, const isa::Modifiers& m) {
  if (m.packed != isa::Packed::none) return std::nullopt;
  switch (place.width) {
    case isa::Width::type:
    case isa::Width::at_least_type:
      return m.type;
    case isa::Width::at_least_source:
      return m.source_type ? m.source_type : m.type;
    default:
      return std::nullopt;
  }
}

/// Bits agree with everything, integers with integers, floating numbers with those of their format.
bool agree(const isa::Type& asked, const isa::Type& declared) {
  if (asked.cls == isa::TypeClass::bits || declared.cls == isa::TypeClass::bits) return true;
  if (asked.is_floating() != declared.is_floating()) return false;
  return !asked.is_floating() || asked.format == declared.format;
}

class Checker {
 public:
  Checker(ptx::Errors& errors, const Code& code) : errors_(errors), code_(code) {
    for (const program::RegisterDeclaration& declared : code.registers)
      declared_.emplace(declared.name, declared.type);
  }

  void run() {
    for (const Instruction& instruction : code_.code) {
      for (const Operand& operand : instruction.operands) {
        const std::optional<isa::Use> use = program::use_of(operand, instruction.modifiers);
        if (!use || use->bits == 1) continue;
        if (const auto* r = std::get_if<program::Register>(&operand.value))
          check(instruction, operand, *use, r->name);
        const auto* vector = std::get_if<program::VectorOperand>(&operand.value);
        if (vector == nullptr) continue;
        for (const auto& element : vector->elements) {
          if (const auto* r = std::get_if<program::Register>(&element))
            check(instruction, operand, *use, r->name);
        }
      }
    }
  }

 private:
  void check(const Instruction& instruction, const Operand& operand, isa::Use use, const std::string& name) {
    const auto found = declared_.find(name);
    if (found == declared_.end() || found->second.bits == 1) return;
    const isa::Type declared = found->second;
    const std::string mnemonic = isa::mnemonic(instruction.opcode, instruction.modifiers);
    if (declared.bits != use.bits && (use.exact || declared.bits < use.bits)) {
      return errors_.error(operand.position,
                           fmt::format("register `%{}` has {} bits, `{}` takes {}{} here (9.4.1)", name,
                                       declared.bits, mnemonic, use.bits, use.exact ? "" : " or more"));
    }
    const std::optional<isa::Type> type = type_of(operand.place, instruction.modifiers);
    if (!type || agree(*type, declared)) return;
    errors_.error(operand.position, fmt::format("register `%{}` is of type .{}, `{}` takes .{} here (9.4.1)",
                                                name, isa::name_of(declared), mnemonic, isa::name_of(*type)));
  }

  ptx::Errors& errors_;
  const Code& code_;
  std::unordered_map<std::string_view, isa::Type> declared_;
};

}  // namespace

void check_registers(ptx::Errors& errors, const Code& code) {
  Checker(errors, code).run();
}

}  // namespace ptxmc::resolve
