// SPDX-License-Identifier: Apache-2.0
// Both ways of a branch that open contents decide (both_branch_sides.h).
#include <algorithm>
#include <bit>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

constexpr unsigned kDeepest = 6;                      // branches in ways of branches
constexpr std::size_t kMostInstructions = 1U << 16U;  // instructions of a warp, of all ways from a branch

}  // namespace

/// Lanes that data alone sends one way take both, and stand after them. The others are left where they are;
/// true: there are none.
bool BranchSides::go_both_ways(Warp& warp, const Step& step, LaneMask taken) {
  const Taint& guard = warp.taint(step.guard);
  const LaneMask lanes =
      guard.data & ~(guard.timing | guard.turns | guard.token) & warp.active & ~(warp.waiting | warp.left);
  if (lanes == 0) return false;
  const Code& code = *warp.codes[static_cast<unsigned>(std::countr_zero(lanes))];
  const Sides& ways = both_sides_->of(code, step);
  if (!ways.plain) return false;
  const LaneMask all = warp.active;
  const trace::Site at = warp.at;
  Taking taking{lanes, taken, false, 0};
  std::size_t left = kMostInstructions;
  leads_outside_ = false;
  const bool done = take_both(warp, step, taking, left);
  warp.active = all;
  warp.at = at;
  if (!done) {
    if (leads_outside_) run_.outcome.open_ways.insert(step.site);
    return false;
  }
  run_.outcome.both_sides.insert(step.site);
  run_.outcome.executed[step.site] += static_cast<std::uint64_t>(std::popcount(lanes));
  warp.active = all & ~lanes;
  for_lanes(lanes, [&](unsigned lane) { warp.place[lane] = ways.meet; });
  if (warp.active == 0) {
    warp.active = lanes;
    warp.at = ways.meet;
  }
  warp.regroup_at();
  return (all & ~lanes) == 0;
}

/// The way that is not gone first: registers are then as they were. False: it cannot be told what the ways do.
bool BranchSides::take_both(Warp& warp, const Step& step, const Taking& taking, std::size_t& left) {
  const LaneMask lanes = taking.lanes;
  const Sides& ways = both_sides_->of(*warp.codes[static_cast<unsigned>(std::countr_zero(lanes))], step);
  if (!ways.plain || taking.depth == kDeepest) return false;
  std::vector<Row> rows;
  std::vector<Taint> taints;
  for (const Slot slot : ways.written) {
    rows.push_back(warp.row(slot));
    taints.push_back(warp.taint(slot));
  }
  const auto forget_all = [&] {  // what is known of single bits, and of terms, is of one way
    for (const Slot slot : ways.written) machine_.shadow.forget(warp, slot, lanes);
  };
  const TermRow guards = guard_terms(warp, step, lanes);
  const Taking other{lanes, lanes & ~taking.taken, true, taking.depth + 1};
  bool done = take_way_if(warp, step, ways, other, guards, left);
  for (std::size_t i = 0; i < ways.written.size(); ++i) {
    Row& row = warp.row(ways.written[i]);
    for_lanes(lanes, [&](unsigned lane) { row[lane] = rows[i][lane]; });
    warp.taint(ways.written[i]).assign(taints[i], lanes);
  }
  forget_all();
  done = done && take_way_if(warp, step, ways, {lanes, taking.taken & lanes, taking.aside, taking.depth + 1},
                             guards, left);
  forget_all();
  for (const Slot slot : ways.written) warp.taint(slot).data |= lanes;
  return done;
}

/// What decides, where paths are followed.
TermRow BranchSides::guard_terms(Warp& warp, const Step& step, LaneMask lanes) {
  TermRow out{};
  if (machine_.shadow.paths() != nullptr)
    for_lanes(lanes, [&](unsigned lane) { out[lane] = machine_.shadow.term_of(warp, step.guard, lane); });
  return out;
}

/// What is done on the way is done under the condition that the guard is as it says.
bool BranchSides::take_way_if(Warp& warp, const Step& step, const Sides& ways, const Taking& taking,
                              const TermRow& guards, std::size_t& left) {
  PathConditions* const paths = machine_.shadow.paths();
  if (paths == nullptr) return take_way(warp, step, ways, taking, left);
  const auto before = paths->now;
  for_lanes(taking.lanes, [&](unsigned lane) {
    const bool goes = (taking.taken >> lane & 1U) != 0;
    paths->now[lane] = paths->longer(before[lane], {guards[lane], goes != step.guard_negated});
  });
  const bool done = take_way(warp, step, ways, taking, left);
  paths->now = before;
  return done;
}

