// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/progress.h"

#include <algorithm>

#include "ptx/isa/opcode.h"

namespace ptxmc::lower {

Expr Progress::started() {
  if (unit_.options.liveness != ProgressModel::obe || info_.host) return pool_.truth(true);
  const Expr starts = unit_.nondeterministic_choices.is(unit_, {ChoiceKey::Kind::start, info_.cluster}, 0);
  unit_.decide(thread_, starts, pool_.truth(true));
  return starts;
}

void Progress::hold(State& state, Expr condition, std::optional<std::size_t> except) {
  const Expr goes_on = pool_.negation(condition);
  state.guard = pool_.conjunction(state.guard, goes_on);
  // A thread that stays has not left its loops: constant bounds stay visible (flow/walker.cpp: bound).
  for (Iteration& turn : state.turns) {
    if (turn.loop != except) turn.header_guard = pool_.conjunction(turn.header_guard, goes_on);
  }
}

/// Where the thread waits forever: on all paths of the state if `guard` is theirs.
void Progress::hold_blocked(State& state, Expr guard, Expr blocks) {
  const Expr here = pool_.conjunction(guard, blocks);
  if (guard != state.guard) return hold(state, here, std::nullopt);
  for (Iteration& turn : state.turns) {
    const Expr stays = turn.header_guard == guard ? blocks : here;
    turn.header_guard = pool_.conjunction(turn.header_guard, pool_.negation(stays));
  }
  state.guard = pool_.conjunction(guard, pool_.negation(blocks));
}

void Progress::stop_before(const Instruction& instruction, State& state) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  const bool awaited = traits.has(isa::Trait::acts) || traits.has(isa::Trait::collective);
  if (awaited) stop_here(state);
}

void Progress::stop_before_end(State& state) {
  const auto meets = [](const program::Thread& thread) {
    return std::any_of(thread.code().begin(), thread.code().end(), [](const Instruction& instruction) {
      return isa::traits(instruction.opcode).family == isa::Family::barrier;
    });
  };
  if (std::any_of(unit_.program.threads.begin(), unit_.program.threads.end(), meets)) stop_here(state);
}

void Progress::stop_here(State& state) {
  if (unit_.options.liveness != ProgressModel::hsa || !may_stop(graph_, thread_)) return;
  const Expr stops =
      unit_.nondeterministic_choices.is(unit_, {ChoiceKey::Kind::stop, thread_}, stop_points_++);
  unit_.decide(thread_, stops, state.guard);
  hold(state, stops, std::nullopt);
}

/// "The next wait never ends": decided where `guard` holds.
Expr Progress::waits_for_ever(Expr guard) {
  const Expr result =
      unit_.nondeterministic_choices.is(unit_, {ChoiceKey::Kind::wait, unit_.barrier_waits++}, 0);
  unit_.blocks.insert({result, pool_.negation(result)});
  unit_.decide(thread_, result, guard);
  return result;
}

void Progress::block(const Instruction& instruction, State& state, EventId arrival, EventId wait) {
  if (!unit_.options.liveness) return;
  const bool last = stays(unit_.options, thread_, waits_before(graph_, thread_, arrival));
  if (!last && passes(unit_.options, thread_)) return;
  const Expr guard = graph_.events[arrival].guard;
  const Expr blocks = last ? pool_.truth(true) : waits_for_ever(guard);
  const Expr here = pool_.conjunction(guard, blocks);
  graph_.events[wait].guard = pool_.conjunction(guard, pool_.negation(blocks));
  graph_.hangs.push_back({event::Hang::Kind::barrier, thread_, arrival, here, {}, instruction.position});
  hold_blocked(state, guard, blocks);
}

void Progress::block_wait(Event wait, State& state) {
  const bool last =
      stays(unit_.options, thread_, waits_before(graph_, thread_, static_cast<EventId>(graph_.size())));
  if (!last && passes(unit_.options, thread_)) {
    unit_.add_event(std::move(wait));
    return;
  }
  const Expr guard = wait.guard;
  const Expr blocks = last ? pool_.truth(true) : waits_for_ever(guard);
  const Expr here = pool_.conjunction(guard, blocks);
  Event end = wait;
  end.kind = EventKind::end;
  end.guard = here;
  end.labels = {};
  const event::EventId id = unit_.add_event(std::move(end));
  graph_.hangs.push_back({event::Hang::Kind::phase, thread_, id, here, {}, wait.position});
  wait.guard = pool_.conjunction(guard, pool_.negation(blocks));
  unit_.add_event(std::move(wait));
  hold_blocked(state, guard, blocks);
}

}  // namespace ptxmc::lower
