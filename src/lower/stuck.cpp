// SPDX-License-Identifier: Apache-2.0
// Where a thread stays for ever (liveness.h has the theory): idle turns of loops, barriers that block, and
// points where a thread that nobody guarantees stops.
//
// A turn is *idle* when the thread is, at its end, where and as it was at its beginning: the registers that
// the loop (or what follows it) reads have their old values, it arrived at no barrier, and it wrote nothing,
// or only atomics that store the value that they read (an exchange of 1 for 1 while the lock is taken, a
// failed cas, an add of 0). Such an atomic leaves no trace that others could wait for: whoever reads from it
// may as well read from the write before it, so on the idle path it is a read only. A plain store of an equal
// value is not idle: other writes may lie between. An idle turn may be repeated for ever; it may also be
// dropped, so a loop whose turns are all idle needs no bound. Turns that are not idle are unrolled, and a
// bound that cuts one leaves the answer open.
//
// Reads that one idle turn can return need not be what the next can: a turn that reads data and then takes
// the flag that publishes them has stale data once. So a turn that repeats stands there twice, and each read
// returns the same write both times (check/liveness.h: an axiom). Twice is enough: what a third turn knows,
// the second knew. And where a thread spins for ever, some choice of writes comes back without end (there are
// finitely many), and the turns between two of its appearances may be dropped.
#include <algorithm>

#include "event/guards.h"
#include "isa/opcode.h"
#include "lower/liveness.h"
#include "lower/thread.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;

namespace {

/// "An atomic that stores `stored` leaves the value `old` as it was"; choices are taken apart, so that the
/// branch which stores `old` itself is seen.
Expr leaves_value(event::ExprPool& pool, Expr stored, Expr old) {
  if (stored == old) return pool.truth(true);
  const event::Node node = pool[stored];
  if (node.op != event::Op::ite) return pool.make(event::Op::eq, 1, stored, old);
  const Expr yes = pool.conjunction(node.a, leaves_value(pool, node.b, old));
  const Expr no = pool.conjunction(pool.negation(node.a), leaves_value(pool, node.c, old));
  return pool.disjunction(yes, no);
}

}  // namespace

/// Registers that are read before they are written, per instruction (and one for the end): the usual
/// backwards data-flow analysis. At the end of the thread nothing is read.
void ThreadLowering::find_live_registers() {
  const std::size_t n = source_.code().size();
  live_.assign(n + 1, std::vector<char>(names_.size(), 0));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = n; i-- > 0;) {
      std::vector<char> live(names_.size(), 0);
      const auto join = [&](std::size_t next) {
        for (std::size_t r = 0; r < live.size(); ++r) live[r] = static_cast<char>(live[r] | live_[next][r]);
      };
      if (flow_[i].falls_through) join(i + 1);
      if (flow_[i].target) join(*flow_[i].target);
      const RegisterUse use = register_use(source_.code()[i]);
      if (!source_.code()[i].guard) {
        for (const std::string& name : use.writes) live[register_index(name)] = 0;
      }
      for (const std::string& name : use.reads) live[register_index(name)] = 1;
      changed = changed || live != live_[i];
      live_[i] = std::move(live);
    }
  }
}

/// The guard of the thread's beginning. obe: its cluster has started.
Expr ThreadLowering::started() {
  if (unit_.options.liveness != ProgressModel::obe || info_.host) return unit_.pool().truth(true);
  const Expr starts = unit_.oracles.is(unit_, {OracleKey::Kind::start, info_.cluster}, 0);
  unit_.decide(thread_, starts, unit_.pool().truth(true));
  return starts;
}

/// Paths on which `condition` holds go no further. `except`: a loop whose turn is over.
void ThreadLowering::hold(State& state, Expr condition, std::optional<std::size_t> except) {
  const Expr goes_on = unit_.pool().negation(condition);
  state.guard = unit_.pool().conjunction(state.guard, goes_on);
  // A thread that stays has not left its loops: constant bounds stay visible (flow.cpp: bound).
  for (Turn& turn : state.turns) {
    if (turn.loop != except) turn.header_guard = unit_.pool().conjunction(turn.header_guard, goes_on);
  }
}

