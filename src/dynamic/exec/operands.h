// SPDX-License-Identifier: Apache-2.0
// Operands of an instruction in one lane, and what they rest on.
#pragma once

#include "dynamic/exec/warp.h"

namespace ptxmc::exec {

inline trace::Lanes lanes_of(const Warp& warp, LaneMask mask) {
  return {warp.number, mask};
}
inline trace::Thread thread_of(const Warp& warp, unsigned lane) {
  return warp.number * kLanes + lane;
}

inline std::uint64_t value_of(Warp& warp, const Step& step, isa::Role role, unsigned lane) {
  return warp.row(step.slot(role))[lane];
}
/// A predicate, as the instruction has it: negated or not.
inline bool is_true(Warp& warp, const Step& step, isa::Role role, unsigned lane) {
  return ((warp.row(step.slot(role))[lane] & 1U) != 0) != step.is_negated(role);
}
/// A result that is written to a register, as wide as that.
void set_register(Warp& warp, const Step& step, Slot slot, unsigned lane, std::uint64_t value);
/// What a result rests on: its sources, its predicates, its guard.
Taint taint_of(Warp& warp, const Step& step);

}  // namespace ptxmc::exec
