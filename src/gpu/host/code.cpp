// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "axiomatic/lower/families/operations.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"

namespace ptxmc::gpu {

using event::Op;
using isa::Opcode;
using isa::Role;
using isa::Semantics;
using program::Instruction;
using program::Operand;
using Kind = HostOperand::Kind;

namespace {

constexpr std::uint16_t kWidest = 64;

HostOrder order_of(Semantics semantics) {
  switch (semantics) {
    case Semantics::acquire:
      return HostOrder::acquire;
    case Semantics::release:
      return HostOrder::release;
    case Semantics::acq_rel:
      return HostOrder::acq_rel;
    case Semantics::sc:
      return HostOrder::sc;
    case Semantics::weak:
    case Semantics::relaxed:
    case Semantics::volatile_:
    case Semantics::mmio:
      return HostOrder::relaxed;
  }
  return HostOrder::relaxed;
}

class Compiler {
 public:
  Compiler(const Facts& facts, const program::Thread& thread) : facts_(facts), thread_(thread) {
    out_.thread = thread.number;
    for (const program::Variable& variable : facts.test().variables) {
      if (facts.space(variable.name) == isa::Space::global) out_.variables.push_back(variable.name);
    }
    for (const program::RegisterDeclaration& declared : thread.registers()) {
      if (declared.type.bits > kWidest || declared.type.cls == isa::TypeClass::floating)
        cannot(declared.position, fmt::format("%{} is", declared.name));
      out_.registers[static_cast<std::size_t>(reg(declared.name))].declared = declared.type;
    }
    for (const program::RegisterInit& init : facts.test().register_inits) {
      if (init.thread != thread.number) continue;
      HostOperand& initial = out_.registers[static_cast<std::size_t>(reg(init.name))].initial;
      initial = {Kind::constant, 0, init.value.integer};
      if (!init.value.address_of.empty())
        initial = {Kind::address, variable(init.value.address_of, init.position), 0};
    }
  }

