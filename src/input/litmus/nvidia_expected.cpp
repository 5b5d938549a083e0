// SPDX-License-Identifier: Apache-2.0
// Expected values of reads as constraints on final registers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/litmus/nvidia_program.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::litmus {

namespace {

// The register that holds the value at the end: the read's own, or a copy when other instructions write that
// too.
std::string kept_in(RawThread& thread, std::set<std::string>& registers, std::size_t instruction) {
  std::vector<Instruction>& code = thread.code;
  const Operand target = code[instruction].operand(isa::Role::result);
  const std::string name = std::get<Register>(target.value).name;
  const auto writes = std::count_if(code.begin(), code.end(), [&](const Instruction& other) {
    const Operand* to = other.find(isa::Role::result);
    if (to == nullptr) return false;
    const auto* one = std::get_if<Register>(&to->value);
    const auto* two = std::get_if<RegisterPair>(&to->value);
    return (one != nullptr && one->name == name) ||
           (two != nullptr && (two->first == name || two->second == name));
  });
  if (writes < 2) return name;
  Operand copy = target;
  int number = 0;
  do {
    copy.value = Register{fmt::format("{}_read{}", name, number++)};
  } while (!registers.insert(std::get<Register>(copy.value).name).second);
  const isa::Resolution move = isa::resolve("mov", isa::Notation::any);
  PTXMC_CHECK(move.resolved.has_value(), "mov is in the table");
  Instruction keep;
  keep.opcode = move.resolved->form->opcode;
  keep.modifiers = move.resolved->modifiers;
  keep.operands = {copy, target};
  for (std::size_t i = 0; i < keep.operands.size(); ++i) keep.operands[i].place = move.resolved->operands[i];
  keep.text = fmt::format("mov %{}, %{}", std::get<Register>(copy.value).name, name);
  keep.position = code[instruction].position;
  for (const RegisterDeclaration& declared : thread.registers) {
    if (declared.name != name) continue;
    thread.registers.push_back({std::get<Register>(copy.value).name, declared.type, declared.position});
    break;
  }
  code.insert(code.begin() + static_cast<std::ptrdiff_t>(instruction) + 1, std::move(keep));
  return std::get<Register>(copy.value).name;
}

}  // namespace

ConditionPtr expected_value(ParseState& state, std::set<std::string>& registers,
                            const Expectation& expectation) {
  RawThread& thread = state.threads[expectation.thread];
  std::vector<Instruction>& code = thread.code;
  const auto place = std::find_if(code.begin(), code.end(), [&](const Instruction& instruction) {
    return instruction.position == expectation.instruction && instruction.opcode != isa::Opcode::nop;
  });
  if (place == code.end()) return nullptr;  // an error in it was reported
  const bool memory = isa::traits(place->opcode).family == isa::Family::memory;
  const Operand* to = memory ? place->find(isa::Role::result) : nullptr;
  if (to == nullptr || !std::holds_alternative<Register>(to->value)) {
    state.errors.error(expectation.position, "an expected value stands after a read into a register");
    return nullptr;
  }
  if (place->guard) {
    state.errors.error(expectation.position,
                       "an expected value of a guarded read is not supported; use `require`");
    return nullptr;
  }
  StateName name;
  name.thread = thread.thread.number;
  name.name = kept_in(thread, registers, static_cast<std::size_t>(place - code.begin()));
  name.position = expectation.position;
  return std::make_shared<const Condition>(
      Condition{Comparison{expectation.op, name, InitialValue{expectation.value, {}}}, expectation.position});
}

}  // namespace ptxmc::litmus
