// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together (9.7.8.6, 9.7.12.2, 9.7.12.8 to 9.7.12.14): those that the membermask names meet
// (R226, R227), at whatever places they stand, and lanes that have exited count as arrived (D40).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"
#include "ptx/isa/table.h"
#include "ptx/rules/together.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

bool same_kind(const Step& a, const Step& b) {
  return &a == &b || (a.instruction->opcode == b.instruction->opcode && a.modifiers() == b.modifiers());
}

struct TakenFrom {
  unsigned lane = 0;    // its own, where the other is outside
  bool inside = false;  // of the segment
};

/// 9.7.8.6: from which lane a shuffle takes a value.
TakenFrom taken_from(isa::WarpMode mode, std::uint32_t lane_operand, std::uint32_t control, unsigned lane) {
  const auto by = static_cast<std::int32_t>(lane_operand & 0x1fU);
  const std::uint32_t segment = (control >> 8U) & 0x1fU, clamp = control & 0x1fU;
  const auto last = static_cast<std::int32_t>((lane & segment) | (clamp & ~segment));
  const auto least = static_cast<std::int32_t>(lane & segment), here = static_cast<std::int32_t>(lane);
  std::int32_t from = here;
  switch (mode) {
    case isa::WarpMode::up:
      from = here - by;
      break;
    case isa::WarpMode::down:
      from = here + by;
      break;
    case isa::WarpMode::bfly:
      from = here ^ by;
      break;
    default:
      from = least | (by & ~static_cast<std::int32_t>(segment));
      break;
  }
  const bool inside = mode == isa::WarpMode::up ? from >= last : from <= last;
  return {inside ? static_cast<unsigned>(from) : lane, inside};
}

}  // namespace

void Exchanges::exchange(Warp& warp, const Step& step, LaneMask mask) {
  const Slot named = step.slot(Role::member_mask);
  LaneMask outside = 0;
  for_lanes(mask, [&](unsigned lane) {
    warp.members[lane] = named == kNoSlot ? warp.live() : static_cast<LaneMask>(warp.row(named)[lane]);
    warp.waits_at[lane] = &step;
    if ((warp.members[lane] >> lane & 1U) == 0) outside |= LaneMask{1} << lane;
  });
  if (outside != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(outside));
    run_.fault(RuleId::not_in_membermask, step, warp, lane,
               fmt::format("thread {} of the warp executes it and is not in the mask {:#x}", lane,
                           warp.members[lane]));
    for_lanes(outside, [&](unsigned l) { warp.members[l] |= LaneMask{1} << l; });
  }
  if (named != kNoSlot) run_.decided_by(warp, step, named, Decided::control, mask);
  // The whole group at once, as a rule.
  const LaneMask members = warp.members[static_cast<unsigned>(std::countr_zero(mask))];
  bool uniform = true;
  for_lanes(mask, [&](unsigned lane) { uniform = uniform && warp.members[lane] == members; });
  if (uniform && (members & warp.live() & ~mask) == 0) return exchange_now(warp, mask);
  warp.block(step, mask, Wait::lanes);
  warp.step_over();
  meet(warp);
}

/// The groups whose lanes have all come.
void Exchanges::meet(Warp& warp) {
  LaneMask waiting = 0;
  for_lanes(warp.live() & ~warp.ready, [&](unsigned lane) {
    if (warp.wait[lane] == Wait::lanes) waiting |= LaneMask{1} << lane;
  });
  for (LaneMask rest = waiting; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    LaneMask group = 0;
    for_lanes(rest, [&](unsigned lane) {
      if (warp.members[lane] == warp.members[first] && same_kind(*warp.waits_at[lane], *warp.waits_at[first]))
        group |= LaneMask{1} << lane;
    });
    rest &= ~group;
    if ((warp.members[first] & warp.live() & ~group) != 0) continue;
    exchange_now(warp, group);
    LaneMask over = 0;  // those that do not wait for more
    for_lanes(group, [&](unsigned lane) {
      if (warp.wait[lane] == Wait::lanes) over |= LaneMask{1} << lane;
    });
    warp.release(over);
  }
}

/// No lane waits for lanes that have exited (R226), but one that names them expected them.
void Exchanges::check_members(Warp& warp, const Step& step, LaneMask group) {
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const LaneMask gone = warp.members[first] & warp.exited;
  if (gone == 0 || !step.has(Role::member_mask)) return;
  if ((value_of(warp, step, Role::member_mask, first) >> first & 1U) == 0) return;  // that is said
  run_.fault(RuleId::exited_lane, step, warp, first,
             fmt::format("the mask {:#x} names {} threads that have exited", warp.members[first],
                         std::popcount(gone)));
}

