// SPDX-License-Identifier: Apache-2.0
// Who waits for what, where no thread can go on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

/// What the phase under way waits for.
std::string phase_of(const std::string& object, const Mbarrier& state) {
  std::string missing;
  if (state.pending != 0)
    missing = fmt::format("{} of {} arrivals", state.pending, std::max(state.expected, state.pending));
  if (state.transactions > 0)
    missing += fmt::format("{}{} bytes", missing.empty() ? "" : " and ", state.transactions);
  std::string out = fmt::format("phase {} of the mbarrier object at {}", state.phase, object);
  if (!missing.empty()) out += fmt::format(": {} are missing", missing);
  if (state.transactions < 0)
    out += fmt::format("{} {} bytes more have come than were expected", missing.empty() ? ":" : ",",
                       -state.transactions);
  return out;
}

constexpr std::string_view kChange = "a change of ", kInLoop = ", in a loop";

using AllWaiting = std::map<std::pair<trace::Site, std::string>, Waiting>;

/// Those that poll many places by one instruction are one.
void join_polls(AllWaiting& all) {
  constexpr std::size_t kMostPlaces = 4;
  std::map<trace::Site, std::size_t> places;
  const auto polls = [](const std::string& what) { return what.starts_with(kChange); };
  for (const auto& [key, waiting] : all) places[key.first] += polls(key.second) ? 1 : 0;
  for (const auto& [site, count] : places) {
    if (count <= kMostPlaces) continue;
    Waiting joined{site, fmt::format("{}memory{}", kChange, kInLoop), true, true, {}};
    std::erase_if(all, [&](const auto& entry) {
      const auto& [key, waiting] = entry;
      if (key.first != joined.site || !polls(key.second)) return false;
      joined.guessed = joined.guessed && waiting.guessed;
      joined.threads.insert(joined.threads.end(), waiting.threads.begin(), waiting.threads.end());
      return true;
    });
    std::sort(joined.threads.begin(), joined.threads.end());
    all[{site, joined.what}] = std::move(joined);
  }
}

}  // namespace

/// The mbarrier object whose phase a lane waits for; null: it waits for something else, or there is no object.
Hangs::AwaitedObject Hangs::awaited_object(Warp& warp, unsigned lane) {
  const bool tries = warp.wait[lane] == Wait::nothing && (warp.waiting >> lane & 1U) != 0;
  const Step* const step = tries ? warp.waits_at[lane] : nullptr;
  if (step == nullptr || step->mbarrier.base == kNoSlot) return {};
  const Address at = run_.resolve(warp, *step, step->mbarrier, lane).at;
  return {at, machine_.mbarriers.at(at)};
}

std::string Hangs::awaited(Warp& warp, unsigned lane) {
  switch (warp.wait[lane]) {
    case Wait::barrier:
      return fmt::format("barrier {}", warp.members[lane]);
    case Wait::cluster:
      return "the barrier of its cluster";
    case Wait::lanes:
      return fmt::format("lanes {:#x} of its warp", warp.members[lane]);
    case Wait::columns:
      return "columns of tensor memory that are free";
    case Wait::pair:
      return "a warp of the other CTA of the pair, which executes it, too";
    case Wait::products:
      return "the other warps of its warpgroup";
    case Wait::turn:
    case Wait::nothing:
      break;
  }
  if (const auto [at, object] = awaited_object(warp, lane); object != nullptr)
    return phase_of(run_.memory->name_at(at), *object);
  // A loop that waits, or one whose turns write.
  const Warp::LastRead& read = warp.last_read[lane];
  const bool reads = read.step != nullptr && read.when == run_.changes;
  return fmt::format("{}{}{}", kChange, reads ? run_.memory->name_at(read.at) : "memory", kInLoop);
}

/// In a loop, by contents of memory that the launch does not give.
bool Hangs::goes_round_by_data(Warp& warp, unsigned lane) {
  if (warp.wait[lane] != Wait::nothing) return false;
  if ((warp.waiting >> lane & 1U) == 0)
    return (warp.guided >> lane & 1U) != 0 && warp.guided_when[lane] == run_.changes;
  const Step& wait = *warp.waits_at[lane];
  const bool reads = wait.to != kNoSlot && (warp.taint(wait.to).of(lane) & bit(Source::data)) != 0;
  return reads && !machine_.polls.goes_round_surely(warp, wait, lane);
}

UnmetBarrier Hangs::unmet_barrier(const Warp& warp, unsigned id) const {
  const Cta& cta = run_.ctas[warp.cta];
  UnmetBarrier out;
  out.cta = warp.cta;
  out.id = id;
  out.count = cta.barriers[id].count;
  std::map<std::uint32_t, LaneMask> arrived;
  for (const NamedBarrier::Arrived& one : cta.barriers[id].arrived) arrived[one.warp] |= one.lanes;
  for (const std::uint32_t number : cta.warps) {
    const Warp& other = run_.warps[number];
    const LaneMask here = arrived[number];
    out.arrived += static_cast<std::uint32_t>(std::popcount(here));
    out.exited += static_cast<std::uint32_t>(std::popcount(other.exited & ~here));
    for_lanes(other.live() & ~here, [&](unsigned lane) { out.missing.push_back(thread_of(other, lane)); });
  }
  return out;
}

std::optional<UnmetPhase> Hangs::unmet_phase(Warp& warp, unsigned lane) {
  const Mbarrier* const object = awaited_object(warp, lane).object;
  if (object == nullptr) return std::nullopt;
  UnmetPhase out{
      object->phase, {}, std::max(object->expected, object->pending), object->pending, object->transactions};
  const Step& step = *warp.waits_at[lane];
  if (step.modifiers().parity) out.parity = value_of(warp, step, isa::Role::parity, lane) & 1U;
  return out;
}

void Hangs::report_waiting(std::uint32_t task) {
  AllWaiting found;
  for (Warp& warp : run_.warps) {
    if (warp.task != task) continue;
    for_lanes(warp.live(), [&](unsigned lane) {
      const bool blocked = warp.wait[lane] != Wait::nothing || (warp.waiting >> lane & 1U) != 0;
      const Warp::LastRead& read = warp.last_read[lane];
      const bool reads = read.step != nullptr && read.when == run_.changes;
      const trace::Site site = blocked ? warp.waits_at[lane]->site
                               : reads ? read.step->site
                                       : warp.place[lane];
      Waiting& waiting = found[{site, awaited(warp, lane)}];
      waiting.site = site;
      waiting.what = awaited(warp, lane);
      waiting.polls = warp.wait[lane] == Wait::nothing;
      waiting.guessed = goes_round_by_data(warp, lane) && (waiting.guessed || waiting.threads.empty());
      if (reads && read.step->site == site && waiting.threads.empty()) waiting.at = read.at;
      if (warp.wait[lane] == Wait::barrier && waiting.threads.empty())
        waiting.barrier = unmet_barrier(warp, warp.members[lane]);
      if (waiting.threads.empty()) waiting.phase = unmet_phase(warp, lane);
      waiting.threads.push_back(thread_of(warp, lane));
    });
  }
  join_polls(found);
  for (auto& [key, waiting] : found) run_.outcome.waiting.push_back(std::move(waiting));
}

}  // namespace ptxmc::exec
