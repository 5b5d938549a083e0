// SPDX-License-Identifier: Apache-2.0
#include "ptx/program/register_use.h"

#include "ptx/isa/opcode.h"

namespace ptxmc::program {

// No register that a program can write has a dot in its name.
std::string upper_half_name(const std::string& name) {
  return name + ".hi";
}

namespace {

bool adds_carry(const Instruction& instruction) {
  return instruction.opcode == isa::Opcode::addc || instruction.opcode == isa::Opcode::subc ||
         instruction.opcode == isa::Opcode::madc;
}

}  // namespace

bool uses_carry(const Instruction& instruction) {
  return adds_carry(instruction) || instruction.modifiers.variants.has(isa::Variant::carry);
}

RegisterUse register_use(const Instruction& instruction) {
  const isa::Modifiers& m = instruction.modifiers;
  const auto add = [&](std::vector<std::string>& list, const Operand& operand, const std::string& name) {
    list.push_back(name);
    const auto asked = use_of(operand, m);
    if ((asked && asked->bits == 128) || (m.type && m.type->bits == 128))
      list.push_back(upper_half_name(name));
  };
  RegisterUse use;
  if (adds_carry(instruction)) use.reads.emplace_back(kCarry);
  if (m.variants.has(isa::Variant::carry)) use.writes.emplace_back(kCarry);
  if (instruction.guard) use.reads.push_back(instruction.guard->reg);
  for (const Operand& each : instruction.operands) {
    auto& list = isa::is_written(each.place.role) ? use.writes : use.reads;
    const auto& operand = each.value;
    if (const auto* r = std::get_if<Register>(&operand)) add(list, each, r->name);
    if (const auto* vector = std::get_if<VectorOperand>(&operand)) {
      for (const auto& element : vector->elements) {
        if (const auto* r = std::get_if<Register>(&element)) list.push_back(r->name);
      }
    }
    if (const auto* n = std::get_if<NegatedRegister>(&operand)) list.push_back(n->name);
    if (const auto* a = std::get_if<Address>(&operand); a && !a->base_register.empty()) {
      use.reads.push_back(a->base_register);
    }
    if (const auto* tensor = std::get_if<TensorAddress>(&operand)) {
      if (!tensor->map.base_register.empty()) use.reads.push_back(tensor->map.base_register);
      for (const auto& coordinate : tensor->coordinates) {
        if (const auto* r = std::get_if<Register>(&coordinate)) use.reads.push_back(r->name);
      }
    }
    if (const auto* pair = std::get_if<RegisterPair>(&operand)) {
      list.push_back(pair->first);
      list.push_back(pair->second);
    }
  }
  return use;
}

}  // namespace ptxmc::program