/// From the branch to where the ways meet.
bool BranchSides::take_way(Warp& warp, const Step& step, const Sides& ways, const Taking& taking,
                           std::size_t& left) {
  if (step.act != Act::none && step.act != Act::leave)
    return access_on_way(warp, step, taking.taken, taking.aside);
  const trace::Site there = step.jumps ? step.target : ways.meet;
  std::array<trace::Site, kLanes> at{};
  for_lanes(taking.lanes,
            [&](unsigned lane) { at[lane] = (taking.taken >> lane & 1U) != 0 ? there : step.site + 1; });
  for (;;) {
    trace::Site lowest = kNoPlace;
    for_lanes(taking.lanes, [&](unsigned lane) {
      if (at[lane] != ways.meet) lowest = std::min(lowest, at[lane]);
    });
    if (lowest == kNoPlace) return true;
    if (left-- == 0) return false;
    LaneMask group = 0;
    for_lanes(taking.lanes, [&](unsigned lane) { group |= at[lane] == lowest ? LaneMask{1} << lane : 0; });
    if (!step_on_way(warp, *run_.sites[lowest], ways, {group, 0, taking.aside, taking.depth}, at, left))
      return false;
  }
}

/// One instruction, by lanes that stand at it.
bool BranchSides::step_on_way(Warp& warp, const Step& step, const Sides& ways, const Taking& taking,
                              std::array<trace::Site, kLanes>& at, std::size_t& left) {
  LaneMask group = taking.lanes;
  warp.active = group;
  warp.at = step.site;
  LaneMask mask = group;
  const bool pure = step.compute != nullptr || step.is_unknown;
  if (step.guard != kNoSlot) {
    mask = machine_.executor.guarded(warp, step);
    const Taint& guard = warp.taint(step.guard);
    if (machine_.blocks.follow()) {  // lanes that data sends either way take both in every block
      machine_.blocks.settle_known(warp, step, step.guard, pure ? group : group & ~guard.data);
      if (!pure && (guard.block & group & ~guard.data) != 0) machine_.blocks.refuse(step);
    }
    const LaneMask open = pure ? 0 : guard.any() & group;
    if (open != 0) {
      if (((guard.timing | guard.turns | guard.token) & group) != 0) return false;
      if (!take_both(warp, step, {open, mask, taking.aside, taking.depth}, left)) return false;
      const Sides& inner = both_sides_->of(*warp.codes[static_cast<unsigned>(std::countr_zero(open))], step);
      for_lanes(open, [&](unsigned lane) { at[lane] = inner.meet; });
      group &= ~open;
      mask &= ~open;
      warp.active = group;
      warp.at = step.site;
      if (group == 0) return true;
    }
  }
  ++run_.warp_steps;
  run_.lane_steps += static_cast<std::uint64_t>(std::popcount(mask));
  run_.outcome.executed[step.site] += static_cast<std::uint64_t>(std::popcount(mask));
  for_lanes(group, [&](unsigned lane) {
    const bool goes = (mask >> lane & 1U) != 0;
    at[lane] = goes && step.jumps ? step.target : goes && step.act == Act::leave ? ways.meet : step.site + 1;
  });
  if (pure) {
    machine_.executor.compute(warp, step, mask);
    if (mask != group) machine_.tried_waits.rest_on_guard(warp, step, group & ~mask);
    return true;
  }
  return step.jumps || step.act == Act::leave || access_on_way(warp, step, mask, taking.aside);
}

/// `aside`: in memory nothing changes. What is written may be, so that the bytes rest on data.
bool BranchSides::access_on_way(Warp& warp, const Step& step, LaneMask mask, bool aside) {
  if (mask == 0) return true;
  machine_.shadow.forget(warp, step, mask);
  if (machine_.blocks.follow()) machine_.blocks.check(warp, step, mask);
  warp.acted |= mask;
  warp.acted_apart |= mask;
  mask &= ~access_everywhere(warp, step, mask, aside);
  if (mask == 0) return true;
  if (step.act != Act::store && step.act != Act::atomic) return machine_.executor.act(warp, step, mask), true;
  Row at;
  run_.addresses(warp, step, step.address, mask, at);
  const std::uint32_t bytes = step.bytes();
  struct Before {
    Memory::Span span;
    std::array<std::uint8_t, 64> bytes{};
    Sources sources = 0;
  };
  std::vector<Before> before;
  bool alone = true;
  for_lanes(mask, [&](unsigned lane) {
    const std::optional<Memory::Span> span = run_.memory->span(at[lane], bytes);
    leads_outside_ = leads_outside_ || !span;
    alone = alone && span && bytes <= sizeof(Before::bytes) && !machine_.contention.follows(at[lane]) &&
            (Memory::is_local(at[lane]) || both_sides_->looked.write(at[lane], bytes));
    if (!alone) return;
    before.push_back({*span, {}, span->sources(0, bytes)});
    std::copy_n(span->data, bytes, before.back().bytes.begin());
  });
  if (!alone) return false;
  const std::uint64_t changes = run_.changes, local_state = run_.local_state;
  machine_.executor.act(warp, step, mask);
  for (auto one = before.rbegin(); one != before.rend(); ++one) {
    const Sources now = one->span.sources(0, bytes);
    if (aside) std::copy_n(one->bytes.begin(), bytes, one->span.data);
    one->span.set_sources(0, bytes, static_cast<Sources>(one->sources | now | bit(Source::data)));
  }
  if (aside) {
    run_.changes = changes;
    run_.local_state = local_state;
  }
  return true;
}

}  // namespace ptxmc::exec