  HostCode run(const Observation& observation) {
    for (std::size_t i = 0; i < thread_.code().size(); ++i) {
      for (const std::string& label : thread_.code()[i].labels)
        labels_[label] = static_cast<std::uint32_t>(i);
    }
    for (const Instruction& instruction : thread_.code()) out_.operations.push_back(compile(instruction));
    HostOperation end;
    end.kind = HostKind::end;
    out_.operations.push_back(end);
    for (std::size_t i = 0; i < observation.names().size(); ++i) {
      const Observed& o = observation.names()[i];
      if (o.name.thread != thread_.number) continue;
      const auto known = registers_.find(o.name.name);
      out_.results.push_back({static_cast<std::uint32_t>(i), known == registers_.end() ? -1 : known->second,
                              static_cast<event::Width>(o.bits)});
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void cannot(Position position, const std::string& what) const {
    facts_.cannot_run(position, what + " not among what the harness does in a host thread");
  }
  [[noreturn]] void cannot(const Instruction& instruction) const {
    cannot(instruction.position, fmt::format("`{}` is", instruction.text));
  }

  std::int32_t reg(const std::string& name) {
    const auto [place, fresh] = registers_.try_emplace(name, static_cast<std::int32_t>(registers_.size()));
    if (fresh) out_.registers.push_back({name, std::nullopt, {}});
    return place->second;
  }

  std::uint32_t variable(const std::string& name, Position position) const {
    const auto found = std::find(out_.variables.begin(), out_.variables.end(), name);
    if (found == out_.variables.end())
      facts_.cannot_run(position, fmt::format("a host thread names `{}`, which is not global", name));
    return static_cast<std::uint32_t>(found - out_.variables.begin());
  }

  HostOperand operand(const Operand& source) {
    const auto& value = source.value;
    if (const auto* r = std::get_if<program::Register>(&value)) {
      if (isa::is_special_register(r->name)) cannot(source.position, "%" + r->name + " is");
      return {Kind::reg, static_cast<std::uint32_t>(reg(r->name)), 0};
    }
    if (const auto* r = std::get_if<program::NegatedRegister>(&value))
      return {Kind::negated, static_cast<std::uint32_t>(reg(r->name)), 0};
    if (const auto* integer = std::get_if<program::Integer>(&value))
      return {Kind::constant, 0, integer->value};
    if (const auto* address = std::get_if<program::AddressOf>(&value);
        address != nullptr && address->offset == 0)
      return {Kind::address, variable(address->variable, source.position), 0};
    cannot(source.position, "this operand is");
  }

  std::int32_t destination(const Operand& place) {
    if (std::holds_alternative<program::Sink>(place.value)) return -1;
    const auto* r = std::get_if<program::Register>(&place.value);
    if (r == nullptr) cannot(place.position, "this destination is");
    return reg(r->name);
  }

  HostOperation compile(const Instruction& instruction) {
    HostOperation out;
    if (instruction.guard) {
      out.guard = reg(instruction.guard->reg);
      out.guard_negated = instruction.guard->negated;
    }
    const isa::Type type = instruction.modifiers.type.value_or(isa::Type{isa::TypeClass::signed_, 64});
    if (type.bits > kWidest || instruction.modifiers.packed != isa::Packed::none) cannot(instruction);
    out.width = out.result_width = static_cast<event::Width>(type.bits);
    out.is_signed = out.result_signed = type.is_signed();
    switch (isa::traits(instruction.opcode).family) {
      case isa::Family::memory:
        memory(instruction, out);
        break;
      case isa::Family::fence:
        out.kind = HostKind::fence;
        out.order = instruction.opcode == Opcode::fence
                        ? order_of(instruction.modifiers.semantics)
                        : HostOrder::relaxed;  // proxies have no effect on the host
        break;
      case isa::Family::api:
        call(instruction, out);
        break;
      case isa::Family::control:
        jump(instruction, out);
        break;
      case isa::Family::arithmetic:
        compute(instruction, out);
        break;
      case isa::Family::barrier:
      case isa::Family::mbarrier:
      case isa::Family::async_copy:
      case isa::Family::exchange:
      case isa::Family::matrix:
      case isa::Family::tensor:
      case isa::Family::grid:
      case isa::Family::heap:
        cannot(instruction);
    }
    return out;
  }

  void memory(const Instruction& instruction, HostOperation& out) {
    const isa::Modifiers m = facts_.completed(instruction);
    const bool loads = instruction.find(Role::result) != nullptr;
    const bool atomic = m.atomic != isa::AtomicOp::none;
    const bool floating = m.type->cls == isa::TypeClass::floating && atomic;
    if (m.type->bits > kWidest || floating) cannot(instruction);
    out.kind = atomic ? HostKind::atomic : loads ? HostKind::load : HostKind::store;
    out.order = order_of(m.semantics);
    out.atomic = m.atomic;
    out.width = out.result_width = static_cast<event::Width>(m.type->bits);
    out.is_signed = out.result_signed = memory_signed(instruction);
    const auto& place = std::get<program::Address>(instruction.operand(Role::address).value);
    out.offset = place.offset;
    if (place.variable.empty()) {
      out.address = {Kind::reg, static_cast<std::uint32_t>(reg(place.base_register)), 0};
      out_.computes_addresses = true;
    } else {
      out.address = {Kind::address, variable(place.variable, instruction.position), 0};
    }
    values(instruction, atomic, out);
  }

  /// A value widens by the sign of the access, else by that of the variable.
  bool memory_signed(const Instruction& instruction) const {
    if (instruction.modifiers.type) return instruction.modifiers.type->is_signed();
    const auto* place = std::get_if<program::Address>(&instruction.operand(Role::address).value);
    if (place == nullptr || place->variable.empty()) return true;
    const std::optional<isa::Type>& type = facts_.root(place->variable).type;
    return !type || type->is_signed();
  }

  void values(const Instruction& instruction, bool atomic, HostOperation& out) {
    const Operand* to = instruction.find(Role::result);
    const Operand* from = instruction.find(Role::value);
    const bool loads = to != nullptr;
    const auto* vector = std::get_if<program::VectorOperand>(&(loads ? to : from)->value);
    if (vector == nullptr) {
      if (loads) out.destination = destination(*to);
      const Operand* comparand = instruction.find(Role::comparand);
      if (comparand != nullptr) {
        out.a = operand(*comparand);
        out.b = operand(*from);
      } else if (from != nullptr) {
        out.a = operand(*from);
      }
      return;
    }
    if (atomic) cannot(instruction);
    for (const auto& element : vector->elements) {
      const auto* r = std::get_if<program::Register>(&element);
      const auto* integer = std::get_if<program::Integer>(&element);
      if (loads) {
        out.destinations.push_back(r == nullptr ? -1 : reg(r->name));
      } else {
        out.sources.push_back(r != nullptr
                                  ? HostOperand{Kind::reg, static_cast<std::uint32_t>(reg(r->name)), 0}
                                  : HostOperand{Kind::constant, 0, integer == nullptr ? 0 : integer->value});
      }
    }
  }

  void call(const Instruction& instruction, HostOperation& out) {
    out.kind = HostKind::call;
    out.call = calls_++;
    if (const Operand* answer = instruction.find(Role::result)) out.destination = destination(*answer);
  }

  void jump(const Instruction& instruction, HostOperation& out) {
    const Operand* label = instruction.find(Role::label);
    out.kind = HostKind::jump;
    out.target = static_cast<std::uint32_t>(thread_.code().size());
    if (label == nullptr) {
      if (instruction.has(isa::Trait::ends)) return;
      out.kind = HostKind::fence;  // a place for labels
      out.order = HostOrder::relaxed;
      return;
    }
    if (instruction.opcode == Opcode::branch_compare) {
      out.kind = HostKind::jump_compare;
      out.relation = instruction.modifiers.compare;
      out.a = operand(instruction.operand(Role::a));
      out.b = operand(instruction.operand(Role::b));
    }
    out.target = labels_.at(std::get<program::LabelName>(label->value).name);
    out.back = out.target <= out_.operations.size();
    out_.jumps_back = out_.jumps_back || out.back;
  }

  void compute(const Instruction& instruction, HostOperation& out) {
    const isa::Modifiers& m = instruction.modifiers;
    const isa::Pure pure = isa::pure_of(instruction.opcode, m);
    const bool floating =
        m.type && m.type->is_floating() && pure != isa::Pure::move && pure != isa::Pure::select;
    if (floating || m.source_type.value_or(isa::Type{}).is_floating()) cannot(instruction);
    const Operand& to = instruction.operand(Role::result);
    if (const auto* pair = std::get_if<program::RegisterPair>(&to.value)) {
      out.destination = reg(pair->first);
      out.second = reg(pair->second);
    } else {
      out.destination = destination(to);
    }
    if (const Operand* a = instruction.find(Role::a)) out.a = operand(*a);
    if (const Operand* b = instruction.find(Role::b)) out.b = operand(*b);
    if (const Operand* c = instruction.find(Role::c)) out.c = operand(*c);
    if (const Operand* p = instruction.find(Role::predicate)) out.c = operand(*p);
    switch (pure) {
      case isa::Pure::none:
      case isa::Pure::bits:
      case isa::Pure::function:
        cannot(instruction);
      case isa::Pure::move:
        out.kind = !m.type && out.a.kind == Kind::reg ? HostKind::move : HostKind::copy;
        return;
      case isa::Pure::address:
        if (instruction.opcode != Opcode::cvta) cannot(instruction);
        out.kind = HostKind::copy;
        out.result_signed = false;
        return;
      case isa::Pure::convert:
        return convert(instruction, out);
      case isa::Pure::product:
        return product(instruction, out);
      case isa::Pure::shift:
        out.kind = HostKind::shift;
        out.op = instruction.opcode == Opcode::shl ? Op::shl : out.is_signed ? Op::shr_s : Op::shr_u;
        return;
      case isa::Pure::compare:
        if (instruction.opcode != Opcode::setp) cannot(instruction);
        out.kind = HostKind::compare;
        out.relation = m.compare;
        out.combine = m.combine;
        out.result_width = 1;
        out.result_signed = false;
        return;
      case isa::Pure::select:
        out.kind = HostKind::select;
        return;
      case isa::Pure::apply:
        break;
    }
    const std::optional<Op> op = lower::arithmetic_of(instruction.opcode, out.is_signed);
    if (!op) cannot(instruction);
    out.kind = HostKind::apply;
    out.op = *op;
  }

  static void convert(const Instruction& instruction, HostOperation& out) {
    const isa::Type to = instruction.modifiers.type.value_or(isa::Type{isa::TypeClass::signed_, 64});
    const isa::Type from = instruction.modifiers.source_type.value_or(to);
    out.kind = HostKind::convert;
    out.width = static_cast<event::Width>(from.bits);
    out.is_signed = from.is_signed();
  }

  static void product(const Instruction& instruction, HostOperation& out) {
    out.kind = HostKind::product;
    out.half = instruction.modifiers.half;
    if (out.half == isa::MulHalf::wide) out.result_width = static_cast<event::Width>(out.width * 2);
    out.op = out.half != isa::MulHalf::hi ? Op::mul : out.is_signed ? Op::mulhi_s : Op::mulhi_u;
  }

  const Facts& facts_;
  const program::Thread& thread_;
  HostCode out_;
  std::map<std::string, std::int32_t> registers_;
  std::map<std::string, std::uint32_t> labels_;
  std::uint32_t calls_ = 0;
};

}  // namespace

HostCode compile_host(const Facts& facts, const program::Thread& thread, const Observation& observation) {
  return Compiler(facts, thread).run(observation);
}

}  // namespace ptxmc::gpu