/// All lanes of the group do it; each at its own instruction.
void Exchanges::exchange_now(Warp& warp, LaneMask group) {
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const Step& step = *warp.waits_at[first];
  check_members(warp, step, group);
  const Opcode opcode = step.instruction->opcode;
  const isa::Family family = isa::traits(opcode).family;
  if (rules::is_together(opcode, step.modifiers())) {
    machine_.barriers.report(warp, warp.convergence.execute(*warp.codes[first], step, group, warp.live()));
    bool together = true;
    for_lanes(group, [&](unsigned lane) { together = together && warp.waits_at[lane] == &step; });
    if (!together)
      run_.fault(RuleId::barrier_divergence, step, warp, first,
                 "lanes of a warp are at different instructions, which is .aligned");
    // Lanes that have exited do not execute it, either (R236).
    else if ((warp.exists & ~group) != 0)
      run_.fault(RuleId::barrier_divergence, step, warp, first,
                 fmt::format("{} of {} lanes of a warp execute an instruction that is .aligned",
                             std::popcount(group), std::popcount(warp.exists)));
    machine_.shadow.execute_together(warp, step, group);
    if (family == isa::Family::tensor) return machine_.tensor.tensor_collective(warp, step, group);
    if (isa::traits(opcode).has(isa::Trait::warpgroup))
      return machine_.warpgroups.warpgroup(warp, step, group);
    return whole_warp(warp, step, group);
  }
  if (opcode == Opcode::bar_sync) {
    run_.observer.warp_sync(step.site, lanes_of(warp, group));
  } else {
    run_.observer.exchange(step.site, lanes_of(warp, group));
  }
  if (const LaneMask exited = warp.members[first] & warp.exited; exited != 0)
    run_.observer.exit_awaited(lanes_of(warp, group), std::array{lanes_of(warp, exited)});
  switch (opcode) {
    case Opcode::shuffle:
    case Opcode::vote:
      opcode == Opcode::vote ? vote(warp, group) : shuffle(warp, group);
      return machine_.polls.told_by_lanes(warp, group);
    case Opcode::match:
      return match(warp, group);
    case Opcode::redux:
      return reduce_lanes(warp, group);
    case Opcode::elect:
      return elect(warp, group);
    default:
      return;
  }
}

/// One lane of the group, and of equal groups the same.
void Exchanges::elect(Warp& warp, LaneMask group) {
  LaneMask rest = group;
  for (unsigned i = elected_ % static_cast<unsigned>(std::popcount(group)); i > 0; --i) rest &= rest - 1;
  const auto elected = static_cast<unsigned>(std::countr_zero(rest));
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    if (own.to != kNoSlot) warp.row(own.to)[lane] = elected;
    if (own.second != kNoSlot) warp.row(own.second)[lane] = lane == elected ? 1 : 0;
  });
  give(warp, group, {});
}

/// What is no exchange of values, and aligned.
void Exchanges::whole_warp(Warp& warp, const Step& step, LaneMask group) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  switch (step.instruction->opcode) {
    case Opcode::tensormap_cp_fenceproxy:
      return machine_.tensor_maps.copy_map(warp, step, group);
    case Opcode::setmaxnreg:
      return machine_.warpgroups.set_registers(warp, step, group);
    case Opcode::wmma_load:
    case Opcode::wmma_store:
      return machine_.matrices.fragment_access(warp, step, group);
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
      return matrix.m == 8 && matrix.n == 8 ? machine_.matrices.matrix_access(warp, step, group)
                                            : machine_.matrices.byte_matrix_access(warp, step, group);
    default:
      return machine_.matrices.matrix_product(warp, step, group);
  }
}

/// What the results of the lanes rest on.
void Exchanges::give(Warp& warp, LaneMask lanes, const Taint& taint) {
  while (lanes != 0) {  // those at one instruction at once
    const Step& own = *warp.waits_at[static_cast<unsigned>(std::countr_zero(lanes))];
    LaneMask together = 0;
    for_lanes(lanes, [&](unsigned lane) {
      if (warp.waits_at[lane] == &own) together |= LaneMask{1} << lane;
    });
    if (own.to != kNoSlot) warp.taint(own.to).assign(taint, together);
    if (own.second != kNoSlot) warp.taint(own.second).assign(taint, together);
    machine_.shadow.forget(warp, own, together);
    lanes &= ~together;
  }
}

/// The same, where all of them get one value, whose term was known before.
void Exchanges::give_all(Warp& warp, LaneMask lanes, const Taint& taint, Term term) {
  give(warp, lanes, taint);
  for_lanes(lanes, [&](unsigned lane) {
    if (const Slot to = warp.waits_at[lane]->to; to != kNoSlot)
      machine_.shadow.set_term(warp, to, lane, term);
  });
}

