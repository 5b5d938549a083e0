// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: warps go round; in a warp the lanes that stand furthest back go first, so that those that
// parted meet again, and now and then those that have waited longest, so that lanes that wait for others let
// them go on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <new>
#include <vector>

#include "dynamic/exec/machine.h"
#include "support/check.h"

namespace ptxmc::exec {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kTurn = 4096;           // instructions of a warp before others have their turn
constexpr unsigned kBackwards = 32;        // jumps backwards before other lanes of the warp have theirs
constexpr unsigned kLongest = 16384;       // instructions in a turn without a jump backwards
constexpr unsigned kRotations = 4;         // among the lanes of a warp in a turn
constexpr unsigned kHeldRounds = 512;      // without a change, before all go on
constexpr unsigned kPatience = 4;          // such rounds, before those that are held do something
constexpr unsigned kSpin = 64;             // instructions of a turn of the others, after that
constexpr std::uint64_t kLateRounds = 16;  // without a change, before what is late completes
constexpr std::uint64_t kIdle = 4;         // rounds without a change before states are compared

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Outcome Machine::run(const Options& options) {
  const Clock::time_point begin = Clock::now();
  change(options.changes);
  waits_fail_ = options.waits_fail;
  elected_ = options.elected;
  first_fence_is_free_ = options.first_fence_is_free;
  one_place_ = options.one_place;
  counting_ = options.counting;
  turns_ = options.turns;
  keeps_older_ = std::any_of(turns_.first.begin(), turns_.first.end(),
                             [](const ContendedAccess& turn) { return turn.passes != 0; });
  ordered_ = options.ordered;
  one_value_ = options.one_value;
  if (options.contents) memory_->fill_open(*options.contents);
  if (options.open_registers) open_registers();
  if (options.both_ways) both_ways_ = std::make_unique<BothWays>();
  if (options.known_bits) known_ = std::make_unique<KnownBits>(codes_, warps_);
  if (options.terms) {
    memory_->follow_terms();
    terms_ = std::make_unique<Terms>(codes_, warps_, options.judge != nullptr);
  }
  if (options.judge && options.both_ways && terms_ != nullptr && observer_ != nullptr) {
    paths_ = std::make_unique<WayPaths>(*terms_, options.judge());
    observer_->follow(*paths_);
  }
  random_.seed(options.schedule.seed.value_or(0));
  outcome_.executed.assign(sites_.size(), 0);
  try {
    run_tasks(options);
    if (observer_ != nullptr) observer_->finish();
  } catch (const std::bad_alloc&) {  // in the middle of an event: the observer has what came before it
    outcome_.end = End::out_of_memory;
  }
  for (const auto& [key, decision] : decisions_) outcome_.decisions.push_back(decision);
  for (const Step* step : sites_) {
    if (outcome_.executed[step->site] != 0) outcome_.avoided.insert(step->avoids.begin(), step->avoids.end());
  }
  outcome_.instructions = lane_steps_;
  outcome_.warp_instructions = warp_steps_;
  outcome_.seconds = seconds_since(begin);
  return outcome_;
}

void Machine::run_tasks(const Options& options) {
  start();
  for (std::uint32_t task = 0; task < tasks_.size() && outcome_.end == End::finished; ++task) {
    for (const Warp& warp : warps_) {
      if (warp.task != task || observer_ == nullptr) continue;
      const PlacedTask& placed = tasks_[task];
      if (!placed.at_start.empty()) observer_->start_behind(lanes(warp, warp.exists), placed.at_start);
      if (!placed.ended.empty()) observer_->start_after_end(lanes(warp, warp.exists), placed.ended);
      if (placed.ended.empty() && !placed.at_wait.empty())
        observer_->start_early(lanes(warp, warp.exists), placed.at_wait);
    }
    outcome_.end = run_task(task, options);
  }
}

/// What nothing has written yet is an unknown of its own thread. Special registers are none of those.
void Machine::open_registers() {
  std::map<const Code*, std::vector<Slot>> declared;
  for (Warp& warp : warps_) {
    std::map<const Code*, LaneMask> lanes;
    for_lanes(warp.exists, [&](unsigned lane) { lanes[warp.codes[lane]] |= LaneMask{1} << lane; });
    for (const auto& [code, mask] : lanes) {
      const auto [slots, fresh] = declared.try_emplace(code);
      if (fresh) {
        const trace::Thread first = thread(warp, static_cast<unsigned>(std::countr_zero(mask)));
        for (const program::RegisterDeclaration& reg : threads_[first]->registers()) {
          const auto slot = code->registers.find(reg.name);
          if (slot != code->registers.end()) slots->second.push_back(slot->second);
        }
      }
      for (const Slot slot : slots->second) warp.taint(slot).data |= mask;
    }
  }
  for (const program::RegisterInit& init : program_.register_inits) {
    const auto known = by_number_.find(init.thread);
    if (known == by_number_.end()) continue;
    Warp& warp = warps_[known->second / kLanes];
    const unsigned lane = known->second % kLanes;
    const auto slot = warp.codes[lane]->registers.find(init.name);
    if (slot != warp.codes[lane]->registers.end()) warp.taint(slot->second).data &= ~(LaneMask{1} << lane);
  }
}

void Machine::start() {
  if (observer_ == nullptr) return;
  std::vector<trace::Placement> placements;
  for (const Warp& warp : warps_) {
    const Cta& cta = ctas_[warp.cta];
    placements.push_back({warp.cta, cta.cluster, cta.gpu, cta.task, warp.exists});
  }
  observer_->start(placements);
  for (std::uint32_t cta = 0; cta < ctas_.size(); ++cta)
    observer_->shared_memory(cta, {memory_->shared(cta), memory_->shared_bytes()});
}

std::optional<End> Machine::over(const Options& options) const {
  if (options.stop) {
    if (const auto end = options.stop(lane_steps_)) return end;
  }
  if (options.steps && lane_steps_ >= *options.steps) return End::out_of_steps;
  if (options.budget.over()) return End::out_of_time;
  return std::nullopt;
}

End Machine::run_task(std::uint32_t task, const Options& options) {
  std::vector<Warp*> warps;
  for (Warp& warp : warps_) {
    if (warp.task == task) warps.push_back(&warp);
  }
  seen_.reset();
  idle_rounds_ = 0;
  hold_clusters(task);
  schedule_ = options.schedule;
  held_rounds_ = 0;
  for (;;) {
    const std::uint64_t changes = changes_;
    const auto [ran, alive, some_held, end] = go_round(warps, options);
    if (end) return *end;
    if (!alive) {
      complete_late();
      check_warpgroups(task);
      return End::finished;
    }
    if (some_held) {
      held_rounds_ = changes == changes_ ? held_rounds_ + 1 : 0;
      if (held_rounds_ >= kHeldRounds) go_plainly();
      if (ran && held_rounds_ < kPatience) continue;
      go_held(warps);
      if (changes != changes_) held_rounds_ = 0;
      continue;
    }
    const bool stuck = !ran || (changes == changes_ ? repeats(task) : (idle_rounds_ = 0, false));
    // Loops that try a few times go on in between.
    const bool no_further = stuck || (!late_.empty() && idle_rounds_ >= kLateRounds);
    if (no_further && complete_late()) {
      idle_rounds_ = 0;
    } else if (stuck && !start_held_cluster() && !give_turns_up() && !give_products_up()) {
      report_waiting(task);
      return End::deadlock;
    }
  }
}

/// Each warp has its turn, but for those that are held.
Machine::Round Machine::go_round(const std::vector<Warp*>& warps, const Options& options) {
  Round round;
  const bool plain = schedule_ == Schedule{};
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
void Machine::go_held(const std::vector<Warp*>& warps) {
  const auto& held = schedule_.held;
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
void Machine::go_plainly() {
  schedule_ = {};
  length_ = ~std::uint32_t{0};
}

std::vector<Warp*> Machine::order_of(std::vector<Warp*> warps) {
  if (schedule_.reversed) std::reverse(warps.begin(), warps.end());
  if (schedule_.seed) std::shuffle(warps.begin(), warps.end(), random_);
  return warps;
}

/// Until the next round, at least; else it says how long the turn is.
bool Machine::is_held(const Warp& warp) {
  constexpr std::array<std::uint32_t, 6> kLengths = {0, 1, 2, 8, 64, kTurn};
  // Those that spin need not do so for long.
  length_ = schedule_.length.value_or(held_rounds_ < kPatience ? kTurn : kSpin);
  if (schedule_.seed) length_ = kLengths[random_() % kLengths.size()];
  const auto& held = schedule_.held;
  return length_ == 0 || std::find(held.begin(), held.end(), warp.number) != held.end();
}

/// Nothing has changed in memory since a moment at which all registers were as they are: they will be so again.
bool Machine::repeats(std::uint32_t task) {
  if (++idle_rounds_ < kIdle) return false;
  if (idle_rounds_ == kIdle) seen_.reset();
  if (!all_have_tried(task)) return false;
  const std::uint64_t places = places_of(task);
  const bool known = seen_ && seen_->changes == changes_;
  const bool perhaps = known && seen_->places == places && all_have_run(task, seen_->stamp);
  const bool keep = !known || std::has_single_bit(idle_rounds_);
  if (!perhaps && !keep) return false;  // registers are many
  const std::uint64_t registers = registers_of(task);
  if (perhaps && seen_->registers == registers) return true;
  if (keep) seen_ = Seen{places, registers, changes_, stamp_};
  return false;
}

/// Every lane that may go on has done so since: who goes round need not keep others from it.
bool Machine::all_have_run(std::uint32_t task, std::uint64_t since) const {
  return std::all_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
    bool ran = true;
    if (warp.task == task)
      for_lanes(warp.ready & warp.live(), [&](unsigned lane) { ran = ran && warp.ran[lane] > since; });
    return ran;
  });
}

/// Those in loops that wait have found that what they wait for is not there.
bool Machine::all_have_tried(std::uint32_t task) const {
  return std::all_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
    bool tried = true;
    if (warp.task == task)
      for_lanes(warp.waiting & warp.live(),
                [&](unsigned lane) { tried = tried && warp.tried[lane] == changes_; });
    return tried;
  });
}

