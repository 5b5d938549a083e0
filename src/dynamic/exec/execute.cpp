// SPDX-License-Identifier: Apache-2.0
// One instruction of a warp: which lanes its guard lets execute it, where they go on, and what it computes in registers.
#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// The active lanes in which the guard of the instruction holds.
LaneMask Machine::guarded(Warp& warp, const Step& step) {
  const Row& row = warp.row(step.guard);
  LaneMask truths = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) truths |= static_cast<LaneMask>(row[lane] & 1U) << lane;
  return warp.active & (step.guard_negated ? ~truths : truths);
}

/// All lanes go the way that ends in no trap.
bool Machine::avoids_trap(const Warp& warp, const Step& step, LaneMask taken) {
  if (step.traps == Step::Trap::none) return false;
  if (taken != (step.traps == Step::Trap::if_taken ? 0 : warp.active)) return false;
  outcome_.avoided.insert(step.site);
  return true;
}

/// The guard of an instruction decides what the lanes do. That a loop is left says no more than that it waits.
void Machine::control(Warp& warp, const Step& step, LaneMask taken) {
  const Taint& guard = warp.taint(step.guard);
  LaneMask tainted = guard.any() & warp.active & ~warp.waiting;
  if ((guard.token & tainted) != 0) tainted &= ~wait_by_token(warp, step, taken);
  if (tainted == 0 || avoids_trap(warp, step, taken)) return;
  const bool moves = step.act == nullptr || step.act == &Machine::leave;
  if (const LaneMask guided = moves ? guard.data & tainted : 0; guided != 0) {
    warp.guided |= guided;
    for_lanes(guided, [&](unsigned lane) { warp.guided_when[lane] = changes_; });
  }
  const bool both_ways = taken != 0 && taken != warp.active;
  const LaneMask waited = leading_out(warp, step) & tainted & guard.timing & ~guard.data;
  if (waited != 0) decided(step, Decided::waiting, bit(Source::timing), both_ways);
  if (const LaneMask by_turns = waited & guard.turns; by_turns != 0)
    decided(step, Decided::control, bit(Source::turns), both_ways);
  tainted &= ~waited;
  if (tainted != 0) decided(step, Decided::control, guard.within(tainted), both_ways);
}

void Machine::execute(Warp& warp, const Step& step) {
  if (warp.convergence.has_parted()) report(warp, warp.convergence.come(step.site, warp.active));
  LaneMask mask = warp.active;
  if (step.guard != kNoSlot) {
    mask = guarded(warp, step);
    if (step.compute == nullptr && !step.is_unknown) {
      if (both_ways_ != nullptr && go_both_ways(warp, step, mask)) return;
      mask &= warp.active;
      control(warp, step, mask);
    }
  }
  if ((warp.left & warp.active) != 0) leading_out(warp, step);
  ++warp_steps_;
  const auto count =
      mask == kAllLanes ? std::uint64_t{kLanes} : static_cast<std::uint64_t>(std::popcount(mask));
  lane_steps_ += count;
  outcome_.executed[step.site] += count;
  if (step.watched && mask != 0) check_registers(warp, step);
  if (step.compute != nullptr || step.is_unknown) {
    compute(warp, step, mask);
    if (mask != warp.active) rest_on_guard(warp, step, warp.active & ~mask);
    ++warp.at;
  } else if (step.act == nullptr) {
    branch(warp, step, mask);
  } else {
    const trace::Site at = warp.at;
    const isa::Opcode opcode = step.instruction->opcode;
    if (step.polls == nullptr && opcode != isa::Opcode::bar_red && opcode != isa::Opcode::nanosleep)
      warp.acted |= mask;
    if (step.polls == nullptr && opcode != isa::Opcode::shuffle && opcode != isa::Opcode::vote &&
        opcode != isa::Opcode::nanosleep)
      warp.acted_apart |= mask;
    // The sources of an exchange are read when all have come.
    if (step.act != &Machine::exchange) forget(warp, step, mask);
    if (mask != 0) mask &= ~store_everywhere(warp, step, mask, false);
    if (mask != 0) (this->*step.act)(warp, step, mask);
    if (warp.at == at) ++warp.at;
  }
}

/// Some of the active lanes jump.
void Machine::branch(Warp& warp, const Step& step, LaneMask taken) {
  const LaneMask rest = warp.active & ~taken;
  if (observer_ != nullptr && taken != 0 && step.target <= step.site)
    observer_->jump_back(step.target, lanes(warp, taken));
  if (taken == 0) {
    ++warp.at;
  } else if (rest == 0) {
    warp.at = step.target;
    // Those that are jumped over, or back to, may be others now.
    if (warp.limit != kNoPlace || (warp.ready & ~warp.active) != 0) regroup_at(warp);
  } else {
    if (step.instruction->opcode == isa::Opcode::bra && step.modifiers().aligned)
      fault(RuleId::barrier_divergence, step, warp, static_cast<unsigned>(std::countr_zero(rest)),
            "some lanes of the warp take the bra.uni, and some do not");  // R292
    const Code& code = *warp.codes[static_cast<unsigned>(std::countr_zero(warp.active))];
    if (const auto meet = partings_.meeting(code, step)) warp.convergence.part(warp.active, *meet);
    ++warp.at;
    park(warp);
    for_lanes(taken, [&](unsigned lane) { warp.place[lane] = step.target; });
    const bool oldest = warp.oldest_next;
    warp.oldest_next = false;
    regroup(warp);
    warp.oldest_next = oldest;
  }
}