/// hsa: a thread that is not guaranteed may stop before what another one may wait for: whatever acts on memory or
/// on barriers, and what lanes do together.
void ThreadLowering::stop_before(const Instruction& instruction, State& state) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  const bool awaited = traits.has(isa::Trait::acts) || traits.has(isa::Trait::collective);
  if (awaited) stop_here(state);
}

/// The exit of a thread completes barriers without a count, too (9.7.12.1, 9.7.12.3).
void ThreadLowering::stop_before_end(State& state) {
  const auto meets = [](const program::Thread& thread) {
    return std::any_of(thread.code().begin(), thread.code().end(), [](const Instruction& instruction) {
      return isa::traits(instruction.opcode).family == isa::Family::barrier;
    });
  };
  if (std::any_of(unit_.test.threads.begin(), unit_.test.threads.end(), meets)) stop_here(state);
}

void ThreadLowering::stop_here(State& state) {
  if (unit_.options.liveness != ProgressModel::hsa || !may_stop(unit_.graph, thread_)) return;
  const Expr stops = unit_.oracles.is(unit_, {OracleKey::Kind::stop, thread_}, stop_points_++);
  unit_.decide(thread_, stops, state.guard);
  hold(state, stops, std::nullopt);
}

/// A barrier operation that waits may wait for ever.
void ThreadLowering::block(const Instruction& instruction, State& state, EventId arrival, EventId wait) {
  if (!unit_.options.liveness || passes(unit_.options, thread_)) return;
  const Expr guard = unit_.graph.events[arrival].guard;
  const Expr blocks = unit_.oracles.is(unit_, {OracleKey::Kind::wait, unit_.barrier_waits++}, 0);
  unit_.decide(thread_, blocks, guard);
  const Expr here = unit_.pool().conjunction(guard, blocks);
  unit_.graph.events[wait].guard = unit_.pool().conjunction(guard, unit_.pool().negation(blocks));
  unit_.graph.hangs.push_back({event::Hang::Kind::barrier, thread_, arrival, here, {}, instruction.position});
  hold(state, here, std::nullopt);
}

/// "The turn that ends here changed nothing."
Expr ThreadLowering::idle(const Turn& turn, const State& state) {
  auto& pool = unit_.pool();
  Expr result = pool.truth(true);
  const auto& live = live_[loops_.loops[turn.loop].begin];
  for (std::size_t r = 0; r < live.size(); ++r) {
    const Expr before = turn.registers[r].expr, now = state.registers[r].expr;
    if (live[r] == 0 || before == now) continue;
    if (pool[before].width != pool[now].width) return pool.truth(false);
    result = pool.conjunction(result, pool.make(event::Op::eq, 1, before, now));
  }
  const auto path = event::conjuncts(pool, state.guard);
  for (std::size_t e = turn.first_event; e < unit_.graph.size(); ++e) {
    const Event event = unit_.graph.events[e];
    const bool looks = event.mbarrier && event.mbarrier->op == event::MbarrierOp::test_failed;
    const bool signals = event.kind == EventKind::arrival || event.kind == EventKind::issue ||
                         (event.kind == EventKind::mbarrier && !looks);
    if (!event.is_write() && !signals) continue;
    const auto needs = event::conjuncts(pool, event.guard);
    if (event::exclude_each_other(path, needs)) continue;
    const bool certain = std::includes(path.begin(), path.end(), needs.begin(), needs.end());
    Expr without_effect = certain ? pool.truth(false) : pool.negation(event.guard);
    if (event.is_write() && event.rmw_partner != event::kNoEvent && event.part_count == 0) {
      const Expr old = unit_.graph.events[event.rmw_partner].value;
      without_effect = pool.disjunction(without_effect, leaves_value(pool, event.value, old));
    }
    result = pool.conjunction(result, without_effect);
  }
  return result;
}

