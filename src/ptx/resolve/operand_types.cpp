// SPDX-License-Identifier: Apache-2.0
#include "ptx/resolve/operand_types.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"

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
    case isa::Width::source:
      return m.source_type ? m.source_type : m.type;
    default:
      return std::nullopt;
  }
}

/// Bits agree with everything, integers with integers, floating numbers with those of their format.
bool agree(const isa::Type& asked, const isa::Type& declared) {
  if (asked.cls == isa::TypeClass::bits || declared.cls == isa::TypeClass::bits) return true;
  const bool packed = declared.format == isa::Float::f16x2 || declared.format == isa::Float::bf16x2;
  if (asked.is_floating() != declared.is_floating()) return packed;  // as the assembler takes them
  return !asked.is_floating() || asked.format == declared.format;
}

/// Words that once had 16 bits still move to 16 (10.1 to 10.7).
bool is_of_place(const std::string& name) {
  return name.starts_with("tid") || name.starts_with("ntid") || name.starts_with("ctaid") ||
         name.starts_with("nctaid");
}

class Checker {
 public:
  Checker(const Context& context, const Code& code) : context_(context), code_(code) {
    for (const program::RegisterDeclaration& declared : code.registers)
      declared_.emplace(declared.name, declared.type);
  }

  void run() {
    for (const Instruction& instruction : code_.code) {
      if (instruction.guard) asked(instruction, instruction.guard->reg, {1, true}, instruction.position);
      for (const Operand& operand : instruction.operands) check(instruction, operand);
    }
  }

 private:
  void error(Position position, std::string message) { context_.errors.error(position, std::move(message)); }

  /// Null: nothing declares it.
  const isa::Type* find(const std::string& name) const {
    const auto found = declared_.find(name);
    return found == declared_.end() ? nullptr : &found->second;
  }

  static std::string mnemonic(const Instruction& instruction) {
    return isa::mnemonic(instruction.opcode, instruction.modifiers);
  }

  void check(const Instruction& instruction, const Operand& operand) {
    if (const auto* r = std::get_if<program::Register>(&operand.value))
      special(instruction, operand, r->name);
    unreturned(instruction, operand);
    if (const auto* v = std::get_if<program::AddressOf>(&operand.value))
      variable(instruction, operand, v->variable);
    if (const auto* a = std::get_if<program::Address>(&operand.value))
      return address(instruction, a->base_register, operand);
    if (const auto* t = std::get_if<program::TensorAddress>(&operand.value)) {
      for (const auto& coordinate : t->coordinates) {
        if (const auto* r = std::get_if<program::Register>(&coordinate))
          asked(instruction, r->name, {32, true}, operand.position);
      }
      return address(instruction, t->map.base_register, operand);
    }
    const auto* vector = std::get_if<program::VectorOperand>(&operand.value);
    const std::size_t elements = vector == nullptr ? 0 : vector->elements.size();
    const std::optional<isa::Use> use = isa::use_of(operand.place, instruction.modifiers, elements);
    if (operand.place.role == isa::Role::source_bytes) return word_or_predicate(instruction, operand);
    if (!use) return;
    if (const auto* r = std::get_if<program::Register>(&operand.value))
      of(instruction, r->name, *use, operand);
    if (const auto* r = std::get_if<program::NegatedRegister>(&operand.value))
      of(instruction, r->name, *use, operand);
    if (const auto* pair = std::get_if<program::RegisterPair>(&operand.value)) {
      of(instruction, pair->first, *use, operand);
      asked(instruction, pair->second, {1, true}, operand.position);
    }
    if (vector == nullptr) return;
    for (const auto& element : vector->elements) {
      if (const auto* r = std::get_if<program::Register>(&element)) of(instruction, r->name, *use, operand);
    }
  }

  /// cp.async (9.7.8.24.3): src-size in 32 bits, or ignore-src, a predicate.
  void word_or_predicate(const Instruction& instruction, const Operand& operand) {
    const auto* r = std::get_if<program::Register>(&operand.value);
    const isa::Type* declared = r == nullptr ? nullptr : find(r->name);
    if (declared != nullptr && declared->bits != 1) asked(instruction, r->name, {32, true}, operand.position);
  }

  /// A register that is read or written by itself.
  void of(const Instruction& instruction, const std::string& name, isa::Use use, const Operand& operand) {
    if (!asked(instruction, name, use, operand.position)) return;
    const isa::Type* declared = find(name);
    const std::optional<isa::Type> type = type_of(operand.place, instruction.modifiers);
    if (!type || declared == nullptr || agree(*type, *declared)) return;
    error(operand.position, fmt::format("register `%{}` is of type .{}, `{}` takes .{} here (9.4.1)", name,
                                        isa::name_of(*declared), mnemonic(instruction), isa::name_of(*type)));
  }