/// What decides how it goes on, but for memory and registers: of a lane in a loop that waits, where it does.
std::uint64_t Machine::places_of(std::uint32_t task) const {
  std::uint64_t hash = 0;
  for (const Warp& warp : warps_) {
    if (warp.task != task || warp.live() == 0) continue;
    const LaneMask others = warp.live() & ~warp.waiting;
    for_lanes(warp.live() & warp.waiting,
              [&](unsigned lane) { hash = mixed(hash, warp.waits_at[lane]->site); });
    for_lanes(others, [&](unsigned lane) { hash = mixed(hash, warp.place[lane]); });
    hash = mixed(hash, warp.ready & others);
  }
  for (const Cta& cta : ctas_) {
    if (cta.task != task) continue;
    for (const NamedBarrier& barrier : cta.barriers) {
      hash = mixed(hash, barrier.truths);
      for (const NamedBarrier::Arrived& arrived : barrier.arrived)
        hash = mixed(mixed(hash, std::uint64_t{arrived.warp} << 32U | arrived.lanes), arrived.step->site);
    }
  }
  return hash;
}

std::uint64_t Machine::registers_of(std::uint32_t task) const {
  std::uint64_t hash = local_state_;
  for (const Warp& warp : warps_) {
    if (warp.task != task || warp.live() == 0) continue;
    for (const Row& row : warp.registers.rows)
      for_lanes(warp.live() & ~warp.waiting, [&](unsigned lane) { hash = mixed(hash, row[lane]); });
  }
  return hash;
}

