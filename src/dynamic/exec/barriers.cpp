// SPDX-License-Identifier: Apache-2.0
// bar and barrier (9.7.12.1), barrier.cluster (9.7.12.3), and the ends of threads.
//
// A count is in threads, and a warp counts as 32, also a partial one; without a count all threads of the CTA take part
// that have not exited.
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/machine.h"
#include "ptx/isa/compare.h"
#include "ptx/rules/limits.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

}  // namespace

/// What the lanes of a warp must do alike (convergence.h).
void Barriers::check_aligned(Warp& warp, const Step& step, LaneMask mask) {
  if (!is_aligned(step)) return;
  if (const LaneMask others = warp.active & ~mask; others != 0 && step.guard != kNoSlot)
    run_.fault(RuleId::barrier_divergence, step, warp, static_cast<unsigned>(std::countr_zero(mask)),
               fmt::format("{} of {} threads of a warp execute it", std::popcount(mask),
                           std::popcount(warp.active)));
  const Code& code = *warp.codes[static_cast<unsigned>(std::countr_zero(mask))];
  report(warp, warp.convergence.execute(code, step, mask, warp.live()));
}

void Barriers::report(const Warp& warp, const Convergence::Problems& problem) {
  if (problem) run_.fault(RuleId::barrier_divergence, *problem->step, warp, problem->lane, problem->what);
}

void Barriers::barrier(Warp& warp, const Step& step, LaneMask mask) {
  if (step.modifiers().warp) return machine_.exchanges.exchange(warp, step, mask);
  check_aligned(warp, step, mask);
  const bool waits = step.instruction->opcode != Opcode::bar_arrive;
  // Lanes may name different barriers.
  for (LaneMask rest = mask; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t id =
        step.has(Role::barrier) ? value_of(warp, step, Role::barrier, first) & 0xffffffffU : 0;
    const std::uint64_t count =
        step.has(Role::count) ? value_of(warp, step, Role::count, first) & 0xffffffffU : 0;
    LaneMask same = 0;
    for_lanes(rest, [&](unsigned lane) {
      const bool other =
          (step.has(Role::barrier) && (value_of(warp, step, Role::barrier, lane) & 0xffffffffU) != id) ||
          (step.has(Role::count) && (value_of(warp, step, Role::count, lane) & 0xffffffffU) != count);
      if (!other) same |= LaneMask{1} << lane;
    });
    rest &= ~same;
    arrive(warp, step, same, id, count, waits);
  }
}

void Barriers::arrive(Warp& warp, const Step& step, LaneMask mask, std::uint64_t id, std::uint64_t count,
                      bool waits) {
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const bool counted = step.has(Role::count), shortly = step.modifiers().instance_first;
  if (id >= rules::kBarriers)
    return run_.fault(RuleId::barrier_misuse, step, warp, first, fmt::format("barrier {}, of 0 to 15", id));
  if (counted && (count == 0 || (!shortly && count % rules::kBarrierCountUnit != 0)))
    return run_.fault(RuleId::barrier_misuse, step, warp, first,
                      fmt::format("a count of {} threads, which is no multiple of 32", count));
  for (const Role role : {Role::barrier, Role::count})
    run_.decided_by(warp, step, role, Decided::control, mask);
  NamedBarrier& barrier = run_.ctas[warp.cta].barriers[id];
  if (!barrier.open) {
    barrier.open = true;
    barrier.count = static_cast<std::uint32_t>(count);
    barrier.truths = 0;
    barrier.all = true;
    barrier.some = false;
    barrier.taint = {};
    barrier.polling = 0;
    barrier.others_add_nothing = true;
    barrier.others = 0;
  } else if (barrier.count != count) {
    const auto said = [](std::uint64_t n) {
      return n == 0 ? std::string("no count") : fmt::format("a count of {}", n);
    };
    run_.fault(RuleId::barrier_misuse, step, warp, first,
               fmt::format("{} at barrier {}, where others of the phase have {}", said(count), id,
                           said(barrier.count)));
  }
  if (step.instruction->opcode == Opcode::bar_red) {
    for_lanes(mask, [&](unsigned lane) {
      const bool holds = is_true(warp, step, Role::predicate, lane);
      barrier.truths += holds ? 1 : 0;
      barrier.all = barrier.all && holds;
      barrier.some = barrier.some || holds;
      machine_.polls.note_poll(barrier, warp, step, lane, holds);
    });
    const Sources sources = warp.taint(step.slot(Role::predicate)).within(mask);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      barrier.taint.set(lane, static_cast<Sources>(sources | barrier.taint.of(lane)));
  }
  barrier.arrived.push_back({warp.number, mask, &step, waits});
  if (step.orders)
    run_.observer.barrier_arrive(step.site, lanes_of(warp, mask), {warp.cta, static_cast<std::uint8_t>(id)},
                                 barrier.phase);
  if (waits) {
    warp.block(step, mask, Wait::barrier);
    for_lanes(mask, [&](unsigned lane) { warp.members[lane] = static_cast<std::uint32_t>(id); });
    warp.step_over();
  } else {
    warp.yields = true;  // any warp that waits for it has its turn
  }
  try_complete(warp.cta, static_cast<unsigned>(id));
}