  /// Is it as wide as it must be, and a predicate where it must be one?
  bool asked(const Instruction& instruction, const std::string& name, isa::Use use, Position position) {
    const isa::Type* declared = find(name);
    if (declared == nullptr) return true;
    const std::uint32_t bits = declared->bits;
    if (bits == use.bits || (use.byte && bits == 8) || (!use.exact && bits > use.bits && use.bits != 1))
      return true;
    if (use.bits == 1 || bits == 1) {
      error(position, fmt::format("register `%{}` is {} predicate, `{}` takes {} here (9.4.1)", name,
                                  bits == 1 ? "a" : "no", mnemonic(instruction),
                                  bits == 1 ? fmt::format("{} bits", use.bits) : "one"));
    } else {
      error(position, fmt::format("register `%{}` has {} bits, `{}` takes {}{} here (9.4.1)", name, bits,
                                  mnemonic(instruction), use.bits, use.exact ? "" : " or more"));
    }
    return false;
  }

  /// 6.4.1: an address has 32 or 64 bits; 9.7.16.2: 32 in tensor memory.
  void address(const Instruction& instruction, const std::string& name, const Operand& operand) {
    const isa::Type* declared = find(name);
    const Position position = operand.position;
    if (operand.place.fixed == isa::Space::tensor) {
      asked(instruction, name, {32, true}, position);
      return;
    }
    if (declared == nullptr || ((declared->bits == 32 || declared->bits == 64) && !declared->is_floating()))
      return;
    error(position,
          fmt::format("register `%{}` is of type .{}, an address of `{}` is in one of 32 or 64 bits", name,
                      isa::name_of(*declared), mnemonic(instruction)));
  }

  /// Chapter 10: mov and cvt read them, mov as wide as they are.
  void special(const Instruction& instruction, const Operand& operand, const std::string& name) {
    if (!context_.native || !isa::is_special_register(name)) return;
    if (instruction.opcode == isa::Opcode::cvt) return;
    if (instruction.opcode != isa::Opcode::mov) {
      return error(operand.position,
                   fmt::format("special register `%{}` is read by `mov` or `cvt`, not by `{}` (10)", name,
                               mnemonic(instruction)));
    }
    const std::optional<isa::Type> type = instruction.modifiers.type;
    const std::uint16_t bits = isa::special_register_bits(name);
    const bool low =
        type && type->bits < bits && name == "gridid";  // 10.10: legacy code reads its lower bits
    const bool fits = !type || type->bits == bits || low || (type->bits == 16 && is_of_place(name));
    if (fits && !(type && type->is_floating())) return;
    error(operand.position, fmt::format("special register `%{}` has {} bits, `{}` moves another type (10)",
                                        name, bits, mnemonic(instruction)));
  }

  /// 9.7.12.15.13: an arrival in another thread block returns no state.
  void unreturned(const Instruction& instruction, const Operand& operand) {
    const bool arrival = instruction.opcode == isa::Opcode::mbarrier_arrive ||
                         instruction.opcode == isa::Opcode::mbarrier_arrive_drop;
    if (!arrival || operand.place.role != isa::Role::result ||
        instruction.modifiers.space != isa::Space::shared_cluster ||
        std::holds_alternative<program::Sink>(operand.value))
      return;
    error(operand.position, "an arrive on an mbarrier object of the cluster returns no state: write `_`");
  }

  /// 6.4.1: mov takes the address of a variable; what converts addresses does, too.
  void variable(const Instruction& instruction, const Operand& operand, const std::string& name) {
    using enum isa::Opcode;
    const isa::Opcode opcode = instruction.opcode;
    const isa::Modifiers& m = instruction.modifiers;
    const bool integer = !m.type || (m.type->bits != 1 && !m.type->is_floating());
    const bool good = (opcode == mov && integer) || (opcode == cvta && !m.to_space) || opcode == mapa ||
                      opcode == getctarank || opcode == setp || opcode == local_begin ||
                      opcode == local_end ||
                      opcode == st;  // tests store addresses, launches compare functions
    if (!context_.native || good) return;
    error(operand.position,
          fmt::format("`{0}` takes no address of a variable: `mov` puts that of `{1}` into a register",
                      mnemonic(instruction), name));
  }

  const Context& context_;
  const Code& code_;
  std::map<std::string, isa::Type> declared_;
};

}  // namespace

void check_operand_types(const Context& context, const Code& code) {
  Checker(context, code).run();
}

}  // namespace ptxmc::resolve
