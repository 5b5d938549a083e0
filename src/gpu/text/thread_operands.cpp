// SPDX-License-Identifier: Apache-2.0
// Operands: what a litmus test may write and PTX may not is computed into scratch registers first.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/text/descriptor.h"
#include "gpu/text/thread_writer.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Role;

std::string offset_text(std::int64_t bytes) {
  return bytes == 0 ? "" : fmt::format("{:+}", bytes);
}

/// An address where PTX wants a register.
std::string Writer::address_of(const Instruction& instruction, const Operand& operand,
                               const program::AddressOf& address) {
  const std::string symbol = base(address.variable);
  const isa::Pure pure = isa::traits(instruction.opcode).pure;
  const bool takes_names = pure == isa::Pure::move || pure == isa::Pure::address;
  const std::optional<Use> use = use_of(operand, instruction.modifiers);
  const int bits = use ? use->bits : 64;
  const bool narrow = is_register(symbol) && facts_.space(address.variable) == isa::Space::shared;
  const bool plain = address.offset == 0;
  if (takes_names && (!narrow || bits == 32) && (plain || !is_register(symbol)))
    return symbol + (plain ? "" : offset_text(address.offset));
  const std::string reg = scratch(fmt::format(".b{}", bits), "address");
  line(narrow && bits == 64 ? fmt::format("cvt.u64.u32 {}, {};", reg, symbol)
                            : fmt::format("mov.b{} {}, {};", bits, reg, symbol));
  if (!plain) line(fmt::format("add.u{0} {1}, {1}, {2};", bits, reg, address.offset));
  return reg;
}

/// A tcgen05.mma whose instruction descriptor is a register that the thread sets once, to a constant: with
/// it.
Instruction Writer::with_constants(const Instruction& instruction) const {
  Instruction out = instruction;
  const auto place = std::find_if(out.operands.begin(), out.operands.end(),
                                  [](const Operand& o) { return o.place.role == Role::descriptor; });
  const auto* reg = place == out.operands.end() ? nullptr : std::get_if<program::Register>(&place->value);
  if (reg == nullptr) return out;
  std::vector<const Instruction*> writers;
  for (const Instruction& other : thread_.code()) {
    if (names_in(other).written.contains(reg->name)) writers.push_back(&other);
  }
  if (writers.size() != 1 || writers[0]->opcode != Opcode::mov || writers[0]->guard) return out;
  if (const auto* k = std::get_if<program::Integer>(&writers[0]->operand(Role::a).value)) place->value = *k;
  return out;
}

std::string Writer::descriptor(const Instruction& instruction, const Operand& operand) {
  const auto& d = std::get<program::Descriptor>(operand.value);
  const auto fields = descriptor_fields(with_constants(instruction), operand.place.role);
  if (!fields)
    facts_.fail(instruction.position,
                "not supported yet: a matrix descriptor whose instruction descriptor is not constant");
  const std::string address = scratch(".b32", "start"), result = scratch(".b64", "desc");
  line(is_register(base(d.variable))
           ? fmt::format("add.u32 {}, {}, {};", address, base(d.variable), d.offset)
           : fmt::format("mov.u32 {}, {}{};", address, base(d.variable), offset_text(d.offset)));
  line(fmt::format("shr.u32 {0}, {0}, 4;", address));
  line(fmt::format("and.b32 {0}, {0}, 0x3fff;", address));
  line(fmt::format("cvt.u64.u32 {}, {};", result, address));
  line(fmt::format("or.b64 {0}, {0}, {1:#x};", result, *fields));
  return result;
}

/// A constant, in a register where PTX wants one: predicates, metadata of sparse matrices, masks of CTAs, packed numbers.
std::string Writer::constant(const Instruction& instruction, const Operand& operand, std::int64_t value) {
  if (operand.place.role == Role::metadata) return in_register("metadata", 32, value);
  const std::optional<Use> use = use_of(operand, instruction.modifiers);
  if (use && use->bits == 1) {
    const std::string reg = scratch(".pred", "truth");
    line(fmt::format("setp.ne.s32 {}, {}, 0;", reg, value));
    return reg;
  }
  const isa::Modifiers& m = instruction.modifiers;
  const auto& type = isa::is_of_source(operand.place.width) && m.source_type ? m.source_type : m.type;
  if (instruction.opcode == Opcode::create_policy && m.variants.has(isa::Variant::fractional))
    return fmt::format("0f{:08X}", static_cast<std::uint32_t>(value));
  const isa::Width width = operand.place.width;
  if (width == isa::Width::word || width == isa::Width::half || width == isa::Width::doubleword)
    return plain_constant(instruction, value);
  if (use && (m.packed != isa::Packed::none || (type && type->is_floating() && type->bits < 32)))
    return in_register("packed", use->bits, value);
  if (type && use && type->bits == use->bits) {
    if (type->format == isa::Float::f32) return fmt::format("0f{:08X}", static_cast<std::uint32_t>(value));
    if (type->format == isa::Float::f64) return fmt::format("0d{:016X}", static_cast<std::uint64_t>(value));
  }
  return plain_constant(instruction, value);
}

