// SPDX-License-Identifier: Apache-2.0
// malloc and free of device code. malloc gives memory whose place and contents are unknown; that it never gives null is
// assumed, and said in the claim. free is a write of all bytes by its thread: accesses of other threads must be ordered
// before it.
#include <fmt/format.h>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

using isa::Role;

void HeapCalls::allocate(Warp& warp, const Step& step, LaneMask mask) {
  ++run_.changes;
  const Slot size = step.slot(Role::bytes);
  const Taint sizes = warp.taint(size);
  FormRow forms{};
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t bytes = value_of(warp, step, Role::bytes, lane);
    Sources sources = sizes.of(lane);
    if (AddressForms::form_of(warp, size, lane) != Places::kNumber) sources |= bit(Source::place);
    const auto object = run_.memory->heap().allocate(thread_of(warp, lane), bytes);
    // Whether there is as much, or what malloc(0) gives, the machine says; and then anything may be there.
    if (!object) sources |= bit(Source::data);
    if (!object || bytes == 0)
      run_.decided(step, Decided::address, static_cast<Sources>(sources | bit(Source::machine)), false);
    else if (sources != 0)
      run_.decided(step, Decided::address, sources, false);
    if (step.to == kNoSlot) return;
    set_register(warp, step, step.to, lane, object ? object->begin : 0);
    warp.taint(step.to).set(lane, sources);
    if (object) forms[lane] = run_.places->fresh(*object);
  });
  if (step.to != kNoSlot) AddressForms::set_forms(warp, step.to, mask, forms);
}

/// What a lane frees; null: nothing, or what it must not.
Heap::Block* HeapCalls::block_to_free(Warp& warp, const Step& step, unsigned lane) {
  const Slot slot = step.slot(Role::a);
  const Address at = warp.row(slot)[lane];
  const Form form = AddressForms::form_of(warp, slot, lane);
  const Places::Bounds* const bounds = run_.places->bounds(form);
  Sources sources = warp.taint(slot).of(lane);
  const bool anywhere = bounds == nullptr ? form != Places::kNumber : bounds->low != bounds->high;
  if (anywhere) sources |= bit(Source::place);
  if (sources != 0) run_.decided(step, Decided::address, sources, false);
  if (at == 0 && form == Places::kNumber) return nullptr;
  Heap::Block* const block = Memory::is_heap(at) ? run_.memory->heap().block_before(at) : nullptr;
  const bool begins = block != nullptr && block->object.begin == at;
  const bool known = bounds == nullptr || (begins && bounds->object.begin == at);
  if (!begins || !known || block->freed) {
    const bool twice = begins && known;
    run_.address_fault(RuleId::bad_operand, step, warp, lane,
                       fmt::format("free of {}{}", run_.memory->name_at(at),
                                   twice ? ", which was freed" : ", which malloc did not give"),
                       sources);
    return nullptr;
  }
  return block;
}

void HeapCalls::free_blocks(Warp& warp, const Step& step, LaneMask mask) {
  ++run_.changes;
  constexpr std::uint8_t kWord = 4, kWords = Heap::kAlign / kWord;  // nothing else is in the last ones
  Row at = warp.row(step.slot(Role::a)), end{};
  LaneMask rest = 0;
  for_lanes(mask, [&](unsigned lane) {
    Heap::Block* const block = block_to_free(warp, step, lane);
    if (block == nullptr) return;
    run_.memory->heap().free(*block);
    end[lane] = at[lane] + block->object.bytes;
    if (block->object.bytes != 0) rest |= LaneMask{1} << lane;
  });
  while (rest != 0) {
    run_.observer.access({.site = step.site,
                          .lanes = lanes_of(warp, rest),
                          .effect = trace::Effect::write,
                          .proxy = isa::Proxy::generic,
                          .strength = {},
                          .bytes = kWord,
                          .elements = kWords,
                          .begin = at,
                          .written = {}});
    for_lanes(rest, [&](unsigned lane) {
      at[lane] += Heap::kAlign;
      if (at[lane] >= end[lane]) rest &= ~(LaneMask{1} << lane);
    });
  }
}

}  // namespace ptxmc::exec
