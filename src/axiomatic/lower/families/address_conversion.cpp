// SPDX-License-Identifier: Apache-2.0
// cvta (9.7.8.19) and mapa (9.7.8.22): addresses of instances of .shared variables.
//
// A plain address of a .shared variable means the accessing thread's own instance, as addresses of the
// .shared::cta window do. A generic address, and one that mapa makes, names the instance of one CTA,
// whichever thread uses it. Other spaces have one address for all (.local: the window is the same, the memory
// behind it each thread's own).
#include "axiomatic/lower/families/address_conversion.h"

#include <algorithm>

namespace ptxmc::lower {

void AddressConversion::convert_address(const Instruction& instruction, State& state) {
  const Width width = registers_.operation_width(instruction);
  const Operand& source = instruction.operand(Role::a);
  Expr result = registers_.operand(state, source, width);
  const bool fixed = unit_.places.is_fixed(pool_, result);
  const auto location = unit_.places.locate(pool_, result);
  const bool mapa = instruction.opcode == isa::Opcode::mapa;
  const bool shared = location && layout_.is_shared(location->variable);
  if (mapa || !instruction.modifiers.to_space) {
    if (mapa && fixed && !shared) fail(source.position, "expected the address of a .shared variable");
    const bool of_shared = instruction.modifiers.space == isa::Space::shared ||
                           instruction.modifiers.space == isa::Space::shared_cta || mapa;
    if (of_shared && !fixed) {
      unsupported(source.position, "`" + instruction.text + "` of an address that is not constant");
    }
    std::optional<std::uint32_t> cta;
    if (shared) cta = location->cta.value_or(info_.cta);
    if (mapa) {
      const Expr rank = registers_.operand(state, instruction.operand(Role::rank), 32);
      if (!pool_.is_constant(rank)) {
        unsupported(instruction.position, "a CTA rank that is not constant");
      }
      cta = cta_of_rank(instruction, pool_[rank].constant);
    }
    if (shared) {
      layout_.use_address(location->variable, cta);
      result =
          pool_.make(event::Op::add, width, unit_.places.address(pool_, {location->variable, cta}, width),
                     pool_.constant(location->offset, width));
    }
  }
  registers_.write_register(state, instruction, instruction.operand(Role::result), {result, false});
}

/// isspacep (9.7.8.18) and getctarank (9.7.8.23), of addresses that are known.
void AddressConversion::query_address(const Instruction& instruction, State& state) {
  const Operand& source = instruction.operand(Role::a);
  const auto location = unit_.places.locate(pool_, registers_.operand(state, source, unit_.word()));
  if (!location)
    unsupported(source.position,
                "`" + instruction.text + "` of an address that names no variable, or one of several");
  const bool shared = layout_.is_shared(location->variable);
  const std::uint32_t cta = location->cta.value_or(info_.cta);
  const Operand& to = instruction.operand(Role::result);
  if (instruction.opcode == isa::Opcode::getctarank) {
    if (!shared) fail(source.position, "expected the address of a .shared variable");
    const Cluster ctas = cluster_ctas();
    const auto rank = std::find(ctas.begin(), ctas.end(), cta) - ctas.begin();
    return registers_.write_register(state, instruction, to, {pool_.constant(rank, 32), false});
  }
  if (shared && !location->cta)
    unsupported(source.position,
                "`" + instruction.text +
                    "` of an address of the .shared window, which is no generic one (cvta makes one)");
  const isa::Space space = instruction.modifiers.space;
  const bool window = space == isa::Space::shared || space == isa::Space::shared_cta;
  const bool cluster = space == isa::Space::shared_cluster;
  const bool inside = window    ? shared && cta == info_.cta
                      : cluster ? shared
                                : layout_.space(location->variable) == space;
  registers_.write_register(state, instruction, to, {pool_.truth(inside), false});
}

}  // namespace ptxmc::lower