void Barriers::try_complete(std::uint32_t cta, unsigned id) {
  NamedBarrier& barrier = run_.ctas[cta].barriers[id];
  if (!barrier.open) return;
  // A thread that arrives, and then waits there, arrives twice.
  struct Arrivals {
    LaneMask lanes = 0;
    std::uint32_t count = 0;
  };
  std::map<std::uint32_t, Arrivals> by_warp;
  bool shortly = false;
  for (const NamedBarrier::Arrived& arrived : barrier.arrived) {
    by_warp[arrived.warp].lanes |= arrived.lanes;
    by_warp[arrived.warp].count += static_cast<std::uint32_t>(std::popcount(arrived.lanes));
    shortly |= arrived.step->modifiers().instance_first;
  }
  std::uint32_t threads = 0;
  bool everybody = true;
  for (const std::uint32_t number : run_.ctas[cta].warps) {
    const auto found = by_warp.find(number);
    const Arrivals here = found == by_warp.end() ? Arrivals{} : found->second;
    everybody = everybody && (run_.warps[number].live() & ~here.lanes) == 0;
    if (here.count == 0) continue;
    // A warp counts as 32, also one that is partial or some of whose lanes have exited before, and each lane for its share.
    const Warp& warp = run_.warps[number];
    const auto lanes_there =
        static_cast<std::uint32_t>(std::popcount(warp.exists & ~(warp.left_by_guard & ~here.lanes)));
    threads += shortly ? here.count : here.count * kLanes / lanes_there;
  }
  if (barrier.count == 0 ? everybody : threads >= barrier.count) {
    if (barrier.count != 0 && threads > barrier.count) {
      const NamedBarrier::Arrived& last = barrier.arrived.back();
      run_.fault(RuleId::barrier_misuse, *last.step, run_.warps[last.warp],
                 static_cast<unsigned>(std::countr_zero(last.lanes)),
                 fmt::format("{} threads at barrier {}, whose count is {}", threads, id, barrier.count));
    }
    complete(cta, id);
  }
}

void Barriers::complete(std::uint32_t cta, unsigned id) {
  NamedBarrier& barrier = run_.ctas[cta].barriers[id];
  const trace::Phase phase = barrier.phase++;
  const std::vector<NamedBarrier::Arrived> all = std::move(barrier.arrived);
  barrier.arrived.clear();
  barrier.open = false;
  if (barrier.count == 0) note_met(cta, id, all);
  check_kinds(all, id);
  check_places(all, id);
  const bool told = machine_.polls.told_by_one(barrier, all);
  std::vector<trace::Lanes> exited;
  const auto some_exited = [&](std::uint32_t warp) { return run_.warps[warp].exited != 0; };
  const std::vector<std::uint32_t>& warps = run_.ctas[cta].warps;
  if (barrier.count == 0 && std::any_of(warps.begin(), warps.end(), some_exited)) {
    std::map<std::uint32_t, LaneMask> here;
    for (const NamedBarrier::Arrived& arrived : all) here[arrived.warp] |= arrived.lanes;
    exited = exited_instead(cta, here);
  }
  for (const NamedBarrier::Arrived& arrived : all) {
    if (!arrived.waits) continue;
    Warp& warp = run_.warps[arrived.warp];
    const Step& step = *arrived.step;
    if (step.instruction->opcode == Opcode::bar_red && step.to != kNoSlot) {
      std::uint64_t value = barrier.truths;
      if (step.modifiers().barrier_red == isa::BarrierRed::and_) value = barrier.all ? 1 : 0;
      if (step.modifiers().barrier_red == isa::BarrierRed::or_) value = barrier.some ? 1 : 0;
      for_lanes(arrived.lanes, [&](unsigned lane) { warp.row(step.to)[lane] = value; });
      warp.taint(step.to).assign(barrier.taint, arrived.lanes);
      // Those that do not read themselves go round as long as the one that reads does.
      if (told)
        for_lanes(arrived.lanes & ~(warp.waiting | warp.left),
                  [&](unsigned lane) { warp.taint(step.to).set(lane, barrier.others); });
    }
    if (step.orders)
      run_.observer.barrier_leave(step.site, lanes_of(warp, arrived.lanes),
                                  {cta, static_cast<std::uint8_t>(id)}, phase);
    if (!exited.empty()) run_.observer.exit_awaited(lanes_of(warp, arrived.lanes), exited);
    warp.release(arrived.lanes);
  }
}

