// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/run_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/address_forms.h"
#include "dynamic/exec/block_values.h"

namespace ptxmc::exec {

/// The fault of the step, of which this may be one more instance.
Fault& RunState::add_fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what) {
  const auto [known, fresh] = fault_of_.try_emplace({kind, step.site}, outcome.faults.size());
  if (fresh) {
    outcome.faults.push_back({kind, step.site, thread_of(warp, lane), std::move(what)});
  } else {
    ++outcome.faults[known->second].instances;
  }
  return outcome.faults[known->second];
}

void RunState::fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what) {
  add_fault(kind, step, warp, lane, std::move(what));
}

void RunState::fault(RuleId kind, Misuse misuse, const Step& step, const Warp& warp, unsigned lane,
                     std::string what) {
  add_fault(kind, step, warp, lane, std::move(what)).note(misuse);
}

void RunState::misuse(Misuse misuse, const Step& step, const Warp& warp, unsigned lane, std::string what) {
  fault(RuleId::mbarrier_misuse, misuse, step, warp, lane, std::move(what));
}

Fault& RunState::address_fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane,
                               std::string what, Sources behind) {
  std::vector<Slot> slots = step.coordinates;
  slots.insert(slots.end(), {step.address.base, step.source.base, step.tensor.base, step.guard});
  const bool guided = (warp.guided >> lane & 1U) != 0;
  const bool guessed =
      guided || (behind & bit(Source::data)) != 0 || std::any_of(slots.begin(), slots.end(), [&](Slot slot) {
        return slot != kNoSlot && (warp.registers.taints[slot].of(lane) & bit(Source::data)) != 0;
      });
  Fault& fault = add_fault(kind, step, warp, lane, std::move(what));
  fault.guessed = guessed && (fault.instances == 1 || fault.guessed);
  return fault;
}

Fault& RunState::overrun(const Step& step, const Warp& warp, unsigned lane, std::string what) {
  return address_fault(RuleId::out_of_bounds, step, warp, lane, std::move(what), 0);
}

void RunState::out_of_bounds(const Step& step, const Warp& warp, unsigned lane, const trace::Range& bytes) {
  const Heap::Block* const block =
      Memory::is_heap(bytes.begin) ? memory->heap().block_before(bytes.begin) : nullptr;
  Fault& fault = overrun(step, warp, lane,
                         fmt::format("{} bytes at {}{}", bytes.bytes, memory->name_at(bytes.begin),
                                     block != nullptr && block->freed ? ", which was freed" : ""));
  const auto last = memory->ended_before(bytes.begin + bytes.bytes - 1);
  if (!last || (!fault.object.empty() && fault.object != last->name)) return;
  fault.object = last->name;
  fault.bytes = last->bytes;
  fault.enough = std::max(fault.enough, last->offset + 1);
}

void RunState::decided(const Step& step, Decided what, Sources sources, bool both_sides) {
  if ((sources & bit(Source::block)) != 0) {
    if (grid != nullptr) grid->refuse(step.site);
    sources = without_block(sources);
    if (sources == 0) return;
  }
  Decision& decision = decisions[{step.site, what}];
  decision.site = step.site;
  decision.what = what;
  decision.sources |= as_said(sources);
  decision.both_sides |= both_sides;
}

void RunState::decided_by(Warp& warp, const Step& step, Slot slot, Decided what, LaneMask lanes) {
  if (const Sources sources = warp.taint(slot).within(lanes); sources != 0)
    decided(step, what, sources, false);
}

void RunState::decided_by(Warp& warp, const Step& step, isa::Role role, Decided what, LaneMask lanes) {
  if (step.has(role)) decided_by(warp, step, step.slot(role), what, lanes);
}

/// An operand as a flat address: offsets in windows are told apart by the state space (memory.h).
Resolved RunState::resolve(Warp& warp, const Step& step, const Place& place, unsigned lane) {
  const Address at = (warp.row(place.base)[lane] + static_cast<Address>(place.offset)) & place.wraps;
  switch (place.space) {
    case isa::Space::shared:
    case isa::Space::shared_cta:
    case isa::Space::shared_cluster:
      return in_window(warp, step, place, at);
    case isa::Space::local:
      if (Memory::is_flat(at)) return {Memory::kNowhere | at};
      return {memory->local(thread_of(warp, lane)) + Memory::in_window(at)};
    default:
      break;
  }
  // A variable of shared or local memory, by its name: an offset.
  if (!place.names_variable || Memory::is_flat(at)) return {at};
  return {place.of_local ? memory->local(thread_of(warp, lane)) + at
                         : memory->shared(warp.cta) + Memory::in_window(at)};
}

