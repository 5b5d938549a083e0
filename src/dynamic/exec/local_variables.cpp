// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/local_variables.h"

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

/// The flattener names local variables alone; a form that a user writes may name anything, and begins nothing.
bool is_local(const Places::Bounds* bounds) {
  return bounds != nullptr && bounds->object.space == isa::Space::local;
}

}  // namespace

void LocalVariables::begin(Warp& warp, const Step& step, LaneMask mask) {
  const Slot slot = step.slot(isa::Role::a);
  for_lanes(mask, [&](unsigned lane) {
    const Places::Bounds* const bounds = run_.places->bounds(AddressForms::form_of(warp, slot, lane));
    if (!is_local(bounds)) return;
    const std::uint32_t thread = thread_of(warp, lane);
    ended_.erase({thread, bounds->object.begin});
    const Address at = run_.memory->local(thread) + bounds->object.begin;
    run_.memory->taint(at, bounds->object.bytes, bit(Source::data));
  });
}

void LocalVariables::end(Warp& warp, const Step& step, LaneMask mask) {
  const Slot slot = step.slot(isa::Role::a);
  for_lanes(mask, [&](unsigned lane) {
    const Places::Bounds* const bounds = run_.places->bounds(AddressForms::form_of(warp, slot, lane));
    if (!is_local(bounds)) return;
    ended_.emplace(thread_of(warp, lane), bounds->object.begin);
  });
}

}  // namespace ptxmc::exec
