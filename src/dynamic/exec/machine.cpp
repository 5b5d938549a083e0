// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/machine.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>

#include "dynamic/exec/placer.h"

namespace ptxmc::exec {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Unit::Unit(Machine& machine) : machine_(machine), run_(machine.run) {}

Machine::Machine(const program::Program& program, trace::Observer* observer,
                 std::span<const program::InnerMap> inner_maps)
    : run(program, observer) {
  place_program(program, *this);
  for (const program::InnerMap& inner : inner_maps) run.memory->add_map(inner);
}

/// The options, where they belong.
void Machine::follow_what(const Options& options) {
  run.readings = options.readings;
  accesses.start(options);
  matrices.start(options);
  mbarriers.start(options);
  exchanges.start(options);
  contention.start(options);
  if (options.contents) run.memory->fill_open(*options.contents);
  if (options.open_registers) open_registers();
  branch_sides.start(options);
  shadow.start(options);
  blocks.start(options);
  scheduler.start(options);
}

Outcome Machine::execute(const Options& options) {
  const Clock::time_point begin = Clock::now();
  change(options.changes);
  follow_what(options);
  run.outcome.executed.assign(run.sites.size(), 0);
  try {
    run_tasks(options);
    run.observer.finish();
    for (const auto& [site, by] : run.observer.deciding_swaps()) {
      const Source source = by == trace::OpenSwap::by_contents ? Source::data : Source::timing;
      run.decided(*run.sites[site], Decided::control, bit(source), false);
    }
    accesses.swaps().tell(run.outcome);
    answers_decide();
  } catch (const std::bad_alloc&) {  // in the middle of an event: the observer has what came before it
    run.outcome.end = End::out_of_memory;
  }
  for (const auto& [key, decision] : run.decisions) run.outcome.decisions.push_back(decision);
  for (const Step* step : run.sites) {
    if (run.outcome.executed[step->site] != 0)
      run.outcome.avoided.insert(step->avoids.begin(), step->avoids.end());
  }
  std::erase_if(run.outcome.avoided, [&](trace::Site site) {
    const isa::TrapCause cause = run.sites[site]->trap_cause;
    const bool written = cause == isa::TrapCause::instruction || cause == isa::TrapCause::assertion;
    if (!written) run.outcome.valid_targets.insert(site);
    return !written;
  });
  run.outcome.instructions = run.lane_steps;
  run.outcome.warp_instructions = run.warp_steps;
  run.outcome.seconds = seconds_since(begin);
  return run.outcome;
}

/// A wait outside of a loop orders what follows it because its answer decides. Where this run came to nothing that an answer
/// decides, the wait itself is what leaves it open.
void Machine::answers_decide() {
  const bool said = std::any_of(run.decisions.begin(), run.decisions.end(), [](const auto& one) {
    return one.first.second != Decided::waiting && (one.second.sources & bit(Source::timing)) != 0;
  });
  if (said) return;
  for (const trace::Site site : run.answered)
    run.decided(*run.sites[site], Decided::control, bit(Source::timing), false);
}

void Machine::run_tasks(const Options& options) {
  start();
  for (std::uint32_t task = 0; task < run.tasks.size() && run.outcome.end == End::finished; ++task) {
    for (const Warp& warp : run.warps) {
      if (warp.task != task) continue;
      const PlacedTask& placed = run.tasks[task];
      if (!placed.at_start.empty()) run.observer.start_behind(lanes_of(warp, warp.exists), placed.at_start);
      if (!placed.ended.empty()) run.observer.start_after_end(lanes_of(warp, warp.exists), placed.ended);
      if (placed.ended.empty() && !placed.at_wait.empty())
        run.observer.start_early(lanes_of(warp, warp.exists), placed.at_wait);
    }
    run.outcome.end = scheduler.run_task(task, options);
  }
}

/// What nothing has written yet is an unknown of its own thread. Special registers are none of those.
void Machine::open_registers() {
  std::map<const Code*, std::vector<Slot>> declared;
  for (Warp& warp : run.warps) {
    std::map<const Code*, LaneMask> lanes;
    for_lanes(warp.exists, [&](unsigned lane) { lanes[warp.codes[lane]] |= LaneMask{1} << lane; });
    for (const auto& [code, mask] : lanes) {
      const auto [slots, fresh] = declared.try_emplace(code);
      if (fresh) {
        const trace::Thread first = thread_of(warp, static_cast<unsigned>(std::countr_zero(mask)));
        for (const program::RegisterDeclaration& reg : run.threads[first]->registers()) {
          const auto slot = code->registers.find(reg.name);
          if (slot == code->registers.end()) continue;
          slots->second.push_back(slot->second);
          constexpr std::uint16_t kWide = 128;  // of which the upper half follows the lower one
          if (reg.type.bits == kWide) slots->second.push_back(static_cast<Slot>(slot->second + 1));
        }
        if (const auto carry = code->registers.find(kCarry); carry != code->registers.end())
          slots->second.push_back(carry->second);
      }
      for (const Slot slot : slots->second) warp.taint(slot).data |= mask;
    }
  }
  for (const program::RegisterInit& init : run.program.register_inits) {
    const auto known = run.by_number.find(init.thread);
    if (known == run.by_number.end()) continue;
    Warp& warp = run.warps[known->second / kLanes];
    const unsigned lane = known->second % kLanes;
    const auto slot = warp.codes[lane]->registers.find(init.name);
    if (slot != warp.codes[lane]->registers.end()) warp.taint(slot->second).data &= ~(LaneMask{1} << lane);
  }
}

void Machine::start() {
  std::vector<trace::Placement> placements;
  for (const Warp& warp : run.warps) {
    const Cta& cta = run.ctas[warp.cta];
    placements.push_back({warp.cta, cta.cluster, cta.gpu, cta.task, warp.exists});
  }
  run.observer.start(placements);
  for (std::uint32_t cta = 0; cta < run.ctas.size(); ++cta)
    run.observer.shared_memory(cta, {run.memory->shared(cta), run.memory->shared_bytes()});
}

void Machine::change(const std::vector<Changed>& changes) {
  for (const auto& [site, change] : changes) {
    for (Code& code : run.codes) {
      if (site < code.first || site >= code.first + code.steps.size()) continue;
      Step& step = code.steps[site - code.first];
      const isa::Opcode opcode = step.instruction->opcode;
      const bool waits =
          opcode == isa::Opcode::mbarrier_try_wait || opcode == isa::Opcode::mbarrier_test_wait;
      if (change == Change::leave_out) step.act = waits ? Act::succeed : Act::nothing;
      if (change == Change::unorder) step.orders = false;
    }
  }
}

}  // namespace ptxmc::exec
