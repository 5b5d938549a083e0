// SPDX-License-Identifier: Apache-2.0
// st.async (9.7.8.12) and red.async (9.7.12.7): done at once, which is one of the moments at which they may be. st.bulk and
// discard: weak writes of many bytes.
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/atomics.h"
#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

using isa::Role;
using trace::Range;
using trace::Tracking;

constexpr std::uint32_t kLine = 128;  // bytes that discard takes (9.7.8.16)
constexpr std::uint32_t kPiece = 16;  // bytes of an access that fills memory

}  // namespace

/// The bytes of an operation arrive: they count to the object, in the phase that was told with it.
void AsyncStores::signal(Warp& warp, const Step& step, unsigned lane, Address at, std::uint64_t bytes) {
  Mbarrier* found = machine_.mbarriers.object(warp, step, at, lane);
  if (found == nullptr || machine_.mbarriers.is_late({at, found->number, bytes, 0})) return;
  machine_.mbarriers.count_bytes(warp, step, lane, at, *found, -static_cast<std::int64_t>(bytes));
  machine_.mbarriers.try_complete(at, *found);
}

/// Memory and object are in the shared memory of one other CTA (R128).
void AsyncStores::check_remote(Warp& warp, const Step& step, unsigned lane, Address at, Address object) {
  if (Memory::cta_of(object) != Memory::cta_of(at))
    run_.fault(RuleId::bad_operand, step, warp, lane,
               fmt::format("{} and the mbarrier object {} are in shared memory of different CTAs",
                           run_.memory->name_at(at), run_.memory->name_at(object)));
  else if (Memory::cta_of(at) == warp.cta)
    run_.fault(RuleId::bad_operand, step, warp, lane,
               fmt::format("{} is of the executing CTA, and the operation is for memory of another one",
                           run_.memory->name_at(at)));
}

/// Through the generic proxy, as is the default (readings: async_stores).
void AsyncStores::store_async(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  const isa::Modifiers& m = step.modifiers();
  const std::uint32_t total = m.type->bits / 8U * m.vector;
  const auto bytes = total / static_cast<std::uint32_t>(step.elements.size());  // .b128: of its halves
  const bool signals = step.mbarrier.base != kNoSlot;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, mask, total, at);
  for_lanes(reached.lanes, [&](unsigned lane) {
    const Memory::Span span = machine_.accesses.span_of(reached, at[lane], total);
    for (std::size_t e = 0; e < step.elements.size(); ++e) {
      const Slot slot = step.elements[e];
      Memory::store(span.data + e * bytes, bytes, warp.row(slot)[lane]);
      span.set_sources(e * bytes, bytes, warp.taint(slot).of(lane));
      machine_.forms.store_form(warp, slot, lane, span, at[lane] + e * bytes, e * bytes, bytes);
    }
    const Address object_at = signals ? run_.address(warp, step, step.mbarrier, lane) : 0;
    if (signals && machine_.mbarriers.object(warp, step, object_at, lane) == nullptr) return;
    if (signals) check_remote(warp, step, lane, at[lane], object_at);
    ++run_.changes;
    tell(warp, step, lane, {at[lane], total}, object_at);
    if (signals) signal(warp, step, lane, object_at, total);
  });
}

/// `object`: the mbarrier object that is signalled, or 0.
void AsyncStores::tell(Warp& warp, const Step& step, unsigned lane, const Range& written, Address object) {
  const isa::Modifiers& m = step.modifiers();
  const bool signals = step.mbarrier.base != kNoSlot;
  trace::Operation told =
      machine_.copies.operation(warp, step, lane, signals ? Tracking::mbarrier : Tracking::none, object);
  told.proxy = isa::Proxy::generic;
  told.writes = {&written, 1};
  told.reduces = step.instruction->opcode == isa::Opcode::red_async;
  if (told.reduces) told.commutes = commuting(m);
  if (told.reduces || m.semantics == isa::Semantics::release) told.strength = {m.semantics, m.scope};
  if (machine_.blocks.follow()) machine_.blocks.refuse_global(step, written);
  run_.observer.issue(told);
}

