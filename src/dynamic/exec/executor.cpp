// SPDX-License-Identifier: Apache-2.0
// One instruction of a warp: which lanes its guard lets execute it, where they go on, and what it computes in registers.
#include <fmt/format.h>

#include "dynamic/exec/arithmetic.h"
#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"
#include "ptx/isa/compare.h"
#include "support/check.h"

namespace ptxmc::exec {

namespace {

using Handler = void (*)(Machine&, Warp&, const Step&, LaneMask);

template <auto unit, auto member>
void call(Machine& machine, Warp& warp, const Step& step, LaneMask mask) {
  ((machine.*unit).*member)(warp, step, mask);
}

struct ActHandler {
  Act act;
  Handler handler = nullptr;
};

constexpr ActHandler kHandlers[] = {
    {Act::none},
    {Act::load, &call<&Machine::accesses, &Accesses::load>},
    {Act::store, &call<&Machine::accesses, &Accesses::store>},
    {Act::atomic, &call<&Machine::atomics, &Atomics::atomic>},
    {Act::fence, &call<&Machine::fences, &Fences::fence>},
    {Act::proxy_fence, &call<&Machine::fences, &Fences::proxy_fence>},
    {Act::barrier, &call<&Machine::barriers, &Barriers::barrier>},
    {Act::cluster_arrive, &call<&Machine::barriers, &Barriers::cluster_arrive>},
    {Act::cluster_wait, &call<&Machine::barriers, &Barriers::cluster_wait>},
    {Act::init_fence, &call<&Machine::fences, &Fences::init_fence>},
    {Act::mbarrier_update, &call<&Machine::mbarriers, &Mbarriers::mbarrier_update>},
    {Act::mbarrier_arrive, &call<&Machine::mbarriers, &Mbarriers::mbarrier_arrive>},
    {Act::mbarrier_wait, &call<&Machine::mbarriers, &Mbarriers::mbarrier_wait>},
    {Act::pending_count, &call<&Machine::mbarriers, &Mbarriers::pending_count>},
    {Act::check_layout, &call<&Machine::mbarriers, &Mbarriers::check_layout>},
    {Act::convert_address, &call<&Machine::address_spaces, &AddressSpaces::convert_address>},
    {Act::compare_branch, &call<&Machine::executor, &Executor::compare_branch>},
    {Act::leave, &call<&Machine::exits, &Exits::leave>},
    {Act::trap, &call<&Machine::exits, &Exits::trap>},
    {Act::nothing, &call<&Machine::executor, &Executor::nothing>},
    {Act::pass_time, &call<&Machine::executor, &Executor::pass_time>},
    {Act::apply_priority, &call<&Machine::async_stores, &AsyncStores::apply_priority>},
    {Act::exchange, &call<&Machine::exchanges, &Exchanges::exchange>},
    {Act::copy_async, &call<&Machine::copies, &Copies::copy_async>},
    {Act::commit, &call<&Machine::copies, &Copies::commit>},
    {Act::wait_group, &call<&Machine::copies, &Copies::wait_group>},
    {Act::copy_arrive, &call<&Machine::copies, &Copies::copy_arrive>},
    {Act::copy_bulk, &call<&Machine::copies, &Copies::copy_bulk>},
    {Act::prefetch_bulk, &call<&Machine::copies, &Copies::prefetch_bulk>},
    {Act::prefetch_tensor, &call<&Machine::tensor_maps, &TensorMaps::prefetch_tensor>},
    {Act::copy_tensor, &call<&Machine::copies, &Copies::copy_tensor>},
    {Act::replace_map, &call<&Machine::tensor_maps, &TensorMaps::replace_map>},
    {Act::store_async, &call<&Machine::async_stores, &AsyncStores::store_async>},
    {Act::reduce_async, &call<&Machine::async_stores, &AsyncStores::reduce_async>},
    {Act::fill_bulk, &call<&Machine::async_stores, &AsyncStores::fill_bulk>},
    {Act::cancel_launch, &call<&Machine::cancels, &LaunchCancels::cancel_launch>},
    {Act::query_cancel, &call<&Machine::cancels, &LaunchCancels::query_cancel>},
    {Act::discard, &call<&Machine::async_stores, &AsyncStores::discard>},
    {Act::multimem, &call<&Machine::multimem, &Multimem::multimem>},
    {Act::active_mask, &call<&Machine::exchanges, &Exchanges::active_mask>},
    {Act::tensor_copy, &call<&Machine::tensor, &TensorUnit::tensor_copy>},
    {Act::tensor_shift, &call<&Machine::tensor, &TensorUnit::tensor_shift>},
    {Act::tensor_product, &call<&Machine::tensor, &TensorUnit::tensor_product>},
    {Act::tensor_fence, &call<&Machine::tensor, &TensorUnit::tensor_fence>},
    {Act::tensor_commit, &call<&Machine::tensor, &TensorUnit::tensor_commit>},
    {Act::wait_for_grids, &call<&Machine::fences, &Fences::wait_for_grids>},
    {Act::launch_dependents, &call<&Machine::fences, &Fences::launch_dependents>},
    {Act::allocate, &call<&Machine::heap_calls, &HeapCalls::allocate>},
    {Act::free_blocks, &call<&Machine::heap_calls, &HeapCalls::free_blocks>},
    {Act::begin_local, &call<&Machine::locals, &LocalVariables::begin>},
    {Act::end_local, &call<&Machine::locals, &LocalVariables::end>},
    {Act::succeed, &call<&Machine::mbarriers, &Mbarriers::succeed>},
};

constexpr bool handlers_in_order() {
  for (std::size_t i = 0; i < std::size(kHandlers); ++i) {
    if (kHandlers[i].act != static_cast<Act>(i)) return false;
  }
  return std::size(kHandlers) == static_cast<std::size_t>(Act::succeed) + 1;
}
static_assert(handlers_in_order(), "a row for each Act, in the order of Act");

}  // namespace

void Executor::act(Warp& warp, const Step& step, LaneMask mask) {
  kHandlers[static_cast<std::size_t>(step.act)].handler(machine_, warp, step, mask);
}

/// The active lanes in which the guard of the instruction holds.
LaneMask Executor::guarded(Warp& warp, const Step& step) {
  const Row& row = warp.row(step.guard);
  LaneMask truths = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) truths |= static_cast<LaneMask>(row[lane] & 1U) << lane;
  return warp.active & (step.guard_negated ? ~truths : truths);
}

