// SPDX-License-Identifier: Apache-2.0
// multimem.ld_reduce, multimem.st and multimem.red (9.7.8.13): of each lane a load, a store or an atomic of each location
// that its address stands for (8.2.3, R9). What one instruction does there has no order and is not atomic together; to the
// observer each is an access through an alias of the location (D50).
#include <fmt/format.h>

#include "dynamic/exec/atomics.h"
#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using trace::Effect;

/// What a reduction makes of what a location holds, whatever that is.
std::optional<trace::Rewrites> reduction_rewrites(Warp& warp, const Step& step) {
  if (step.instruction->opcode != Opcode::multimem_reduce || step.elements.size() != 1) return std::nullopt;
  const Slot value = step.elements.front();
  return trace::Rewrites{
      {combined, &step.modifiers()}, warp.row(value), warp.row(value), warp.taint(value).open()};
}

}  // namespace

/// Those of the lanes whose bytes are there and aligned; the others are faults.
LaneMask Multimem::reach_locations(Warp& warp, const Step& step, LaneMask mask, const Row& at,
                                   std::uint32_t bytes) {
  LaneMask out = 0;
  for_lanes(mask, [&](unsigned lane) {
    if (!Memory::is_multimem(at[lane])) {
      run_.address_fault(RuleId::wrong_space, step, warp, lane,
                         fmt::format("{} bytes at {}, which is no multimem address (8.2.3)", bytes,
                                     run_.memory->name_at(at[lane])));
    } else if (run_.memory->locations_at(at[lane], bytes).empty()) {
      run_.out_of_bounds(step, warp, lane, {at[lane], bytes});
    } else if (!machine_.forms.in_object(warp, step, lane, {at[lane], bytes}, step.address.base)) {
      return;
    } else if (!machine_.forms.is_aligned(warp, step, lane, step.address.base, at[lane], bytes)) {
      run_.address_fault(RuleId::misaligned, step, warp, lane,
                         fmt::format("{} bytes at {}", bytes, run_.memory->name_at(at[lane])));
    } else {
      out |= LaneMask{1} << lane;
    }
  });
  return out;
}

void Multimem::multimem(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  run_.addresses(warp, step, step.address, mask, at);
  const std::uint32_t total = step.bytes();
  mask = reach_locations(warp, step, mask, at, total);
  const bool loads = step.instruction->opcode == Opcode::multimem_load;
  Reduced result(loads ? step.elements.size() : 0);
  for (std::size_t location = 0;; ++location) {
    LaneMask there = 0;
    Row places{};
    for_lanes(mask, [&](unsigned lane) {
      const std::vector<Address> all = run_.memory->locations_at(at[lane], total);
      if (location >= all.size()) return;
      there |= LaneMask{1} << lane;
      places[lane] = all[location];
    });
    if (there == 0) break;
    if (loads) {
      load_location(warp, step, there, places, location == 0, result);
    } else {
      write_location(warp, step, there, places);
    }
  }
  const bool strong = step.modifiers().semantics != isa::Semantics::weak;
  for (std::size_t e = 0; e < result.size(); ++e) {
    const Slot slot = step.elements[e];
    if (slot == kNoSlot) continue;
    Taint taint = result[e].taint;
    if (step.guard != kNoSlot) taint |= warp.taint(step.guard);
    if (strong) taint.timing |= mask;
    for_lanes(mask, [&](unsigned lane) { set_register(warp, step, slot, lane, result[e].value[lane]); });
    warp.taint(slot).assign(taint, mask);
  }
}

/// What is there, combined with what the locations before have.
void Multimem::load_location(Warp& warp, const Step& step, LaneMask mask, const Row& at, bool first,
                             Reduced& result) {
  const std::uint32_t total = step.bytes();
  const auto bytes = static_cast<std::uint32_t>(total / result.size());
  for (std::size_t e = 0; e < result.size(); ++e) {
    for_lanes(mask, [&](unsigned lane) {
      const Memory::Span span = *run_.memory->span(at[lane], total);
      const std::uint64_t value = Memory::load(span.data + e * bytes, bytes);
      Sources sources = span.sources(e * bytes, bytes);
      std::uint64_t& sum = result[e].value[lane];
      if (first) {
        sum = value;
      } else {
        const auto both = combined(step.modifiers(), sum, value, 0);
        sum = both.value_or(0);
        sources = static_cast<Sources>(sources | result[e].taint.of(lane) | (both ? 0 : bit(Source::data)));
      }
      result[e].taint.set(lane, sources);
    });
  }
  machine_.accesses.observe(warp, step, mask, at, Effect::read, {}, 0);
}

void Multimem::write_location(Warp& warp, const Step& step, LaneMask mask, const Row& at) {
  const bool reduces = step.instruction->opcode == Opcode::multimem_reduce;
  const std::uint32_t total = step.bytes();
  const std::size_t count = step.elements.size();
  const auto bytes = static_cast<std::uint32_t>(total / count);
  LaneMask tainted = 0;
  for_lanes(mask, [&](unsigned lane) {
    const Memory::Span span = *run_.memory->span(at[lane], total);
    for (std::size_t e = 0; e < count; ++e) {
      const std::uint64_t old = Memory::load(span.data + e * bytes, bytes);
      std::uint64_t value = warp.row(step.elements[e])[lane];
      Sources sources = warp.taint(step.elements[e]).of(lane);
      if (reduces) {
        const auto both = combined(step.modifiers(), old, value, 0);
        value = both.value_or(0);
        sources =
            static_cast<Sources>(sources | span.sources(e * bytes, bytes) | (both ? 0 : bit(Source::data)));
      }
      if (step.guard != kNoSlot) sources = static_cast<Sources>(sources | warp.taint(step.guard).of(lane));
      if (bytes < 8) value &= (std::uint64_t{1} << (bytes * 8)) - 1;
      if (value != old) ++run_.changes;
      Memory::store(span.data + e * bytes, bytes, value);
      span.set_sources(e * bytes, bytes, sources);
      if (open(sources) != 0) tainted |= LaneMask{1} << lane;
    }
    if (machine_.contention.follows(at[lane])) run_.outcome.turns_told = false;  // it has no turn
  });
  const std::optional<trace::Rewrites> rewrites = reduction_rewrites(warp, step);
  machine_.accesses.observe(warp, step, mask, at, reduces ? Effect::update : Effect::write, {}, tainted,
                            nullptr, rewrites ? &*rewrites : nullptr);
  machine_.polls.compare_with_awaited(warp, step, mask, at);
}

}  // namespace ptxmc::exec
