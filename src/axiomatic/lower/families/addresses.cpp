// SPDX-License-Identifier: Apache-2.0
// From the address in an operand to a place in a variable, and which places an instruction may access.
#include "axiomatic/lower/families/addresses.h"

#include <algorithm>

namespace ptxmc::lower {

using isa::Semantics;
using isa::Space;

std::int64_t moved_offset(std::int64_t offset, std::int64_t by) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(offset, by, &sum)) return by < 0 ? -kFarthest : kFarthest;
  return sum;
}

NamedPlace Addresses::named_place(const Instruction& instruction, const Operand& operand,
                                  const State& state) {
  const auto* written = std::get_if<program::Address>(&operand.value);
  if (!written) fail(operand.position, "expected an address in `" + instruction.text + "`");
  if (!written->variable.empty()) return {base_location(operand), {}, {}};
  const Expr base = registers_.base_register(state, *written, operand.position);
  const Expr offset = pool_.constant(written->offset, unit_.word());
  return {std::nullopt, base, pool_.make(event::Op::add, unit_.word(), base, offset)};
}

Location Addresses::base_location(const Operand& operand) const {
  const auto& address = std::get<program::Address>(operand.value);
  return {layout_.find(address.variable, operand.position), address.offset, std::nullopt};
}

/// Describes a number that is in no variable.
std::string Addresses::outside(Expr address) const {
  const auto number = unit_.places.number_of(graph_.exprs, address);
  const auto before = number ? layout_.before(*number) : std::nullopt;
  if (!before) return "no address of a variable";
  return layout_.variable(before->variable).name + "+" + std::to_string(before->offset) +
         ", which is outside of its " + std::to_string(layout_.extent(before->variable)) + " bytes";
}

Location Addresses::located(Expr address, const Operand& operand) const {
  const auto& written = std::get<program::Address>(operand.value);
  const auto location = unit_.places.locate(graph_.exprs, address);
  if (!location) fail(operand.position, "register " + written.base_register + " holds " + outside(address));
  return {location->variable, moved_offset(location->offset, written.offset), location->cta};
}

Block Addresses::block(const Location& location) const {
  const VariableId root = layout_.root(location.variable);
  if (layout_.is_shared(root)) return {root, location.cta.value_or(info_.cta)};
  if (layout_.space(root) == Space::local) return {root, thread_};
  return {root, -1};
}

/// Whether a computed address may name this place: like check_space, as a question.
bool Addresses::reachable(const Instruction& instruction, const Location& location) const {
  try {
    check_space(instruction, location, instruction.position);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

void Addresses::check_space(const Instruction& instruction, const Location& location,
                            Position position) const {
  const Space space = instruction.modifiers.space, own = layout_.space(location.variable);
  const std::string& name = layout_.variable(location.variable).name;
  if (!layout_.variable(location.variable).locations.empty())
    fail(position, name + " is a multimem address, which only multimem instructions access (8.2.3, R9)");
  if (own == Space::tensor)
    fail(position, name + " is in tensor memory, which only tcgen05 instructions access");
  const bool shared = own == Space::shared;
  const bool names_shared =
      space == Space::shared || space == Space::shared_cta || space == Space::shared_cluster;
  if (info_.host && own != Space::global) {
    fail(position, "a host thread cannot access ." + std::string(isa::name_of(own)) + " variable " + name);
  }
  if (space != Space::generic && (names_shared ? !shared : space != own)) {
    fail(position, "variable " + name + " is ." + std::string(isa::name_of(own)) + ", the access is ." +
                       std::string(isa::name_of(space)));
  }
  const bool reads_only =
      instruction.opcode == isa::Opcode::ld || instruction.opcode == isa::Opcode::multimem_load;
  if (!reads_only && (own == Space::const_ || own == Space::param)) {
    fail(position, "variable " + name + " is ." + std::string(isa::name_of(own)) + " and cannot be written");
  }
  const bool atomic = instruction.opcode == isa::Opcode::atom || instruction.opcode == isa::Opcode::red;
  const bool strong = instruction.modifiers.semantics != Semantics::weak;
  if ((atomic || strong) && own != Space::global && own != Space::shared) {
    fail(position, "variable " + name + " is ." + std::string(isa::name_of(own)) +
                       ", a strong access is of .global or .shared memory");
  }
  if ((instruction.modifiers.semantics == Semantics::mmio || instruction.modifiers.mmio) &&
      own != Space::global) {
    fail(position,
         "variable " + name + " is ." + std::string(isa::name_of(own)) + ", .mmio is for .global memory");
  }
  if (!location.cta || *location.cta == info_.cta) return;
  if (space == Space::shared || space == Space::shared_cta) {
    fail(position, "the address names " + name + " of another CTA, expected .shared::cluster");
  }
  const auto& threads = graph_.threads;
  const bool near = std::any_of(threads.begin(), threads.end(), [&](const event::ThreadInfo& other) {
    return !other.host && other.cta == *location.cta && other.cluster == info_.cluster;
  });
  if (!near) fail(position, "the address names " + name + " of a CTA in another cluster");
}

/// Where an operand of an asynchronous operation points.
Location Addresses::tile_location(const Operand& operand, const State& state) {
  const auto* written = std::get_if<program::Address>(&operand.value);
  if (!written) fail(operand.position, "expected an address");
  if (!written->variable.empty()) return base_location(operand);
  const Expr base = registers_.base_register(state, *written, operand.position);
  if (!unit_.places.is_fixed(pool_, base)) {
    unsupported(
        operand.position,
        "an asynchronous operation, or a multimem instruction, through an address that is not constant");
  }
  return located(base, operand);
}

}  // namespace ptxmc::lower