/// The lanes of the CTA that have exited and are not among those that arrived, by warp: the barrier of all waited for them.
std::vector<trace::Lanes> Barriers::exited_instead(std::uint32_t cta,
                                                   const std::map<std::uint32_t, LaneMask>& arrived) const {
  std::vector<trace::Lanes> out;
  for (const std::uint32_t number : run_.ctas[cta].warps) {
    const auto found = arrived.find(number);
    const LaneMask mask = run_.warps[number].exited & ~(found == arrived.end() ? 0 : found->second);
    if (mask != 0) out.push_back(lanes_of(run_.warps[number], mask));
  }
  return out;
}

/// barrier.red meets no barrier operation of another kind in one phase (R170).
void Barriers::check_kinds(const std::vector<NamedBarrier::Arrived>& all, unsigned id) {
  const auto reduces = [](const NamedBarrier::Arrived& at) {
    return at.step->instruction->opcode == Opcode::bar_red;
  };
  const auto other = std::find_if(all.begin(), all.end(), [&](const NamedBarrier::Arrived& at) {
    return reduces(at) != reduces(all.front());
  });
  if (other != all.end())
    run_.fault(RuleId::barrier_misuse, *other->step, run_.warps[other->warp],
               static_cast<unsigned>(std::countr_zero(other->lanes)),
               fmt::format("barrier.red meets another barrier operation at barrier {}", id));
}

/// By accident of order, perhaps: at barriers of two branches, say.
void Barriers::note_met(std::uint32_t cta, unsigned id, const std::vector<NamedBarrier::Arrived>& all) {
  Met met{cta, id, {}, run_.ctas[cta].warps.front()};
  for (const NamedBarrier::Arrived& arrived : all) {
    std::vector<std::uint32_t>& warps = met.warps[arrived.step->site];
    if (std::find(warps.begin(), warps.end(), arrived.warp) == warps.end()) warps.push_back(arrived.warp);
  }
  constexpr std::size_t kMost = 64;
  const bool known =
      std::find(run_.outcome.met.begin(), run_.outcome.met.end(), met) != run_.outcome.met.end();
  if (met.warps.size() > 1 && !known && run_.outcome.met.size() < kMost)
    run_.outcome.met.push_back(std::move(met));
}

/// By the wording of 9.7.12.1 all threads of the CTA execute the same aligned barrier; in practice those of a warp do, and
/// warps of different roles meet at instructions of one form. Threads of a litmus test that have code of their own can but
/// meet so. [reading aligned-barrier]
void Barriers::check_places(const std::vector<NamedBarrier::Arrived>& all, unsigned id) {
  const auto code = [&](const NamedBarrier::Arrived& at) {
    return run_.warps[at.warp].codes[static_cast<unsigned>(std::countr_zero(at.lanes))];
  };
  std::map<Opcode, const NamedBarrier::Arrived*> first;
  for (const NamedBarrier::Arrived& arrived : all) {
    const Step& step = *arrived.step;
    if (!step.modifiers().aligned || step.modifiers().instance_first) continue;
    const NamedBarrier::Arrived& other = *first.try_emplace(step.instruction->opcode, &arrived).first->second;
    if (other.step == &step) continue;
    if (code(other) == code(arrived)) run_.outcome.apart.insert({other.step->site, step.site});
    if (run_.readings.one_place)
      run_.fault(
          RuleId::barrier_divergence, step, run_.warps[arrived.warp],
          static_cast<unsigned>(std::countr_zero(arrived.lanes)),
          fmt::format("other warps come to barrier {} at another instruction, and it is .aligned", id));
  }
}