/// What any lane of the group gives, as a taint of all of them.
Taint Exchanges::common_taint(Warp& warp, LaneMask group, Role role) {
  Sources all = 0;
  for_lanes(group, [&](unsigned lane) {
    const Slot slot = warp.waits_at[lane]->slot(role);
    all = static_cast<Sources>(all | warp.taint(slot).of(lane));
    if (AddressForms::form_of(warp, slot, lane) != Places::kNumber) all |= bit(Source::place);
  });
  Taint taint;
  for_lanes(group, [&](unsigned lane) { taint.set(lane, all); });
  return taint;
}

/// 9.7.8.6: within segments of the warp that the clamp operand makes.
void Exchanges::shuffle(Warp& warp, LaneMask group) {
  Row values{};
  std::array<Sources, kLanes> sources{};
  FormRow forms{}, moved{};
  LaneMask addresses = 0;
  TermRow terms{}, taken{};
  LaneMask tainted = 0;  // whose value, or choice of a lane, rests on something
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    values[lane] = value_of(warp, own, Role::value, lane);
    terms[lane] = machine_.shadow.term_of(warp, own.slot(Role::value), lane);
    for (const Role role : {Role::value, Role::lane, Role::clamp}) {
      if (own.has(role)) tainted |= warp.taint(own.slot(role)).any();
    }
    forms[lane] = AddressForms::form_of(warp, own.slot(Role::value), lane);
    for (const Role role : {Role::lane, Role::clamp}) {
      if (own.has(role) && AddressForms::form_of(warp, own.slot(role), lane) != Places::kNumber)
        forms[lane] = Places::kLost;
    }
    sources[lane] = (tainted >> lane & 1U) == 0 ? Sources{0} : warp.taint(own.slot(Role::value)).of(lane);
  });
  tainted &= group;
  Taint taints;
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    const auto [source, inside] = taken_from(
        own.modifiers().warp_mode, static_cast<std::uint32_t>(value_of(warp, own, Role::lane, lane)),
        static_cast<std::uint32_t>(value_of(warp, own, Role::clamp, lane)), lane);
    const bool there = (group >> source & 1U) != 0;
    if (!there)
      run_.fault(
          RuleId::absent_lane, own, warp, lane,
          "a shuffle takes its value from a thread that does not execute it, so the value is undefined");  // R229
    if (!there || tainted != 0) {
      Sources chosen = 0;
      for (const Role role : {Role::lane, Role::clamp}) {
        if (own.has(role)) chosen = static_cast<Sources>(chosen | warp.taint(own.slot(role)).of(lane));
      }
      const Sources value = there ? sources[source] : bit(Source::data);
      taints.set(lane, static_cast<Sources>(value | chosen));
      if (there && open(chosen) == 0) taken[lane] = terms[source];
    }
    if (there && forms[source] != Places::kNumber) {
      moved[lane] = forms[source];
      addresses |= LaneMask{1} << lane;
    }
    if (own.to != kNoSlot) warp.row(own.to)[lane] = there ? values[source] & 0xffffffffU : 0;
    if (own.second != kNoSlot) warp.row(own.second)[lane] = inside ? 1 : 0;
  });
  give(warp, group, taints);
  for_lanes(addresses, [&](unsigned lane) {
    if (const Slot to = warp.waits_at[lane]->to; to != kNoSlot)
      AddressForms::set_form(warp, to, lane, moved[lane]);
  });
  for_lanes(group, [&](unsigned lane) {
    if (const Slot to = warp.waits_at[lane]->to; to != kNoSlot)
      machine_.shadow.set_term(warp, to, lane, taken[lane]);
  });
}

void Exchanges::vote(Warp& warp, LaneMask group) {
  LaneMask holds = 0;
  for_lanes(group, [&](unsigned lane) {
    if (is_true(warp, *warp.waits_at[lane], Role::predicate, lane)) holds |= LaneMask{1} << lane;
  });
  if (machine_.blocks.follow()) machine_.blocks.vote(warp, group);
  const Taint taint = common_taint(warp, group, Role::predicate);
  const Term term = machine_.shadow.together(warp, group, Role::predicate);
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    std::uint64_t value = holds;
    if (own.modifiers().warp_mode == isa::WarpMode::all) value = holds == group ? 1 : 0;
    if (own.modifiers().warp_mode == isa::WarpMode::any) value = holds != 0 ? 1 : 0;
    if (own.modifiers().warp_mode == isa::WarpMode::uni) value = holds == group || holds == 0 ? 1 : 0;
    if (own.to != kNoSlot) warp.row(own.to)[lane] = value;
  });
  give_all(warp, group, taint, term);
}

