// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "dynamic/exec/analysis.h"
#include "dynamic/exec/arithmetic.h"
#include "dynamic/exec/dispatch.h"
#include "dynamic/exec/wgmma_registers.h"
#include "ptx/program/register_use.h"
#include "support/overloaded.h"
#include "support/refuse.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;
using program::Instruction;
using program::Operand;

/// A body while it is decoded.
class Decoder {
 public:
  Decoder(const program::Program& program, std::shared_ptr<const program::Body> body, trace::Site first)
      : first_(first), diagnostics_(program.source) {
    out_.body = std::move(body);
    for (const program::Variable& variable : program.variables) variables_[variable.name] = &variable;
  }

  Code run() {
    out_.first = first_;
    for (const program::RegisterDeclaration& one : out_.body->registers) {
      types_[one.name] = one.type;
      register_slot(one.name);
    }
    const auto& code = out_.body->code;
    for (const Instruction& instruction : code) find_types(instruction);
    for (std::size_t i = 0; i < code.size(); ++i) {
      for (const std::string& label : code[i].labels) labels_[label] = static_cast<std::uint32_t>(i);
    }
    for (const Instruction& instruction : code) out_.steps.push_back(step(instruction));
    out_.steps.push_back(end());
    if (diagnostics_.has_errors()) throw InputError(diagnostics_);
    out_.slots = next_;
    return std::move(out_);
  }

 private:
  void error(Position position, std::string message) { diagnostics_.error(position, std::move(message)); }

  /// Registers that nothing declares have 64 bits, but where they are used as predicates or with 128 bits.
  void find_types(const Instruction& instruction) {
    const isa::Type predicate{isa::TypeClass::predicate, 1}, wide{isa::TypeClass::bits, 128};
    if (instruction.guard) types_.try_emplace(instruction.guard->reg, predicate);
    for (const Operand& operand : instruction.operands) {
      const auto use = program::use_of(operand, instruction.modifiers);
      if (const auto* negated = std::get_if<program::NegatedRegister>(&operand.value))
        types_.try_emplace(negated->name, predicate);
      if (!use || (use->bits != predicate.bits && use->bits != wide.bits)) continue;
      if (const auto* r = std::get_if<program::Register>(&operand.value))
        types_.try_emplace(r->name, use->bits == wide.bits ? wide : predicate);
      if (use->bits == wide.bits) continue;
      if (const auto* pair = std::get_if<program::RegisterPair>(&operand.value)) {
        types_.try_emplace(pair->first, predicate);
        types_.try_emplace(pair->second, predicate);
      }
    }
  }

  // ---- Slots -------------------------------------------------------------------------------------------------
  Slot new_slot(std::uint16_t width) {
    if (next_ + 1 >= kNoSlot)
      refuse(diagnostics_.source(), {}, fmt::format("more than {} registers and constants", kNoSlot - 1));
    out_.widths.push_back(width);
    return static_cast<Slot>(next_++);
  }

  /// The upper half of a register of 128 bits follows the lower one.
  Slot register_slot(const std::string& name) {
    const auto known = out_.registers.find(name);
    if (known != out_.registers.end()) return known->second;
    const auto type = types_.find(name);
    if (type == types_.end()) {
      if (const auto special = isa::special_register(name)) return special_slot(name, *special);
    }
    const std::uint16_t bits = type == types_.end() ? 64 : type->second.bits;
    const Slot slot = new_slot(std::min<std::uint16_t>(bits, 64));
    if (bits == 128) new_slot(64);
    out_.registers.emplace(name, slot);
    return slot;
  }

  bool is_wide(const std::string& name) const {
    const auto type = types_.find(name);
    return type != types_.end() && type->second.bits == 128;
  }

  Slot special_slot(const std::string& name, isa::Special special) {
    Constant constant;
    constant.slot = new_slot(isa::special_register_bits(name));
    constant.special = special;
    constant.name = name;
    out_.registers.emplace(name, constant.slot);
    if (special == isa::Special::of_moment) out_.clocks.push_back(constant.slot);
    out_.constants.push_back(std::move(constant));
    return out_.registers.at(name);
  }

