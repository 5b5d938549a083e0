// SPDX-License-Identifier: Apache-2.0
// Instructions with their names resolved, and the bodies that threads run. Nothing is evaluated here; lowering gives
// it meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ptx/isa/opcode.h"
#include "ptx/isa/operand.h"
#include "support/check.h"
#include "support/source.h"

namespace ptxmc::program {

// ---- Operands ---------------------------------------------------------------------------------------------
struct Register {
  std::string name;
  friend bool operator==(const Register&, const Register&) = default;
};  // without %
struct Integer {
  std::int64_t value = 0;
  friend bool operator==(const Integer&, const Integer&) = default;
};
/// `[x]`, `[x+4]`, `[%rd1+8]`, or the bare `x` of a short form in an address slot.
struct Address {
  std::string variable;  // one of variable / base_register is set
  std::string base_register;
  std::int64_t offset = 0;  // bytes
  friend bool operator==(const Address&, const Address&) = default;
};
struct AddressOf {
  std::string variable;
  std::int64_t offset = 0;  // bytes
  friend bool operator==(const AddressOf&, const AddressOf&) = default;
};  // x, or x+4, outside an address slot
struct LabelName {
  std::string name;
  friend bool operator==(const LabelName&, const LabelName&) = default;
};
struct Sink {
  friend bool operator==(const Sink&, const Sink&) = default;
};  // `_`
/// `%p|%q`: two destinations of setp.
struct RegisterPair {
  std::string first, second;
  friend bool operator==(const RegisterPair&, const RegisterPair&) = default;
};
/// `!%p`: a negated predicate operand.
struct NegatedRegister {
  std::string name;
  friend bool operator==(const NegatedRegister&, const NegatedRegister&) = default;
};

struct ObjectName {
  std::string name;
  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};  // kernel, stream, event or graph

/// `{%r0, _, 5}`: the elements of a vector, or the parts of a mov that packs or unpacks.
struct VectorOperand {
  std::vector<std::variant<Register, Integer, Sink>> elements;
  friend bool operator==(const VectorOperand&, const VectorOperand&) = default;
};

/// `desc(x+32, leading=128, stride=256, swizzle=64)`: the descriptor of a matrix in shared memory
/// (9.7.14.5.1.2.7), which a PTX program computes into a register. Without strides the core matrices lie one
/// behind the other.
struct Descriptor {
  std::string variable;
  std::int64_t offset = 0;  // bytes, as all the others
  std::optional<std::int64_t> leading, stride;
  std::int64_t swizzle = 0;  // 0, 32, 64 or 128
  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// `[map, {%r0, 8}]`: a tensor map and the coordinates of a box, the innermost dimension first.
struct TensorAddress {
  Address map;
  std::vector<std::variant<Register, Integer>> coordinates;
  friend bool operator==(const TensorAddress&, const TensorAddress&) = default;
};

struct Operand {
  std::variant<Register, Integer, Address, AddressOf, LabelName, Sink, RegisterPair, NegatedRegister,
               ObjectName, VectorOperand, Descriptor, TensorAddress>
      value;
  Position position;
  isa::Place place{};  // of its instruction's form, which it fills
  /// Elements of a vector; 0: it is none.
  std::size_t elements() const {
    const auto* vector = std::get_if<VectorOperand>(&value);
    return vector == nullptr ? 0 : vector->elements.size();
  }
};

struct Guard {
  std::string reg;
  bool negated = false;
};  // @p, @!p

/// One instruction with modifiers resolved by the isa table (defaults applied).
struct Instruction {
  std::vector<std::string> labels;  // labels that stand before it
  std::optional<Guard> guard;
  isa::Opcode opcode = isa::Opcode::nop;  // nop: only a place for labels at the end of a thread
  isa::Modifiers modifiers;
  isa::Spelling spelling;
  std::vector<Operand> operands;  // in PTX order: destination first
  std::string text;               // as the user wrote it, white space squeezed
  Position position;
  bool has(isa::Trait trait) const { return isa::traits(opcode).has(trait); }
  /// The operand in that role; null: there is none.
  const Operand* find(isa::Role role) const {
    for (const Operand& operand : operands) {
      if (operand.place.role == role) return &operand;
    }
    return nullptr;
  }
  /// The same, which must be there.
  const Operand& operand(isa::Role role) const {
    const Operand* found = find(role);
    PTXMC_CHECK(found != nullptr, "`" + text + "` lacks an operand");
    return *found;
  }
};

/// What an operand asks of a register there; `modifiers` may be the instruction's, completed.
inline std::optional<isa::Use> use_of(const Operand& operand, const isa::Modifiers& modifiers) {
  return isa::use_of(operand.place, modifiers, operand.elements());
}

struct RegisterDeclaration {
  std::string name;
  isa::Type type;
  Position position;
};  // .reg .u32 %r<3> is expanded

/// What threads run. It is not changed once it is made, and threads that differ in their place alone share it.
struct Body {
  std::vector<RegisterDeclaration> registers;
  std::vector<Instruction> code;
  std::uint32_t registers_of_thread = 0;  // .maxnreg (11.4.1); 0: it says nothing of them
};

}  // namespace ptxmc::program