// ---- Clusters -------------------------------------------------------------------------------------------------

void Barriers::cluster_arrive(Warp& warp, const Step& step, LaneMask mask) {
  ++run_.changes;
  check_aligned(warp, step, mask);
  Cluster& cluster = run_.clusters[run_.ctas[warp.cta].cluster];
  const LaneMask twice = warp.at_cluster & mask;
  if (twice != 0)
    run_.fault(RuleId::barrier_misuse, step, warp, static_cast<unsigned>(std::countr_zero(twice)),
               "a second arrival at the barrier of the cluster, without a wait");
  cluster.arrived[warp.number] |= mask;
  run_.observer.cluster_arrive(step.site, lanes_of(warp, mask), {run_.ctas[warp.cta].cluster, 0},
                               cluster.phase, step.modifiers().semantics);
  for_lanes(mask, [&](unsigned lane) { warp.cluster_phase[lane] = cluster.phase; });
  warp.at_cluster |= mask;
  try_complete(run_.ctas[warp.cta].cluster);
}

void Barriers::try_complete(std::uint32_t number) {
  Cluster& cluster = run_.clusters[number];
  bool any = false;
  for (const std::uint32_t cta : cluster.ctas) {
    for (const std::uint32_t warp : run_.ctas[cta].warps) {
      const LaneMask here = cluster.arrived.contains(warp) ? cluster.arrived[warp] : 0;
      if ((run_.warps[warp].live() & ~here) != 0) return;
      any |= here != 0;
    }
  }
  if (!any) return;
  const trace::Phase phase = cluster.phase++;
  cluster.exited.clear();
  for (const std::uint32_t cta : cluster.ctas) {
    const std::vector<trace::Lanes> here = exited_instead(cta, cluster.arrived);
    cluster.exited.insert(cluster.exited.end(), here.begin(), here.end());
  }
  cluster.arrived.clear();
  const auto waiting = std::move(cluster.waiting);
  cluster.waiting.clear();
  for (const auto& [warp, lanes_of] : waiting) leave_cluster(run_.warps[warp], lanes_of, phase);
}

void Barriers::tell_left(const Warp& warp, const Step& step, LaneMask mask, trace::Phase phase) {
  const std::uint32_t number = run_.ctas[warp.cta].cluster;
  run_.observer.cluster_leave(step.site, lanes_of(warp, mask), {number, 0}, phase,
                              step.modifiers().semantics);
  if (const std::vector<trace::Lanes>& exited = run_.clusters[number].exited; !exited.empty())
    run_.observer.exit_awaited(lanes_of(warp, mask), exited);
}

void Barriers::leave_cluster(Warp& warp, LaneMask mask, trace::Phase phase) {
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const Step& step = *warp.waits_at[first];
  tell_left(warp, step, mask, phase);
  ++run_.changes;
  warp.release(mask);
}

void Barriers::cluster_wait(Warp& warp, const Step& step, LaneMask mask) {
  Cluster& cluster = run_.clusters[run_.ctas[warp.cta].cluster];
  check_aligned(warp, step, mask);
  // A wait is for one's own arrival, too (R174): without one it never ends.
  const LaneMask arrived = mask & warp.at_cluster;
  warp.at_cluster &= ~mask;
  LaneMask done = 0;
  for_lanes(arrived, [&](unsigned lane) {
    if (warp.cluster_phase[lane] < cluster.phase) done |= LaneMask{1} << lane;
  });
  if (done != 0)
    tell_left(warp, step, done, warp.cluster_phase[static_cast<unsigned>(std::countr_zero(done))]);
  if (done == mask) return;
  warp.block(step, mask & ~done, Wait::cluster);
  if ((arrived & ~done) != 0) cluster.waiting[warp.number] |= arrived & ~done;
  warp.step_over();
}

// ---- Ends -----------------------------------------------------------------------------------------------------

}  // namespace ptxmc::exec