/// Without ::cluster it is the window of the executing CTA (5.1.7).
Resolved RunState::in_window(const Warp& warp, const Step& step, const Place& place, Address at) const {
  const Cta& cta = ctas[warp.cta];
  if (Memory::is_flat(at)) {
    if (!Memory::is_shared(at)) return {Memory::kNowhere | at};
    // Hardware takes the low bits of this one.
    if (step.instruction->opcode == isa::Opcode::tcgen05_alloc)
      return {memory->shared(warp.cta) + Memory::in_window(at), RuleId::generic_address};
    return {at, RuleId::wrong_space};
  }
  const std::uint64_t rank = at >> Memory::kWindowBits;
  const std::vector<std::uint32_t>& members = clusters[cta.cluster].ctas;
  if (rank >= members.size()) return {Memory::kNowhere | at};
  const bool own = rank == cta.rank || place.space == isa::Space::shared_cluster;
  return {memory->shared(members[rank]) + Memory::in_window(at),
          own ? std::nullopt : std::optional(RuleId::wrong_space)};
}

/// What is wrong with it is said, and the run goes on where it points.
Address RunState::located(Warp& warp, const Step& step, const Place& place, unsigned lane) {
  const Resolved out = resolve(warp, step, place, lane);
  if (!out.wrong) {
    note_rank(warp, step, place, lane, out.at);
    return out.at;
  }
  const bool foreign = Memory::cta_of(out.at) != warp.cta;
  address_fault(
      *out.wrong, step, warp, lane,
      fmt::format("{}, {}", memory->name_at(out.at),
                  foreign
                      ? "in the window of another CTA: an operand without ::cluster is of the executing one"
                      : "by a generic address, where the operand is one of .shared"));
  return out.at;
}

/// How an address moves from block to block, the instruction tells (block_values.h).
void RunState::decided_by_address(Warp& warp, const Step& step, const Place& place, LaneMask lanes) {
  if (const Sources sources = without_block(warp.taint(place.base).within(lanes)); sources != 0)
    decided(step, Decided::address, sources, false);
}

Address RunState::address(Warp& warp, const Step& step, const Place& place, unsigned lane) {
  decided_by_address(warp, step, place, LaneMask{1} << lane);
  return located(warp, step, place, lane);
}

/// An address of another CTA that mapa did not make: its number is in bits that the manual does not give.
void RunState::note_rank(const Warp& warp, const Step& step, const Place& place, unsigned lane, Address at) {
  if (!Memory::is_shared(at)) return;
  const Places::Bounds* const bounds = places->bounds(AddressForms::form_of(warp, place.base, lane));
  if (bounds != nullptr && rank_at(at) != bounds->rank.value_or(ctas[warp.cta].rank))
    outcome.ranks.insert(step.site);
}

void RunState::addresses(Warp& warp, const Step& step, const Place& place, LaneMask mask, Row& out) {
  const bool plain = place.space == isa::Space::global || place.space == isa::Space::const_ ||
                     (place.space == isa::Space::generic && !place.names_variable);
  const Row& base = warp.row(place.base);
  const auto offset = static_cast<Address>(place.offset);
  if (plain) {
    for_lanes(mask, [&](unsigned l) { out[l] = (base[l] + offset) & place.wraps; });
    if (place.space == isa::Space::generic && clusters[ctas[warp.cta].cluster].ctas.size() > 1)
      for_lanes(mask, [&](unsigned l) { note_rank(warp, step, place, l, out[l]); });
  } else if (place.space == isa::Space::shared || place.space == isa::Space::shared_cta) {
    const Address window = memory->shared(warp.cta), own = Memory::in_cluster(ctas[warp.cta].rank, 0);
    for_lanes(mask, [&](unsigned l) {
      const Address at = (base[l] + offset) & place.wraps, in_own = at ^ own;
      out[l] = in_own >> Memory::kWindowBits == 0 ? window + in_own : located(warp, step, place, l);
    });
  } else {
    for_lanes(mask, [&](unsigned l) { out[l] = located(warp, step, place, l); });
  }
  decided_by_address(warp, step, place, mask);
}

/// The rank of the CTA whose shared memory the address is in; 0 if it is in none.
std::uint64_t RunState::rank_at(Address flat) const {
  const bool known = Memory::is_shared(flat) && Memory::cta_of(flat) < ctas.size();
  return known ? ctas[Memory::cta_of(flat)].rank : 0;
}

}  // namespace ptxmc::exec