/// All lanes go the way that ends in no trap.
bool Executor::avoids_trap(const Warp& warp, const Step& step, LaneMask taken) {
  if (step.traps == Step::Trap::none) return false;
  if (taken != (step.traps == Step::Trap::if_taken ? 0 : warp.active)) return false;
  run_.outcome.avoided.insert(step.site);
  return true;
}

/// The clock decides whether each lane leaves a loop that lets time pass, or goes round, as far as that is open.
bool Executor::idles(Warp& warp, const Step& step) {
  if (step.idles == nullptr) return false;
  const Taint& guard = warp.taint(step.guard);
  return (guard.any() & warp.active & ~guard.timing) == 0;
}

/// How often a loop that lets time pass goes round decides what its registers hold, and no more.
void Executor::idle(Warp& warp, const Step& step, LaneMask lanes) {
  const Taint guard = warp.taint(step.guard);  // the loop may write it
  PTXMC_CHECK((lanes & ~guard.timing) == 0,
              "the clock decides how often a loop goes round that lets time pass");
  for (const Slot slot : *step.idles) {
    Taint& written = warp.taint(slot);
    for_lanes(lanes, [&](unsigned lane) {
      written.set(lane, static_cast<Sources>(written.of(lane) | guard.of(lane)));
    });
  }
}

