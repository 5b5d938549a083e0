// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: warps go round; in a warp the lanes that stand furthest back go first, so that those that
// parted meet again, and now and then those that have waited longest, so that lanes that wait for others let
// them go on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "dynamic/exec/machine.h"
#include "support/check.h"

namespace ptxmc::exec {

namespace {

constexpr unsigned kTurn = 4096;           // instructions of a warp before others have their turn
constexpr unsigned kBackwards = 32;        // jumps backwards before other lanes of the warp have theirs
constexpr unsigned kLongest = 16384;       // instructions in a turn without a jump backwards
constexpr unsigned kRotations = 4;         // among the lanes of a warp in a turn
constexpr unsigned kHeldRounds = 512;      // without a change, before all go on
constexpr unsigned kPatience = 4;          // such rounds, before those that are held do something
constexpr unsigned kSpin = 64;             // instructions of a turn of the others, after that
constexpr std::uint64_t kLateRounds = 16;  // without a change, before what is late completes
constexpr std::uint64_t kIdle = 4;         // rounds without a change before states are compared

}  // namespace

std::optional<End> Scheduler::over(const Options& options) const {
  if (options.stop) {
    if (const auto end = options.stop(run_.lane_steps)) return end;
  }
  if (options.steps && run_.lane_steps >= *options.steps) return End::out_of_steps;
  if (options.budget.over()) return End::out_of_time;
  return std::nullopt;
}

End Scheduler::run_task(std::uint32_t task, const Options& options) {
  std::vector<Warp*> warps;
  for (Warp& warp : run_.warps) {
    if (warp.task == task) warps.push_back(&warp);
  }
  seen_.reset();
  idle_rounds_ = 0;
  machine_.cancels.hold_clusters(task);
  run_.schedule = options.schedule;
  held_rounds_ = 0;
  for (;;) {
    const std::uint64_t changes = run_.changes;
    const auto [ran, alive, some_held, end] = go_round(warps, options);
    if (end) return *end;
    if (!alive) {
      machine_.mbarriers.complete_late();
      machine_.warpgroups.check_warpgroups(task);
      return End::finished;
    }
    if (some_held) {
      held_rounds_ = changes == run_.changes ? held_rounds_ + 1 : 0;
      if (held_rounds_ >= kHeldRounds) go_plainly();
      if (ran && held_rounds_ < kPatience) continue;
      go_held(warps);
      if (changes != run_.changes) held_rounds_ = 0;
      continue;
    }
    const bool stuck = !ran || (changes == run_.changes ? repeats(task) : (idle_rounds_ = 0, false));
    // Loops that try a few times go on in between.
    const bool no_further = stuck || (machine_.mbarriers.has_late() && idle_rounds_ >= kLateRounds);
    if (no_further && machine_.mbarriers.complete_late()) {
      idle_rounds_ = 0;
    } else if (stuck && !machine_.cancels.start_held_cluster() && !machine_.contention.give_turns_up() &&
               !machine_.warpgroups.give_products_up()) {
      machine_.hangs.report_waiting(task);
      return End::deadlock;
    }
  }
}

/// Each warp has its turn, but for those that are held.
Scheduler::Round Scheduler::go_round(const std::vector<Warp*>& warps, const Options& options) {
  Round round;
  const bool plain = run_.schedule == Schedule{};
  for (Warp* warp : plain ? warps : order_of(warps)) {
    round.alive |= warp->live() != 0;
    if (warp->ready == 0) continue;
    if (!plain && is_held(*warp)) {
      round.some_held = true;
      continue;
    }
    round.ran = true;
    turn(*warp);
    if (round.end = over(options); round.end) break;
  }
  return round;
}

/// Those that are held do what lets others go on, and no more: until something changes.
void Scheduler::go_held(const std::vector<Warp*>& warps) {
  const auto& held = run_.schedule.held;
  for (Warp* warp : warps) {
    if (warp->ready == 0) continue;
    const bool is_named = std::find(held.begin(), held.end(), warp->number) != held.end();
    if (!held.empty() && !is_named) continue;
    length_ = held.empty() ? 1 : kTurn;
    until_change_ = true;
    turn(*warp);
    until_change_ = false;
    return;
  }
}

/// From here on.
void Scheduler::go_plainly() {
  run_.schedule = {};
  length_ = ~std::uint32_t{0};
}

std::vector<Warp*> Scheduler::order_of(std::vector<Warp*> warps) {
  if (run_.schedule.reversed) std::reverse(warps.begin(), warps.end());
  if (run_.schedule.seed) std::shuffle(warps.begin(), warps.end(), random_);
  return warps;
}

/// Until the next round, at least; else it says how long the turn is.
bool Scheduler::is_held(const Warp& warp) {
  constexpr std::array<std::uint32_t, 6> kLengths = {0, 1, 2, 8, 64, kTurn};
  // Those that spin need not do so for long.
  length_ = run_.schedule.length.value_or(held_rounds_ < kPatience ? kTurn : kSpin);
  if (run_.schedule.seed) length_ = kLengths[random_() % kLengths.size()];
  const auto& held = run_.schedule.held;
  return length_ == 0 || std::find(held.begin(), held.end(), warp.number) != held.end();
}

/// Nothing has changed in memory since a moment at which all registers were as they are: they will be so again.
bool Scheduler::repeats(std::uint32_t task) {
  if (++idle_rounds_ < kIdle) return false;
  if (idle_rounds_ == kIdle) seen_.reset();
  if (!all_have_tried(task)) return false;
  const std::uint64_t places = places_of(task);
  const bool known = seen_ && seen_->changes == run_.changes;
  const bool perhaps = known && seen_->places == places && all_have_run(task, seen_->stamp);
  const bool keep = !known || std::has_single_bit(idle_rounds_);
  if (!perhaps && !keep) return false;  // registers are many
  const std::uint64_t registers = registers_of(task);
  if (perhaps && seen_->registers == registers) return true;
  if (keep) seen_ = Seen{places, registers, run_.changes, stamp_};
  return false;
}

/// Every lane that may go on has done so since: who goes round need not keep others from it.
bool Scheduler::all_have_run(std::uint32_t task, std::uint64_t since) const {
  return std::all_of(run_.warps.begin(), run_.warps.end(), [&](const Warp& warp) {
    bool ran = true;
    if (warp.task == task)
      for_lanes(warp.ready & warp.live(), [&](unsigned lane) { ran = ran && warp.ran[lane] > since; });
    return ran;
  });
}

/// Those in loops that wait have found that what they wait for is not there.
bool Scheduler::all_have_tried(std::uint32_t task) const {
  return std::all_of(run_.warps.begin(), run_.warps.end(), [&](const Warp& warp) {
    bool tried = true;
    if (warp.task == task)
      for_lanes(warp.waiting & warp.live(),
                [&](unsigned lane) { tried = tried && warp.tried[lane] == run_.changes; });
    return tried;
  });
}

/// What decides how it goes on, but for memory and registers: of a lane in a loop that waits, where it does.
std::uint64_t Scheduler::places_of(std::uint32_t task) const {
  std::uint64_t hash = 0;
  for (const Warp& warp : run_.warps) {
    if (warp.task != task || warp.live() == 0) continue;
    const LaneMask others = warp.live() & ~warp.waiting;
    for_lanes(warp.live() & warp.waiting,
              [&](unsigned lane) { hash = mixed(hash, warp.waits_at[lane]->site); });
    for_lanes(others, [&](unsigned lane) { hash = mixed(hash, warp.place[lane]); });
    hash = mixed(hash, warp.ready & others);
  }
  for (const Cta& cta : run_.ctas) {
    if (cta.task != task) continue;
    for (const NamedBarrier& barrier : cta.barriers) {
      hash = mixed(hash, barrier.truths);
      for (const NamedBarrier::Arrived& arrived : barrier.arrived)
        hash = mixed(mixed(hash, std::uint64_t{arrived.warp} << 32U | arrived.lanes), arrived.step->site);
    }
  }
  return hash;
}

std::uint64_t Scheduler::registers_of(std::uint32_t task) const {
  std::uint64_t hash = run_.local_state;
  for (const Warp& warp : run_.warps) {
    if (warp.task != task || warp.live() == 0) continue;
    for (const Row& row : warp.registers.rows)
      for_lanes(warp.live() & ~warp.waiting, [&](unsigned lane) { hash = mixed(hash, row[lane]); });
  }
  return hash;
}

// ---- A turn ---------------------------------------------------------------------------------------------------

/// The lanes that go on together: those furthest back, or those that ran longest ago with all that stand
/// beside them.
void Scheduler::regroup(Warp& warp) {
  warp.active = 0;
  warp.limit = kNoPlace;
  trace::Site chosen = kNoPlace;
  std::uint64_t oldest = ~std::uint64_t{0};
  for_lanes(warp.ready, [&](unsigned lane) {
    if (warp.oldest_next) {
      if (warp.ran[lane] >= oldest) return;
      oldest = warp.ran[lane];
      chosen = warp.place[lane];
    } else {
      chosen = std::min(chosen, warp.place[lane]);
    }
  });
  for_lanes(warp.ready, [&](unsigned lane) {
    if (warp.place[lane] == chosen) {
      warp.active |= LaneMask{1} << lane;
      warp.ran[lane] = stamp_ + 1;
    } else if (warp.place[lane] > chosen) {
      warp.limit = std::min(warp.limit, warp.place[lane]);
    }
  });
  ++stamp_;
  warp.at = chosen;
}

void Scheduler::turn(Warp& warp) {
  unsigned backwards = 0, steps = 0, rotations = 0;
  bool loops = false, rotated = false;
  const std::uint64_t changes = run_.changes;
  warp.yields = false;
  regroup(warp);
  while (warp.active != 0) {
    if (warp.at >= warp.limit) {
      warp.park();
      regroup(warp);
      continue;
    }
    const trace::Site before = warp.at;
    machine_.executor.execute(warp, *run_.sites[before]);
    ++steps;
    const bool back = warp.active != 0 && warp.at <= before;
    loops = loops || back || warp.yields;
    if (warp.active == 0) regroup(warp);
    if (warp.ready == 0 || steps >= length_ || (until_change_ && run_.changes != changes)) break;
    if (!back && !warp.yields && steps < kLongest) continue;
    ++backwards;
    const bool others = (warp.ready & ~warp.active) != 0;
    if (others && (backwards >= kBackwards || warp.yields)) {
      warp.park();
      warp.oldest_next = !warp.oldest_next;
      rotated = true;
      regroup(warp);
      backwards = 0;
      if (steps < kTurn && ++rotations < kRotations) {
        warp.yields = false;
        continue;
      }
    }
    if (warp.yields || steps >= kTurn) break;
  }
  warp.park();
  // A turn may be too short for that; what goes round would keep the others from going on.
  if (loops && !rotated && (warp.ready & ~warp.active) != 0) warp.oldest_next = !warp.oldest_next;
  warp.active = 0;
}

// ---- Waiting --------------------------------------------------------------------------------------------------

}  // namespace ptxmc::exec