  Slot constant_slot(std::uint64_t number, const std::string& variable = "") {
    const auto [known, fresh] = constants_.try_emplace({number, variable}, Slot{0});
    if (!fresh) return known->second;
    Constant constant;
    constant.slot = known->second = new_slot(64);
    constant.number = number;
    constant.variable = variable;
    out_.constants.push_back(std::move(constant));
    return known->second;
  }

  // ---- Operands ----------------------------------------------------------------------------------------------
  using Element = std::variant<program::Register, program::Integer, program::Sink>;

  Slot element_slot(const Element& element) {
    if (const auto* r = std::get_if<program::Register>(&element)) return register_slot(r->name);
    if (const auto* number = std::get_if<program::Integer>(&element))
      return constant_slot(static_cast<std::uint64_t>(number->value));
    return kNoSlot;
  }

  Place place(const program::Address& address, const isa::Place& where, const isa::Modifiers& m) {
    Place out;
    out.offset = address.offset;
    out.space = isa::space_of(where, m);
    out.base = address.base_register.empty() ? constant_slot(0, address.variable)
                                             : register_slot(address.base_register);
    if (!address.base_register.empty() && out_.widths[out.base] <= 32) out.wraps = 0xffffffffU;
    const program::Variable* named =
        address.base_register.empty() ? variables_.at(address.variable) : nullptr;
    if (named != nullptr && out.space == isa::Space::generic) {
      out.of_local = named->space == isa::Space::local;
      out.names_variable =
          out.of_local || named->space == isa::Space::shared || named->space == isa::Space::shared_cta;
    }
    return out;
  }

  // NOLINTNEXTLINE(readability-function-size): a dispatch
  void operand(Step& step, const Operand& operand) {
    const isa::Modifiers& m = step.modifiers();
    const Role role = operand.place.role;
    Slot& slot = step.by_role[static_cast<std::size_t>(role)];
    std::visit(Overloaded{
                   [&](const program::Register& r) {
                     slot = register_slot(r.name);
                     if (role == Role::value || role == Role::result) {
                       step.elements.push_back(slot);
                       if (is_wide(r.name)) step.elements.push_back(static_cast<Slot>(slot + 1));
                     }
                   },
                   [&](const program::NegatedRegister& r) {
                     slot = register_slot(r.name);
                     step.negated |= std::uint64_t{1} << static_cast<unsigned>(role);
                   },
                   [&](const program::Integer& number) {
                     slot = constant_slot(static_cast<std::uint64_t>(number.value));
                     if (role == Role::value) step.elements.push_back(slot);
                     if (role == Role::value && m.type && m.type->bits == 128)
                       step.elements.push_back(constant_slot(number.value < 0 ? ~std::uint64_t{0} : 0));
                   },
                   [&](const program::AddressOf& address) {
                     slot = constant_slot(static_cast<std::uint64_t>(address.offset), address.variable);
                     if (role == Role::value) step.elements.push_back(slot);
                   },
                   [&](const program::RegisterPair& pair) {
                     if (pair.first != "_") slot = register_slot(pair.first);
                     if (pair.second != "_") step.second = register_slot(pair.second);
                   },
                   [&](const program::VectorOperand& vector) {
                     if (role == Role::offsets) {  // after the coordinates, which come first
                       for (const Element& element : vector.elements)
                         step.coordinates.push_back(element_slot(element));
                       return;
                     }
                     if (role != Role::value && role != Role::result) {
                       for (const Element& element : vector.elements) fragment(step, element_slot(element));
                       return;
                     }
                     for (const Element& element : vector.elements) {
                       step.elements.push_back(element_slot(element));
                       (role == Role::value ? step.values : step.results).push_back(step.elements.back());
                     }
                   },
                   [&](const program::Address& address) {
                     const Place there = place(address, operand.place, m);
                     if (there.space == isa::Space::tensor) {
                       step.in_tensor.emplace_back(role, there);
                       return;
                     }
                     (role == Role::source_address ? step.source
                      : role == Role::mbarrier     ? step.mbarrier
                                                   : step.address) = there;
                   },
                   [&](const program::TensorAddress& tensor) {
                     step.tensor = place(tensor.map, operand.place, m);
                     step.tensor.space = isa::Space::generic;
                     for (const auto& coordinate : tensor.coordinates) {
                       Element element;
                       std::visit([&](const auto& value) { element = value; }, coordinate);
                       step.coordinates.push_back(element_slot(element));
                     }
                   },
                   [&](const program::LabelName& label) {
                     const auto known = labels_.find(label.name);
                     if (known == labels_.end())
                       return error(operand.position, fmt::format("no label `{}`", label.name));
                     step.target = first_ + known->second;
                     step.jumps = true;
                   },
                   [](const auto&) {},
               },
               operand.value);
    if (role == Role::result) step.to = slot;
  }

