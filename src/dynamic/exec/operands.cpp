// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/operands.h"

namespace ptxmc::exec {

void set_register(Warp& warp, const Step& step, Slot slot, unsigned lane, std::uint64_t value) {
  if (slot == kNoSlot) return;
  const std::uint16_t width = warp.codes[lane]->widths[slot];
  const isa::Modifiers& m = step.modifiers();
  const bool is_signed = m.type ? m.type->is_signed() : true;
  const std::uint16_t from = m.type ? m.type->bits : 64;
  if (is_signed && from < 64 && from < width)
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64U - from)) >> (64U - from));
  warp.row(slot)[lane] = width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

Taint taint_of(Warp& warp, const Step& step) {
  Taint all;
  for (std::size_t i = 0; i < step.source_count; ++i) all |= warp.taint(step.sources[i]);
  for (const isa::Role role : {isa::Role::predicate, isa::Role::state}) {
    if (step.has(role)) all |= warp.taint(step.slot(role));
  }
  if (step.guard != kNoSlot) all |= warp.taint(step.guard);
  return all;
}

}  // namespace ptxmc::exec
