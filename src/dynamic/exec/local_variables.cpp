// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/local_variables.h"

#include <algorithm>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// Null: not a local variable. The flattener names these alone; a form that a user writes may name anything, and means nothing.
LocalVariables::Calls* LocalVariables::calls_of(const Warp& warp, const Step& step, unsigned lane) {
  const Places::Bounds* const bounds =
      run_.places->bounds(AddressForms::form_of(warp, step.slot(isa::Role::a), lane));
  if (bounds == nullptr || bounds->object.space != isa::Space::local) return nullptr;
  return &calls_[{thread_of(warp, lane), bounds->object.begin}];
}

/// The first call of each thread has the address of the variable itself.
Form LocalVariables::address_in_call(const Places::Object& object, std::size_t call) {
  const auto [known, fresh] = later_addresses_.try_emplace({object.begin, call});
  if (fresh) known->second = run_.places->fresh(object);
  return known->second;
}

/// Operands that name the variable, whose address one of them is, mean that of this call.
void LocalVariables::set_addresses(Warp& warp, unsigned lane, Slot slot, Form form) {
  const auto& constants = warp.codes[lane]->constants;
  const auto own = std::find_if(constants.begin(), constants.end(),
                                [&](const Constant& constant) { return constant.slot == slot; });
  if (own == constants.end()) return;
  for (const Constant& constant : constants) {
    if (constant.variable == own->variable) AddressForms::set_form(warp, constant.slot, lane, form);
  }
}

void LocalVariables::begin(Warp& warp, const Step& step, LaneMask mask) {
  const Slot slot = step.slot(isa::Role::a);
  for_lanes(mask, [&](unsigned lane) {
    Calls* const calls = calls_of(warp, step, lane);
    if (calls == nullptr) return;
    const Places::Object object = run_.places->bounds(AddressForms::form_of(warp, slot, lane))->object;
    if (calls->begun++ != 0) set_addresses(warp, lane, slot, address_in_call(object, calls->begun));
    const Places::Bounds* const now = run_.places->bounds(AddressForms::form_of(warp, slot, lane));
    calls->live = now == nullptr ? std::nullopt : std::optional(now->of_object);
    run_.memory->taint(run_.memory->local(thread_of(warp, lane)) + object.begin, object.bytes,
                       bit(Source::data));
  });
}

void LocalVariables::end(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    if (Calls* const calls = calls_of(warp, step, lane)) calls->live.reset();
  });
}

}  // namespace ptxmc::exec