/// A number that is of no type of the instruction: a size, a mask.
std::string Writer::plain_constant(const Instruction& instruction, std::int64_t value) {
  if (instruction.opcode != Opcode::tcgen05_commit) return std::to_string(value);
  return in_register("mask", 16, value);
}

/// Where PTX takes no constant.
std::string Writer::in_register(std::string_view purpose, unsigned bits, std::int64_t value) {
  const std::string reg = scratch(fmt::format(".b{}", bits), purpose);
  line(fmt::format("mov.b{} {}, {};", bits, reg, value));
  return reg;
}

/// The generic address of a tensor map, and coordinates.
std::string Writer::tensor(const program::TensorAddress& operand) {
  std::string map = operand.map.variable.empty() ? name(operand.map.base_register) : "";
  if (map.empty()) {
    map = scratch(".b64", "map");
    line(fmt::format("mov.b64 {}, {};", map, base(operand.map.variable)));
    line(fmt::format("cvta.{0}.u64 {1}, {1};", isa::name_of(facts_.space(operand.map.variable)), map));
  }
  std::string coordinates;
  for (const auto& coordinate : operand.coordinates) {
    if (!coordinates.empty()) coordinates += ", ";
    const auto* r = std::get_if<program::Register>(&coordinate);
    coordinates +=
        r != nullptr ? name(r->name) : std::to_string(std::get<program::Integer>(coordinate).value);
  }
  return fmt::format("[{}, {{{}}}]", map, coordinates);
}

/// The generic address of an address in shared memory.
std::string Writer::generic(const std::string& symbol) {
  std::string reg = scratch(".b64", "generic");
  line(is_register(symbol) ? fmt::format("cvt.u64.u32 {}, {};", reg, symbol)
                           : fmt::format("mov.b64 {}, {};", reg, symbol));
  line(fmt::format("cvta.shared.u64 {0}, {0};", reg));
  return reg;
}

std::string Writer::operand(const Instruction& instruction, const Operand& operand) {
  const auto& value = operand.value;
  if (const auto* r = std::get_if<program::Register>(&value)) return name(r->name);
  if (const auto* r = std::get_if<program::NegatedRegister>(&value)) return "!" + name(r->name);
  if (const auto* k = std::get_if<program::Integer>(&value)) return constant(instruction, operand, k->value);
  if (const auto* l = std::get_if<program::LabelName>(&value)) return l->name;
  if (std::holds_alternative<program::Sink>(value)) return "_";
  if (const auto* a = std::get_if<program::Address>(&value)) {
    std::string from = a->variable.empty() ? name(a->base_register) : base(a->variable);
    if (!a->variable.empty() && isa::space_of(operand.place, instruction.modifiers) == isa::Space::generic &&
        facts_.space(a->variable) == isa::Space::shared) {
      from = generic(from);
    } else if (instruction.opcode == Opcode::st_bulk && !a->variable.empty()) {  // takes registers only
      const std::string symbol = std::exchange(from, scratch(".b64", "address"));
      line(is_register(symbol) ? fmt::format("cvt.u64.u32 {}, {};", from, symbol)
                               : fmt::format("mov.b64 {}, {};", from, symbol));
    }
    return fmt::format("[{}{}]", from, offset_text(a->offset));
  }
  if (const auto* a = std::get_if<program::AddressOf>(&value)) return address_of(instruction, operand, *a);
  if (const auto* p = std::get_if<program::RegisterPair>(&value))
    return fmt::format("{}|{}", name(p->first), name(p->second));
  if (std::holds_alternative<program::Descriptor>(value)) return descriptor(instruction, operand);
  if (const auto* t = std::get_if<program::TensorAddress>(&value)) return tensor(*t);
  if (const auto* v = std::get_if<program::VectorOperand>(&value)) return vector(instruction, *v);
  facts_.refuse(instruction.position, fmt::format("`{}`", instruction.text));
}

/// Tensor instructions and vectors of floating numbers take registers only.
std::string Writer::vector(const Instruction& instruction, const program::VectorOperand& vector) {
  const isa::Modifiers& m = instruction.modifiers;
  const bool floating = (m.type && m.type->is_floating()) || m.packed != isa::Packed::none;
  const bool registers = floating || isa::traits(instruction.opcode).family == isa::Family::tensor;
  std::string out;
  for (const auto& element : vector.elements) {
    if (!out.empty()) out += ", ";
    if (const auto* r = std::get_if<program::Register>(&element)) out += name(r->name);
    if (std::holds_alternative<program::Sink>(element)) out += "_";
    const auto* k = std::get_if<program::Integer>(&element);
    if (k == nullptr) continue;
    out += registers ? in_register("word", floating && m.type ? m.type->bits : 32, k->value)
                     : std::to_string(k->value);
  }
  return "{" + out + "}";
}

}  // namespace ptxmc::gpu