  /// Registers of a matrix that is read: what its product rests on.
  static void fragment(Step& step, Slot slot) {
    if (slot != kNoSlot) step.fragments.push_back(slot);
  }

  /// The sources of an instruction on registers, in their order.
  void sources(Step& step) {
    const Instruction& instruction = *step.instruction;
    const auto add = [&](Slot slot, std::uint16_t bits) {
      if (step.source_count == kMostSources) return;
      step.sources[step.source_count] = slot;
      step.source_bits[step.source_count++] = static_cast<std::uint8_t>(std::min<std::uint16_t>(bits, 64));
    };
    for (const Operand& operand : instruction.operands) {
      if (isa::is_written(operand.place.role) || operand.place.role == Role::table) continue;
      const auto use = program::use_of(operand, instruction.modifiers);
      std::uint16_t bits = use ? use->bits : 64;
      if (isa::is_of_source(operand.place.width) && instruction.modifiers.source_type)
        bits = instruction.modifiers.source_type->bits;
      if (operand.place.role == Role::predicate) continue;
      if (const auto* vector = std::get_if<program::VectorOperand>(&operand.value)) {
        for (const Element& element : vector->elements) add(element_slot(element), bits);
        continue;
      }
      Slot slot = step.slot(operand.place.role);
      if (slot == kNoSlot) continue;
      if (step.is_negated(operand.place.role)) {
        step.opposites.emplace_back(slot, new_slot(1));
        slot = step.opposites.back().second;
      }
      add(slot, bits);
      const auto* r = std::get_if<program::Register>(&operand.value);
      if (r != nullptr && is_wide(r->name)) add(static_cast<Slot>(slot + 1), 64);
    }
    // The parts of a mov that unpacks.
    if (instruction.opcode == Opcode::mov && step.elements.size() > 1 && instruction.modifiers.type)
      step.source_bits[0] = static_cast<std::uint8_t>(
          std::min<std::size_t>(64, instruction.modifiers.type->bits / step.elements.size()));
  }

  void pure(Step& step) {
    const Instruction& instruction = *step.instruction;
    sources(step);
    step.compute = compute_of(instruction);
    step.is_unknown = step.compute == nullptr;
    step.limit = rules::operand_limit(instruction.opcode, instruction.modifiers);
    if (step.limit != nullptr && !step.has(step.limit->operand)) step.limit = nullptr;
    if (program::uses_carry(instruction))
      step.by_role[static_cast<std::size_t>(Role::state)] = register_slot(kCarry);
    const std::uint16_t bits = result_bits(instruction);
    const bool is_signed = !instruction.modifiers.type || instruction.modifiers.type->is_signed();
    if (step.to != kNoSlot && bits < out_.widths[step.to] && step.elements.size() < 2)
      step.fit = {static_cast<std::uint8_t>(bits), is_signed};
    step.divides = (instruction.opcode == Opcode::div || instruction.opcode == Opcode::rem) &&
                   !step.is_unknown && !instruction.modifiers.type.value_or(isa::Type{}).is_floating();
  }