/// The guard of an instruction decides what the lanes do. That a loop is left says no more than that it waits.
void Executor::control(Warp& warp, const Step& step, LaneMask taken) {
  const Taint& guard = warp.taint(step.guard);
  LaneMask tainted = guard.any() & warp.active & ~warp.waiting;
  if ((guard.token & tainted) != 0) tainted &= ~machine_.tried_waits.wait_by_token(warp, step, taken);
  if (tainted == 0 || avoids_trap(warp, step, taken)) return;
  if (idles(warp, step)) return idle(warp, step, tainted);
  const bool moves = step.act == Act::none || step.act == Act::leave;
  if (const LaneMask guided = moves ? guard.data & tainted : 0; guided != 0) {
    warp.guided |= guided;
    for_lanes(guided, [&](unsigned lane) { warp.guided_when[lane] = run_.changes; });
  }
  const bool both_sides = taken != 0 && taken != warp.active;
  const LaneMask waited = Polls::leading_out(warp, step) & tainted & guard.timing & ~guard.data;
  if (waited != 0) run_.decided(step, Decided::waiting, bit(Source::timing), both_sides);
  if (const LaneMask by_turns = waited & guard.turns; by_turns != 0)
    run_.decided(step, Decided::control, bit(Source::turns), both_sides);
  tainted &= ~waited;
  if (tainted != 0) run_.decided(step, Decided::control, guard.within(tainted), both_sides);
}

/// Registers that matrices are in. No lane executes an instruction on registers by its guard, and for other contents some may.
void Executor::check_watched(Warp& warp, const Step& step, LaneMask mask) {
  if (mask != 0) return machine_.warpgroups.check_registers(warp, step);
  run_.decided_by(warp, step, step.guard, Decided::control, warp.active);
}

void Executor::execute(Warp& warp, const Step& step) {
  if (warp.convergence.has_parted())
    machine_.barriers.report(warp, warp.convergence.come(step.site, warp.active));
  LaneMask mask = warp.active;
  if (step.guard != kNoSlot) {
    const bool pure = step.compute != nullptr || step.is_unknown;
    if (pure && machine_.blocks.follow()) machine_.blocks.settle_known(warp, step, step.guard, warp.active);
    mask = guarded(warp, step);
    if (!pure) {
      if (machine_.branch_sides.are_taken() && machine_.branch_sides.go_both_ways(warp, step, mask)) return;
      if (machine_.blocks.follow() && !idles(warp, step))
        machine_.blocks.settle(warp, step, step.guard, warp.active);
      mask &= warp.active;
      control(warp, step, mask);
    }
  }
  if ((warp.left & warp.active) != 0) Polls::leading_out(warp, step);
  ++run_.warp_steps;
  const auto count =
      mask == kAllLanes ? std::uint64_t{kLanes} : static_cast<std::uint64_t>(std::popcount(mask));
  run_.lane_steps += count;
  run_.outcome.executed[step.site] += count;
  if (step.watched) check_watched(warp, step, mask);
  if (step.compute != nullptr || step.is_unknown) {
    compute(warp, step, mask);
    if (mask != warp.active) machine_.tried_waits.rest_on_guard(warp, step, warp.active & ~mask);
    ++warp.at;
  } else if (step.act == Act::none) {
    branch(warp, step, mask);
  } else {
    const trace::Site at = warp.at;
    const isa::Opcode opcode = step.instruction->opcode;
    if (opcode == isa::Opcode::ret && mask != 0) check_uniform(warp, step, warp.active & ~mask);
    if (step.polls == nullptr && opcode != isa::Opcode::bar_red && opcode != isa::Opcode::nanosleep)
      warp.acted |= mask;
    if (step.polls == nullptr && opcode != isa::Opcode::shuffle && opcode != isa::Opcode::vote &&
        opcode != isa::Opcode::nanosleep)
      warp.acted_apart |= mask;
    // The sources of an exchange are read when all have come.
    if (step.act != Act::exchange) machine_.shadow.forget(warp, step, mask);
    if (mask != 0) mask &= ~machine_.branch_sides.access_everywhere(warp, step, mask, false);
    if (mask != 0 && machine_.blocks.follow()) machine_.blocks.check(warp, step, mask);
    if (mask != 0) act(warp, step, mask);
    if (warp.at == at) ++warp.at;
  }
}

/// R292: what is .uni (bra, brx.idx, call, ret) is for all active lanes alike.
void Executor::check_uniform(Warp& warp, const Step& step, LaneMask rest) {
  if (rest == 0 || !step.modifiers().aligned) return;
  run_.fault(RuleId::barrier_divergence, step, warp, static_cast<unsigned>(std::countr_zero(rest)),
             fmt::format("some lanes of the warp execute the {}, which is .uni, and some do not",
                         step.instruction->opcode == isa::Opcode::ret ? "ret" : "branch"));
}

