// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/local_variables.h"

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// Calls `function(thread, object)` for the variable of each lane. The flattener names local variables alone; a form that a user
/// writes may name anything, and means nothing.
template <typename Function>
void LocalVariables::for_variables(const Warp& warp, const Step& step, LaneMask mask, Function&& function) {
  const Slot slot = step.slot(isa::Role::a);
  for_lanes(mask, [&](unsigned lane) {
    const Places::Bounds* const bounds = run_.places->bounds(AddressForms::form_of(warp, slot, lane));
    if (bounds != nullptr && bounds->object.space == isa::Space::local)
      function(thread_of(warp, lane), bounds->object);
  });
}

void LocalVariables::begin(Warp& warp, const Step& step, LaneMask mask) {
  for_variables(warp, step, mask, [&](std::uint32_t thread, const Places::Object& object) {
    ended_.erase({thread, object.begin});
    run_.memory->taint(run_.memory->local(thread) + object.begin, object.bytes, bit(Source::data));
  });
}

void LocalVariables::end(Warp& warp, const Step& step, LaneMask mask) {
  for_variables(warp, step, mask, [&](std::uint32_t thread, const Places::Object& object) {
    ended_.emplace(thread, object.begin);
  });
}

}  // namespace ptxmc::exec