void AsyncStores::reduce_async(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  const isa::Modifiers& m = step.modifiers();
  const std::uint32_t bytes = m.type->bits / 8U;
  const bool signals = step.mbarrier.base != kNoSlot;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, mask, bytes, at);
  for_lanes(reached.lanes, [&](unsigned lane) {
    const Address object_at = signals ? run_.address(warp, step, step.mbarrier, lane) : 0;
    if (signals && machine_.mbarriers.object(warp, step, object_at, lane) == nullptr) return;
    if (signals) check_remote(warp, step, lane, at[lane], object_at);
    const Memory::Span span = machine_.accesses.span_of(reached, at[lane], bytes);
    const Slot value = step.slot(Role::value);
    const auto result = combined(m, Memory::load(span.data, bytes), warp.row(value)[lane], 0);
    Sources sources = static_cast<Sources>(span.sources(0, bytes) | warp.taint(value).of(lane));
    if (!result) sources |= bit(Source::data);
    Memory::store(span.data, bytes, result.value_or(0));
    span.set_sources(0, bytes, sources);
    ++run_.changes;
    tell(warp, step, lane, {at[lane], bytes}, object_at);
    if (signals) signal(warp, step, lane, object_at, bytes);
  });
}

/// A weak write of the whole range by one lane.
void AsyncStores::set_bytes(Warp& warp, const Step& step, unsigned lane, const Range& range,
                            std::uint8_t byte, Sources sources) {
  const Memory::Span span = *run_.memory->span(range.begin, range.bytes);
  std::memset(span.data, byte, range.bytes);
  span.set_sources(0, static_cast<std::uint32_t>(range.bytes), sources);
  ++run_.changes;
  Row at{};
  for (std::uint64_t done = 0; done < range.bytes;) {
    const std::uint64_t bytes = std::min<std::uint64_t>(kPiece, range.bytes - done);
    at[lane] = range.begin + done;
    machine_.accesses.tell_weak(warp, step, LaneMask{1} << lane, trace::Effect::write, bytes, at);
    done += bytes;
  }
}

/// st.bulk, of later editions: zeros.
void AsyncStores::fill_bulk(Warp& warp, const Step& step, LaneMask mask) {
  constexpr std::uint64_t kUnit = 8;
  run_.decided_by(warp, step, Role::bytes, Decided::control, mask);
  for_lanes(mask, [&](unsigned lane) {
    const Range range{run_.address(warp, step, step.address, lane), value_of(warp, step, Role::bytes, lane)};
    if (range.bytes % kUnit != 0)
      return run_.fault(RuleId::bad_operand, step, warp, lane,
                        fmt::format("{} bytes, which is no multiple of 8", range.bytes));
    if (!machine_.forms.is_aligned(warp, step, lane, step.address.base, range.begin, kUnit))
      return run_.fault(RuleId::misaligned, step, warp, lane,
                        fmt::format("{} bytes at {}", range.bytes, run_.memory->name_at(range.begin)));
    if (range.bytes != 0 && machine_.copies.writable(warp, step, lane, range, step.address.base))
      set_bytes(warp, step, lane, range, 0, 0);
  });
}

/// A weak write of a cache line, whose value is not known (R113, D46).
void AsyncStores::discard(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    const Range range{run_.address(warp, step, step.address, lane), kLine};
    if (is_line(warp, step, lane, range) &&
        machine_.copies.writable(warp, step, lane, range, step.address.base))
      set_bytes(warp, step, lane, range, 0, bit(Source::data));
  });
}

/// 9.7.8.15.
void AsyncStores::apply_priority(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    const Range range{run_.address(warp, step, step.address, lane), kLine};
    if (is_line(warp, step, lane, range))
      machine_.copies.in_memory(warp, step, lane, range, step.address.base);
  });
}

/// A cache line of global memory, which these two instructions are about.
bool AsyncStores::is_line(Warp& warp, const Step& step, unsigned lane, const Range& range) {
  if (machine_.forms.is_aligned(warp, step, lane, step.address.base, range.begin, kLine))
    return machine_.copies.in_global(warp, step, lane, range);
  run_.fault(RuleId::misaligned, step, warp, lane,
             fmt::format("{} bytes at {}", kLine, run_.memory->name_at(range.begin)));
  return false;
}

}  // namespace ptxmc::exec