/// Some of the active lanes jump.
void Executor::branch(Warp& warp, const Step& step, LaneMask taken) {
  const LaneMask rest = warp.active & ~taken;
  if (taken != 0 && step.target <= step.site) run_.observer.jump_back(step.target, lanes_of(warp, taken));
  if (taken == 0) {
    ++warp.at;
  } else if (rest == 0) {
    warp.at = step.target;
    // Those that are jumped over, or back to, may be others now.
    if (warp.limit != kNoPlace || (warp.ready & ~warp.active) != 0) warp.regroup_at();
  } else {
    if (step.instruction->opcode == isa::Opcode::bra) check_uniform(warp, step, rest);
    const Code& code = *warp.codes[static_cast<unsigned>(std::countr_zero(warp.active))];
    if (const auto meet = partings_.meeting(code, step)) warp.convergence.part(warp.active, *meet);
    ++warp.at;
    warp.park();
    for_lanes(taken, [&](unsigned lane) { warp.place[lane] = step.target; });
    const bool oldest = warp.oldest_next;
    warp.oldest_next = false;
    machine_.scheduler.regroup(warp);
    warp.oldest_next = oldest;
  }
}

/// Predicates that are read negated.
void Executor::write_opposites(Warp& warp, const Step& step, LaneMask mask) {
  for (const auto& opposite : step.opposites) {
    const Slot from = opposite.first, to = opposite.second;
    const Row& row = warp.row(from);
    Row& negated = warp.row(to);
    for_lanes(mask, [&](unsigned lane) { negated[lane] = (row[lane] & 1U) ^ 1U; });
    warp.taint(to).assign(warp.taint(from), mask);
    machine_.shadow.negate(warp, from, to, mask);
    if (machine_.blocks.follow()) machine_.blocks.negate(warp, from, to, mask);
  }
}

/// Integer division, before it is executed. Lanes that divide by zero: the result is any (9.7.1.8). Which way the quotient of
/// negative numbers is rounded, the machine says (9.7.1.9): `known` are lanes whose operands are numbers.
LaneMask Executor::divide(Warp& warp, const Step& step, LaneMask mask, LaneMask known) {
  const Row &dividend = warp.row(step.sources[0]), &divisor = warp.row(step.sources[1]);
  const auto width = static_cast<integer::Width>(step.source_bits[1]);
  const bool is_signed = step.modifiers().type->is_signed();
  LaneMask by_zero = 0;
  for_lanes(mask, [&](unsigned lane) {
    const std::int64_t by = integer::as_signed(divisor[lane], width);
    if (by == 0) by_zero |= LaneMask{1} << lane;
    if (by == 0 || by == -1 || !is_signed || (known >> lane & 1U) == 0) return;
    const std::int64_t number = integer::as_signed(dividend[lane], width);
    if ((number < 0 || by < 0) && number % by != 0) run_.outcome.remainders.insert(step.site);
  });
  return by_zero;
}

/// A product before it is executed, which a sum may take unrounded (9.7.3.5).
void Executor::multiply(const Warp& warp, const Step& step, LaneMask known) {
  const Row &a = warp.registers.rows[step.sources[0]], &b = warp.registers.rows[step.sources[1]];
  for_lanes(known, [&](unsigned lane) {
    if (is_rounded_product(step.modifiers(), a[lane], b[lane])) run_.outcome.products.insert(step.site);
  });
}

/// Operands of an instruction on registers that decide whether its result is defined: a number, an address of global memory.
void Executor::check_limit(Warp& warp, const Step& step, LaneMask mask) {
  if (step.address.base != kNoSlot)
    for_lanes(mask, [&](unsigned lane) {
      machine_.copies.in_global(warp, step, lane, {run_.address(warp, step, step.address, lane), 1});
    });
  const rules::OperandLimit& limit = *step.limit;
  const LaneMask open =
      (warp.taint(step.slot(limit.operand)).any() | warp.taint(step.slot(limit.other)).any()) & mask;
  run_.decided_by(warp, step, limit.operand, Decided::control, open);
  run_.decided_by(warp, step, limit.other, Decided::control, open);
  for_lanes(mask & ~open, [&](unsigned lane) {
    const std::uint64_t value = value_of(warp, step, limit.operand, lane);
    if (!limit.holds(value, value_of(warp, step, limit.other, lane)))
      run_.fault(RuleId::bad_operand, step, warp, lane,
                 fmt::format("{:#x}, where {} is wanted", value, limit.wanted));
  });
}