void Exchanges::match(Warp& warp, LaneMask group) {
  const Taint taint = common_taint(warp, group, Role::value);
  const auto value = [&](unsigned lane) { return value_of(warp, *warp.waits_at[lane], Role::value, lane); };
  std::array<LaneMask, kLanes> equal{};
  for_lanes(group, [&](unsigned lane) {
    for_lanes(group, [&](unsigned other) {
      if (value(other) == value(lane)) equal[lane] |= LaneMask{1} << other;
    });
  });
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    const bool all = equal[lane] == group;
    const bool of_all = own.modifiers().warp_mode == isa::WarpMode::all;
    if (own.to != kNoSlot) warp.row(own.to)[lane] = of_all ? (all ? group : 0) : equal[lane];
    if (own.second != kNoSlot) warp.row(own.second)[lane] = all ? 1 : 0;
  });
  give(warp, group, taint);
}

/// redux of f32: the least or the most; one that is not a number is left out, or with .NaN the result (9.7.12.12).
std::uint64_t Exchanges::extremum_of_lanes(Warp& warp, LaneMask group) {
  const isa::Modifiers& m = warp.waits_at[static_cast<unsigned>(std::countr_zero(group))]->modifiers();
  constexpr std::uint32_t kNotANumber = 0x7fffffff;
  float value = std::numeric_limits<float>::quiet_NaN();
  bool spoilt = false;
  for_lanes(group, [&](unsigned lane) {
    auto next = std::bit_cast<float>(
        static_cast<std::uint32_t>(value_of(warp, *warp.waits_at[lane], Role::value, lane)));
    if (m.variants.has(isa::Variant::abs)) next = std::fabs(next);
    spoilt = spoilt || std::isnan(next);
    value = m.atomic == isa::AtomicOp::min ? std::fmin(value, next) : std::fmax(value, next);
  });
  if (std::isnan(value) || (spoilt && m.variants.has(isa::Variant::not_a_number))) return kNotANumber;
  return std::bit_cast<std::uint32_t>(value);
}

void Exchanges::reduce_lanes(Warp& warp, LaneMask group) {
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const isa::Modifiers& m = warp.waits_at[first]->modifiers();
  const bool is_signed = m.type && m.type->is_signed();
  std::uint64_t value = value_of(warp, *warp.waits_at[first], Role::value, first) & 0xffffffffU;
  for_lanes(group & ~(LaneMask{1} << first), [&](unsigned lane) {
    const std::uint64_t next = value_of(warp, *warp.waits_at[lane], Role::value, lane) & 0xffffffffU;
    switch (m.atomic) {
      case isa::AtomicOp::add:
        value = integer::add(32, value, next);
        break;
      case isa::AtomicOp::min:
        value = is_signed ? integer::min_s(32, value, next) : std::min(value, next);
        break;
      case isa::AtomicOp::max:
        value = is_signed ? integer::max_s(32, value, next) : std::max(value, next);
        break;
      case isa::AtomicOp::and_:
        value &= next;
        break;
      case isa::AtomicOp::or_:
        value |= next;
        break;
      default:
        value ^= next;
        break;
    }
  });
  if (m.type && m.type->is_floating()) value = extremum_of_lanes(warp, group);
  const Taint taint = common_taint(warp, group, Role::value);
  const Term term = machine_.shadow.together(warp, group, Role::value);
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    if (own.to != kNoSlot) warp.row(own.to)[lane] = value;
  });
  give_all(warp, group, taint, term);
}

/// Which other lanes happen to be active, the scheduler chooses (R230). Threads of a litmus test that have programs of their own
/// may be any lanes of a kernel, which stand at one instruction.
void Exchanges::active_mask(Warp& warp, const Step& step, LaneMask mask) {
  bool one_program = true;
  for_lanes(warp.exists, [&](unsigned lane) {
    one_program =
        one_program && warp.codes[lane] == warp.codes[static_cast<unsigned>(std::countr_zero(mask))];
  });
  const LaneMask active = one_program ? mask : warp.exists, perhaps = one_program ? warp.live() : warp.exists;
  for_lanes(mask, [&](unsigned lane) {
    warp.row(step.to)[lane] = run_.schedule.apart ? LaneMask{1} << lane : active;
  });
  const bool one_alone = (perhaps & (perhaps - 1)) == 0;
  warp.taint(step.to).assign({0, one_alone ? 0 : mask}, mask);
}

}  // namespace ptxmc::exec
