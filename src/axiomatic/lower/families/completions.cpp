// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/completions.h"

#include <algorithm>

#include "finding/rules.h"

namespace ptxmc::lower {

EventId Completions::issue_event(const Instruction& instruction, Expr guard) {
  return unit_.add_event(new_event(EventKind::issue, instruction, guard));
}

/// The CTAs of a multicast: all of the cluster, or by the bits of its mask, which are ranks in it (D37); else
/// the one that the address names.
Cluster Completions::destinations(const Instruction& instruction, const State& state,
                                  const Location& location) {
  if (!instruction.modifiers.multicast) return {location.cta.value_or(info_.cta)};
  const Operand* named = instruction.find(Role::cta_mask);
  if (named == nullptr) return cluster_ctas();
  const Operand& operand = *named;
  const std::uint32_t mask = registers_.constant_operand(state, operand, "a CTA mask");
  const event::Value ranks = instruction.modifiers.wide_mask ? 32 : 16;
  const std::uint64_t largest = (std::uint64_t{1} << ranks) - 1;
  if (mask == 0 || mask > largest)
    fail(operand.position, "CTA mask " + std::to_string(mask) + ", expected 1 to " + std::to_string(largest));
  Cluster found;
  for (event::Value rank = 0; rank < ranks; ++rank) {
    if ((mask >> rank & 1U) != 0) found.push_back(cta_of_rank(instruction, rank));
  }
  return found;
}

std::uint32_t Completions::rank_of(std::uint32_t cta) const {
  const Cluster ctas = cluster_ctas();
  return static_cast<std::uint32_t>(std::find(ctas.begin(), ctas.end(), cta) - ctas.begin());
}

std::uint32_t Completions::signalled(const Instruction& instruction, const State& state, std::uint32_t cta) {
  if (instruction.modifiers.tensor.cta_group != 2) return cta;
  const Location object = addresses_.tile_location(instruction.operand(Role::mbarrier), state);
  const std::uint32_t parity = rank_of(object.cta.value_or(info_.cta)) & 1U;
  return cta_of_rank(instruction, static_cast<event::Value>((rank_of(cta) & ~1U) | parity));
}

/// The mbarrier object of a tensor copy with .cta_group::1 is in the CTA of its destination, that with .cta_group::2 in the
/// pair of CTAs, whose ranks differ in the last bit. Returns what is wrong otherwise.
std::string Completions::wrong_group(const Instruction& instruction, std::uint32_t owner,
                                     EventId write) const {
  const std::uint8_t group = instruction.modifiers.tensor.cta_group;
  if (group == 0 || !layout_.frozen()) return "";
  const std::uint32_t rank = rank_of(graph_.cells[graph_.events[write].cell].cta.value_or(info_.cta));
  const std::uint32_t other = rank_of(owner);
  if (group == 1 ? rank == other : rank / 2 == other / 2) return "";
  return "`" + instruction.text + "`: memory and mbarrier object are of different " +
         (group == 1 ? "CTAs" : "pairs of CTAs");
}

/// R128: what st.async or red.async accesses, and its mbarrier object, are in one other CTA of the cluster; otherwise its
/// behaviour is undefined.
bool Completions::is_wrong_remote(const Instruction& instruction, std::uint32_t owner, EventId access) const {
  const bool store =
      instruction.opcode == isa::Opcode::st_async || instruction.opcode == isa::Opcode::red_async;
  if (!store || !layout_.frozen()) return false;
  return graph_.cells[graph_.events[access].cell].cta != owner || owner == info_.cta;
}

void Completions::signal(const Instruction& instruction, const MbarrierPlace& place, EventId issue,
                         const std::vector<EventId>& accesses, std::optional<Expr> arrivals,
                         std::optional<Expr> bytes) {
  Event event = mbarriers_.mbarrier_event(EventKind::signal, event::MbarrierOp::signal, instruction, place);
  event.issue = issue;
  event.labels.semantics = isa::Semantics::release;
  event.labels.scope = isa::Scope::cluster;
  event.mbarrier->count = arrivals;
  event.mbarrier->tx = bytes;
  const EventId id = unit_.add_event(std::move(event));
  for (const EventId access : accesses) graph_.tracked.emplace_back(access, id);
}

/// The complete-tx of an asynchronous operation: it releases the operation's own accesses, in the CTA of the
/// mbarrier object, at cluster scope (8.9.1.1, D4). `where`: the condition under which it does this, within
/// the guard of its instruction.
void Completions::complete(const Instruction& instruction, State& state, EventId issue,
                           const Operand& mbarrier, std::uint32_t bytes, std::optional<std::uint32_t> cta,
                           const std::vector<EventId>& accesses, std::optional<Expr> where) {
  std::vector<MbarrierPlace> places;
  if (cta) {
    Location location = addresses_.tile_location(mbarrier, state);
    location.cta = cta;
    places.push_back(*mbarriers_.mbarrier_place(instruction, mbarrier, location, true));
    places.front().guard = graph_.events[issue].guard;
  } else {
    places = mbarriers_.mbarrier_places(instruction, mbarrier, state);
  }
  for (MbarrierPlace& place : places) {
    if (where) place.guard = pool_.conjunction(place.guard, *where);
    if (pool_.is_false(place.guard)) continue;
    const std::string wrong = wrong_group(instruction, place.owner, accesses.back());
    if (!wrong.empty() && place.guard == registers_.event_guard(instruction, state))
      fail(mbarrier.position, wrong);
    if (!wrong.empty() || is_wrong_remote(instruction, place.owner, accesses.front()))
      misuse(finding::RuleId::mbarrier_misuse, place.guard, instruction);
    signal(instruction, place, issue, accesses, std::nullopt, pool_.constant(bytes, unit_.word()));
  }
}

}  // namespace ptxmc::lower