/// The lanes with a NaN, of a type of 32 or 64 bits, or in one of two of 32.
LaneMask Executor::not_numbers(const Step& step, const Row& row, LaneMask mask) {
  constexpr std::uint64_t kInfinite = 0x7f800000, kInfiniteWide = 0x7ff0000000000000;
  constexpr unsigned kHalf = 32;
  const isa::Type& type = *step.modifiers().type;
  const bool pair = type.format == isa::Float::f32x2, wide = type.bits == 64 && !pair;
  const std::uint64_t infinite = wide ? kInfiniteWide : kInfinite,
                      sign = wide ? std::uint64_t{1} << 63U : 1U << 31U;
  const auto is_none = [&](std::uint64_t value) { return (value & (sign - 1)) > infinite; };
  LaneMask out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out |= (is_none(row[lane]) || (pair && is_none(row[lane] >> kHalf)) ? 1U : 0U) << lane;
  return out & mask;
}

void Executor::compute(Warp& warp, const Step& step, LaneMask mask) {
  if (step.reads_clock) {
    for_lanes(mask, [&](unsigned lane) {
      for (const Slot clock : warp.codes[lane]->clocks) warp.row(clock)[lane] = run_.warp_steps;
    });
  }
  if (mask == 0) return;
  if (step.limit != nullptr) check_limit(warp, step, mask);
  write_opposites(warp, step, mask);
  Taint taint = taint_of(warp, step);
  const LaneMask followed = taint.address & mask;
  if (followed != 0) {
    machine_.forms.follow(warp, step, followed, followed_);
    taint.address = 0;
    taint.place |= followed_.lost;
  }
  if ((taint.token & mask) != 0) TriedWaits::pass_tokens(warp, step, taint.token & mask);
  if (step.counts_turns) taint.timing |= mask;
  if (step.counted != kNoSlot) machine_.contention.compare_counted(warp, step, mask);
  const LaneMask of_block = taint.block & mask;
  if (of_block != 0) machine_.blocks.before(warp, step, of_block);
  const ValueShadow::Results results = machine_.shadow.before(warp, step, mask, taint);
  if (step.divides) taint.data |= divide(warp, step, mask, mask & ~taint.open());
  if (step.may_fuse) multiply(warp, step, mask & ~taint.open());
  if (step.is_unknown) {
    taint.data = kAllLanes;
  } else {
    step.compute(warp.registers.rows.data(), step, mask);
    if (step.gives_float) taint.data |= not_numbers(step, warp.row(step.to), mask);
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
  if (of_block != 0) machine_.blocks.after(warp);
  if (followed != 0) machine_.forms.keep_forms(warp, step, followed_);
  machine_.shadow.after(warp, step, mask, taint, results);
}

void Executor::pass_time(Warp& warp, const Step&, LaneMask) {
  warp.yields = true;
}

/// Short forms: `beq a, b, label`, of 64 bits.
void Executor::compare_branch(Warp& warp, const Step& step, LaneMask mask) {
  LaneMask taken = 0;
  for_lanes(mask, [&](unsigned lane) {
    const auto a = static_cast<std::int64_t>(value_of(warp, step, isa::Role::a, lane)),
               b = static_cast<std::int64_t>(value_of(warp, step, isa::Role::b, lane));
    if (isa::holds(step.modifiers().compare, a < b, a == b)) taken |= LaneMask{1} << lane;
  });
  Taint taint = warp.taint(step.slot(isa::Role::a));
  taint |= warp.taint(step.slot(isa::Role::b));
  if (const Sources sources = taint.within(mask); sources != 0)
    run_.decided(step, Decided::control, sources, taken != 0 && taken != mask);
  branch(warp, step, taken);
}

}  // namespace ptxmc::exec