// ---- A turn ---------------------------------------------------------------------------------------------------

/// The lanes that go on together: those furthest back, or those that ran longest ago with all that stand
/// beside them.
void Machine::regroup(Warp& warp) {
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

void Machine::turn(Warp& warp) {
  unsigned backwards = 0, steps = 0, rotations = 0;
  bool loops = false, rotated = false;
  const std::uint64_t changes = changes_;
  warp.yields = false;
  regroup(warp);
  while (warp.active != 0) {
    if (warp.at >= warp.limit) {
      park(warp);
      regroup(warp);
      continue;
    }
    const trace::Site before = warp.at;
    execute(warp, *sites_[before]);
    ++steps;
    const bool back = warp.active != 0 && warp.at <= before;
    loops = loops || back || warp.yields;
    if (warp.active == 0) regroup(warp);
    if (warp.ready == 0 || steps >= length_ || (until_change_ && changes_ != changes)) break;
    if (!back && !warp.yields && steps < kLongest) continue;
    ++backwards;
    const bool others = (warp.ready & ~warp.active) != 0;
    if (others && (backwards >= kBackwards || warp.yields)) {
      park(warp);
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
  park(warp);
  // A turn may be too short for that; what goes round would keep the others from going on.
  if (loops && !rotated && (warp.ready & ~warp.active) != 0) warp.oldest_next = !warp.oldest_next;
  warp.active = 0;
}

/// Says of each of the active lanes where it stands.
void Machine::park(Warp& warp) {
  for_lanes(warp.active & warp.ready, [&](unsigned lane) { warp.place[lane] = warp.at; });
}

// ---- Waiting --------------------------------------------------------------------------------------------------

void Machine::block(Warp& warp, const Step& step, LaneMask lanes, Wait wait) {
  for_lanes(lanes, [&](unsigned lane) {
    warp.place[lane] = step.site + 1;
    warp.wait[lane] = wait;
    warp.waits_at[lane] = &step;
  });
  warp.ready &= ~lanes;
  warp.active &= ~lanes;
}

void Machine::release(Warp& warp, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) { warp.wait[lane] = Wait::nothing; });
  warp.ready |= lanes;
  // They may stand where the others of their warp come to.
  if (warp.active != 0) {
    for_lanes(lanes, [&](unsigned lane) {
      if (warp.place[lane] > warp.at) warp.limit = std::min(warp.limit, warp.place[lane]);
    });
  }
}

}  // namespace ptxmc::exec