/// The reads and fences of the turn that began with event number `first`, once more. A read or fence alone
/// has nothing to learn from the turn before.
void ThreadLowering::repeat_events(std::size_t first, event::Hang& hang) {
  const auto path = event::conjuncts(unit_.pool(), hang.guard);
  const std::size_t size = unit_.graph.size();
  std::vector<EventId> turn;
  for (auto e = static_cast<EventId>(first); e < size; ++e) {
    const Event& event = unit_.graph.events[e];
    const bool known =
        event.is_read() || event.kind == EventKind::fence || event.kind == EventKind::proxy_fence;
    const bool copy = std::find(repetitions_.begin(), repetitions_.end(), e) != repetitions_.end();
    if (known && !copy && !event::exclude_each_other(path, event::conjuncts(unit_.pool(), event.guard)))
      turn.push_back(e);
  }
  if (turn.size() < 2) return;
  std::map<EventId, EventId> copies;
  for (const EventId e : turn) {
    const EventId copy = add_copy(e, hang.guard);
    copies.emplace(e, copy);
    Event& event = unit_.graph.events[copy];
    if (event.vector != event::kNoEvent && copies.contains(event.vector))
      event.vector = copies.at(event.vector);
    hang.again.emplace_back(e, copy);
    repetitions_.push_back(copy);
  }
}

/// A read's copy returns the same values.
EventId ThreadLowering::add_copy(EventId e, Expr guard) {
  auto& pool = unit_.pool();
  Event copy = unit_.graph.events[e];
  copy.guard = pool.conjunction(copy.guard, guard);
  copy.rmw_partner = event::kNoEvent;
  const auto id = static_cast<EventId>(unit_.graph.size());
  std::vector<event::Part> parts;
  const auto same = [&](Expr value, std::uint32_t part) {
    const event::Width width = pool[value].width;
    const Expr own = pool.value_of(id, width, part);
    unit_.assume(pool.make(event::Op::eq, 1, own, value), copy.guard);
    return own;
  };
  if (copy.is_read()) {
    copy.value = same(copy.value, 0);
    for (std::uint32_t k = 0; k < copy.part_count; ++k) {
      const event::Part part = unit_.graph.parts[copy.first_part + k];
      parts.push_back({id, part.cell, same(part.value, k + 1)});
    }
  }
  return unit_.add_event(std::move(copy), std::move(parts));
}

/// At a jump back to the header of `loop`: the paths on which the turn was idle stay there for ever.
void ThreadLowering::repeat_idle_turn(std::size_t loop, State& state) {
  const auto place = std::find_if(state.turns.begin(), state.turns.end(),
                                  [&](const Turn& turn) { return turn.loop == loop; });
  if (place == state.turns.end() || !place->entered) return;
  auto& pool = unit_.pool();
  const std::size_t first = place->first_event;
  const Expr changes_nothing = idle(*place, state);
  if (pool.is_false(changes_nothing)) return;
  unit_.decide(thread_, changes_nothing, state.guard);
  const Expr here = pool.conjunction(state.guard, changes_nothing);
  if (pool.is_false(here)) return;

  event::Hang hang{event::Hang::Kind::spin, thread_, event::kNoEvent, here, {}, {}};
  hang.position = source_.code()[loops_.loops[loop].begin].position;
  const auto path = event::conjuncts(pool, here);
  for (auto e = static_cast<EventId>(first); e < unit_.graph.size(); ++e) {
    Event& event = unit_.graph.events[e];
    if (!event.is_access() || event::exclude_each_other(path, event::conjuncts(pool, event.guard))) continue;
    const bool copy = std::find(repetitions_.begin(), repetitions_.end(), e) != repetitions_.end();
    if (event.is_read() && !copy) hang.reads.push_back(e);
    if (event.is_write()) event.guard = pool.conjunction(event.guard, pool.negation(here));
  }
  repeat_events(first, hang);
  Instruction end;
  end.position = hang.position;
  end.text = "spins for ever";
  hang.event = unit_.add_event(new_event(EventKind::end, end, here));
  unit_.graph.hangs.push_back(std::move(hang));
  hold(state, changes_nothing, loop);
}

}  // namespace ptxmc::lower