/// The active lanes stand elsewhere: whom they meet next.
void Machine::regroup_at(Warp& warp) {
  warp.limit = kNoPlace;
  for_lanes(warp.ready & ~warp.active, [&](unsigned lane) {
    if (warp.place[lane] >= warp.at) warp.limit = std::min(warp.limit, warp.place[lane]);
  });
}

/// Predicates that are read negated.
void Machine::write_opposites(Warp& warp, const Step& step, LaneMask mask) {
  for (const auto& opposite : step.opposites) {
    const Slot from = opposite.first, to = opposite.second;
    const Row& row = warp.row(from);
    Row& negated = warp.row(to);
    for_lanes(mask, [&](unsigned lane) { negated[lane] = (row[lane] & 1U) ^ 1U; });
    warp.taint(to).assign(warp.taint(from), mask);
    if (known_ != nullptr)
      for_lanes(mask, [&](unsigned lane) { known_->set(warp, to, lane, known_->of(warp, from, lane)); });
    if (terms_ != nullptr) terms_->negate(warp, from, to, mask);
  }
}

void Machine::compute(Warp& warp, const Step& step, LaneMask mask) {
  if (step.reads_clock) {
    for_lanes(mask, [&](unsigned lane) {
      for (const Slot clock : warp.codes[lane]->clocks) warp.row(clock)[lane] = warp_steps_;
    });
  }
  if (mask == 0) return;
  write_opposites(warp, step, mask);
  Taint taint = taint_of(warp, step);
  const LaneMask followed = taint.address & mask;
  if (followed != 0) {
    follow(warp, step, followed, followed_);
    taint.address = 0;
    taint.place |= followed_.lost;
  }
  if ((taint.token & mask) != 0) pass_tokens(warp, step, taint.token & mask);
  if (step.counts_turns) taint.timing |= mask;
  if (step.counted != kNoSlot) compare_counted(warp, step, mask);
  if (terms_ != nullptr) {
    const LaneMask open_data = step.is_unknown || step.divides ? kAllLanes : taint.data;
    terms_->compute(warp, step, mask & open_data & ~(taint.open() & ~taint.data));
  }
  const LaneMask partly = known_ == nullptr ? 0 : taint.data & mask;
  std::vector<Row> known;
  if (partly != 0) known = known_->results(warp, step, partly);
  if (step.is_unknown) {
    taint.data = kAllLanes;
  } else {
    step.compute(warp.registers.rows.data(), step, mask);
  }
  if (step.divides) {
    const Row& divisor = warp.row(step.sources[1]);
    for_lanes(mask, [&](unsigned lane) {
      const auto bits = step.source_bits[1];
      const std::uint64_t value =
          bits >= 64 ? divisor[lane] : divisor[lane] & ((std::uint64_t{1} << bits) - 1);
      if (value == 0) taint.data |= LaneMask{1} << lane;
    });
  }
  if (step.fit.from < 64) {
    for_lanes(mask, [&](unsigned lane) {
      std::uint64_t value = warp.row(step.to)[lane];
      const unsigned unused = 64U - step.fit.from;
      if (step.fit.is_signed)
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
      const std::uint16_t width = warp.codes[lane]->widths[step.to];
      warp.row(step.to)[lane] = width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
    });
  }
  if (step.to != kNoSlot) warp.taint(step.to).assign(taint, mask);
  if (step.second != kNoSlot) warp.taint(step.second).assign(taint, mask);
  for (const Slot slot : step.elements) {
    if (slot != kNoSlot) warp.taint(slot).assign(taint, mask);
  }
  if (const Slot carry = step.slot(isa::Role::state); carry != kNoSlot) warp.taint(carry).assign(taint, mask);
  if (followed != 0) keep_forms(warp, step, followed_);
  if (known_ != nullptr) known_->forget(warp, step, taint.data & mask & ~partly);
  if (partly != 0) known_->keep(warp, step, partly, known);
}

/// Nothing is known of what it gives to these lanes, but for what is told after this.
void Machine::forget(Warp& warp, const Step& step, LaneMask mask) {
  if (known_ != nullptr) known_->forget(warp, step, mask);
  if (terms_ != nullptr) terms_->forget(warp, step, mask);
}

}  // namespace ptxmc::exec