  /// The elements of an access, as its events are.
  void shape(Step& step) {
    const isa::Modifiers& m = step.modifiers();
    step.element_bytes = static_cast<std::uint8_t>(m.type ? m.type->bits / 8 : 0);
    const bool typed = m.type || step.instruction->opcode == Opcode::discard;  // that takes a line
    if (isa::traits(step.instruction->opcode).family == isa::Family::memory && !typed) untyped(step);
    step.element_count = m.vector;
    const bool access = step.instruction->opcode == Opcode::ld || step.instruction->opcode == Opcode::st ||
                        isa::is_multimem(step.instruction->opcode);
    const bool halves = m.type && m.type->bits == 128 && m.semantics == isa::Semantics::weak;
    const unsigned parts = !access ? 1U : halves ? 2U : isa::parts_of(m.packed);
    step.element_bytes = static_cast<std::uint8_t>(step.element_bytes / parts);
    step.element_count = static_cast<std::uint8_t>(step.element_count * parts);
  }

  /// A short form: as wide as the variable that it names.
  void untyped(Step& step) {
    const Operand& operand = step.instruction->operand(Role::address);
    const auto* address = std::get_if<program::Address>(&operand.value);
    if (address == nullptr || address->variable.empty())
      return error(operand.position,
                   "an access without a type, at an address in a register, is not supported by verify yet");
    const program::Variable* named = variables_.at(address->variable);
    while (!named->aliases.empty()) named = variables_.at(named->aliases);
    const auto& type = named->type;
    step.bits = static_cast<std::uint8_t>(type ? type->bits : 64);
    step.element_bytes = static_cast<std::uint8_t>(step.bits / 8);
  }

  Step step(const Instruction& instruction) {
    Step out;
    out.by_role.fill(kNoSlot);
    out.instruction = &instruction;
    out.site = first_ + static_cast<trace::Site>(out_.steps.size());
    out.bits = static_cast<std::uint8_t>(
        instruction.modifiers.type ? std::min<int>(instruction.modifiers.type->bits, 128) : 64);
    if (std::string why = refusal(instruction); !why.empty()) {
      error(instruction.position, std::move(why));
      return out;
    }
    if (instruction.guard) {
      out.guard = register_slot(instruction.guard->reg);
      out.guard_negated = instruction.guard->negated;
    }
    for (const Operand& one : instruction.operands) operand(out, one);
    shape(out);
    if (is_pure(instruction.opcode)) {
      pure(out);
    } else {
      out.act = act_of(instruction.opcode);
    }
    for (const Slot clock : out_.clocks) {
      for (std::size_t i = 0; i < out.source_count; ++i) out.reads_clock |= out.sources[i] == clock;
    }
    return out;
  }

  Step end() {
    static const Instruction kExit = [] {
      Instruction exit;
      exit.opcode = Opcode::exit;
      exit.text = "exit";
      return exit;
    }();
    return step(kExit);
  }

  trace::Site first_;
  Diagnostics diagnostics_;
  Code out_;
  std::size_t next_ = 0;
  std::unordered_map<std::string, isa::Type> types_;
  std::unordered_map<std::string, const program::Variable*> variables_;
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::map<std::pair<std::uint64_t, std::string>, Slot> constants_;
};

}  // namespace

std::vector<Slot> read_by(const Step& step) {
  return step.instruction->opcode == Opcode::ld ? step.elements : std::vector<Slot>{step.to};
}

std::size_t parts_of_element(const Step& step) {
  return std::max<std::size_t>(step.element_count / step.elements.size(), 1);
}

Code decode(const program::Program& program, std::shared_ptr<const program::Body> body, trace::Site first) {
  Code code = Decoder(program, std::move(body), first).run();
  analyse(code);
  code.origins = program.origins;
  watch_matrix_registers(code);
  return code;
}

}  // namespace ptxmc::exec
