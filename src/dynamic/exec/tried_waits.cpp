// SPDX-License-Identifier: Apache-2.0
// Tokens as a program runs (dynamic/exec/try_results.h). A try that gives one is taken to fail: a thread for which
// it succeeds skips the wait, which is no stronger. So every order after that wait is there without it, too.
#include <utility>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

bool is_no_stronger(const trace::Strength& wait, const trace::Strength& attempt) {
  const bool acquires = wait.semantics != isa::Semantics::relaxed;
  return (!acquires || wait.semantics == attempt.semantics) &&
         (wait.scope == attempt.scope || wait.scope == isa::Scope::cta);
}

}  // namespace

void TriedWaits::give_token(Warp& warp, const Step& step, const trace::Wait& look, LaneMask ready) {
  std::array<TryResultId, kLanes>& ids = warp.tokens[step.to];
  const std::size_t before = try_results_.size();
  for_lanes(look.lanes.mask, [&](unsigned lane) {
    const trace::Phase phase = run_.observer.awaited_phase(look, look.lanes.thread(lane));
    const bool is_ready = (ready >> lane & 1U) != 0;
    if (try_results_.size() == before || try_results_.back().phase != phase ||
        try_results_.back().ready != is_ready)
      try_results_.push_back({look, phase, is_ready});
    ids[lane] = static_cast<TryResultId>(try_results_.size());
  });
}

/// A result rests on what its inputs rest on: on one try, or it is not known on which.
void TriedWaits::pass_tokens(Warp& warp, const Step& step, LaneMask mask) {
  std::array<TryResultId, kLanes> ids{};
  LaneMask several = 0;
  const auto rests_on = [&](Slot slot) {
    if (slot == kNoSlot) return;
    const auto known = warp.tokens.find(slot);
    for_lanes(mask & warp.taint(slot).token, [&](unsigned lane) {
      const TryResultId id = known == warp.tokens.end() ? 0 : known->second[lane];
      if (id == 0 || (ids[lane] != 0 && ids[lane] != id)) several |= LaneMask{1} << lane;
      ids[lane] = id;
    });
  };
  for (std::size_t i = 0; i < step.source_count; ++i) rests_on(step.sources[i]);
  for (const isa::Role role : {isa::Role::predicate, isa::Role::state}) rests_on(step.slot(role));
  rests_on(step.guard);
  const auto write = [&](Slot slot) {
    if (slot == kNoSlot) return;
    std::array<TryResultId, kLanes>& all = warp.tokens[slot];
    for_lanes(mask, [&](unsigned lane) { all[lane] = (several >> lane & 1U) != 0 ? 0 : ids[lane]; });
  };
  for (const Slot slot : {step.to, step.second}) write(slot);
  for (const Slot slot : step.elements) write(slot);
  for (const auto& [from, to] : step.opposites) write(to);
}

/// Lanes at a branch that skips a wait, which a token alone decides and which do not skip it: that is seen at the wait.
LaneMask TriedWaits::wait_by_token(Warp& warp, const Step& step, LaneMask taken) {
  if (step.token == Step::Token::none) return 0;
  const Taint& guard = warp.taint(step.guard);
  const LaneMask waits = step.token == Step::Token::skips_if_taken ? warp.active & ~taken : taken;
  LaneMask lanes = waits & guard.token & ~(guard.data | guard.timing | guard.turns);
  const auto ids = warp.tokens.find(step.guard);
  if (ids == warp.tokens.end()) return 0;
  for_lanes(lanes, [&](unsigned lane) {
    warp.looked_for[lane] = ids->second[lane];
    if (ids->second[lane] == 0) lanes &= ~(LaneMask{1} << lane);
    warp.skips_at[lane] = &step;
  });
  return lanes;
}

/// A lane that may have skipped this wait tries it: it looked for the same phase, or it was no token of this wait, and what
/// the lane does rests on timing. True: it has skipped it then, as its try would have succeeded.
bool TriedWaits::has_skipped(Warp& warp, const trace::Wait& wait) {
  const auto lane = static_cast<unsigned>(std::countr_zero(wait.lanes.mask));
  const TryResultId id = std::exchange(warp.looked_for[lane], 0);
  if (id == 0) return false;
  TryResult look = try_results_[id - 1];
  const trace::Phase phase = run_.observer.awaited_phase(wait, wait.lanes.thread(lane));
  const bool same = look.wait.object == wait.object && look.wait.by_parity == wait.by_parity &&
                    look.wait.expected == wait.expected && look.phase == phase &&
                    is_no_stronger(wait.strength, look.wait.strength);
  const bool gone_by = look.ready && !wait.succeeded;  // who waited would wait forever
  if (same && !gone_by) return false;
  run_.decided(*warp.skips_at[lane], Decided::control, bit(Source::timing), true);
  if (!look.ready) return false;
  look.wait.lanes = wait.lanes;
  look.wait.succeeded = true;
  run_.observer.mbarrier_wait(look.wait);
  return true;
}

/// What a computation that is not executed leaves as it is would have been another value, had its guard held.
void TriedWaits::rest_on_guard(Warp& warp, const Step& step, LaneMask lanes) {
  const Taint& guard = warp.taint(step.guard);
  Taint more;
  more.assign(guard, lanes);
  if (more.any() == 0) return;
  const auto rests = [&](Slot slot) {
    if (slot == kNoSlot) return;
    if (const LaneMask tokens = more.token; tokens != 0) {
      const auto from = warp.tokens.find(step.guard);
      std::array<TryResultId, kLanes>& to = warp.tokens[slot];
      const LaneMask before = warp.taint(slot).token;
      for_lanes(tokens, [&](unsigned lane) {
        const TryResultId id = from == warp.tokens.end() ? 0 : from->second[lane];
        if ((before >> lane & 1U) == 0 || to[lane] == id) {
          to[lane] = id;
        } else {
          to[lane] = 0;
        }
      });
    }
    warp.taint(slot) |= more;
    machine_.shadow.forget(warp, slot, more.any());
  };
  for (const Slot slot : {step.to, step.second}) rests(slot);
  for (const Slot slot : step.elements) rests(slot);
  rests(step.slot(isa::Role::state));
}

}  // namespace ptxmc::exec
