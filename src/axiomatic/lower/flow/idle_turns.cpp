// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/flow/idle_turns.h"

#include <algorithm>
#include <map>

#include "axiomatic/event/guards.h"
#include "axiomatic/lower/families/leaves_value.h"
#include "axiomatic/lower/unit/waiting.h"

namespace ptxmc::lower {

namespace {

/// Some value is one number by `a`, and another one by `b`.
bool differ(const event::ExprPool& pool, const std::vector<event::Literal>& a,
            const std::vector<event::Literal>& b) {
  const auto equation = [&](const event::Literal& literal) -> std::optional<std::pair<Expr, event::Value>> {
    const event::Node& node = pool[literal.atom];
    if (!literal.positive || node.op != event::Op::eq) return std::nullopt;
    if (pool.is_constant(node.b)) return std::pair(node.a, pool[node.b].constant);
    if (pool.is_constant(node.a)) return std::pair(node.b, pool[node.a].constant);
    return std::nullopt;
  };
  return std::any_of(a.begin(), a.end(), [&](const event::Literal& one) {
    const auto x = equation(one);
    return x && std::any_of(b.begin(), b.end(), [&](const event::Literal& other) {
             const auto y = equation(other);
             return y && x->first == y->first && x->second != y->second;
           });
  });
}

}  // namespace

/// By register: it only says how long a turn of the loop takes (unit/waiting.h).
const std::vector<char>& IdleTurns::delay_in(std::size_t loop) {
  const auto [place, fresh] = delays_.try_emplace(loop, body_.registers().size(), 0);
  if (!fresh || !body_.loops()[loop].spin) return place->second;
  std::vector<flow::Jump> jumps;
  for (std::size_t i = 0; i < source_.code().size(); ++i) jumps.push_back(body_.jump(i));
  for (const std::string& name :
       delay_of(source_.code(), jumps, body_.loops()[loop], observed_registers(unit_.program)))
    place->second[body_.index(name)] = 1;
  return place->second;
}

/// "The turn that ends here changed nothing."
Expr IdleTurns::idle(const Iteration& turn, const State& state) {
  Expr result = pool_.truth(true);
  const auto& live = body_.live(body_.loops()[turn.loop].begin);
  const std::vector<char>& delay = delay_in(turn.loop);
  for (std::size_t r = 0; r < live.size(); ++r) {
    if (delay[r] != 0) continue;
    const Expr before = turn.registers[r].expr, now = state.registers[r].expr;
    if (live[r] == 0 || before == now) continue;
    if (pool_[before].width != pool_[now].width) return pool_.truth(false);
    result = pool_.conjunction(result, pool_.make(event::Op::eq, 1, before, now));
  }
  const auto path = event::conjuncts(pool_, state.guard);
  for (std::size_t e = turn.first_event; e < graph_.size(); ++e) {
    const Event event = graph_.events[e];
    const bool looks = event.mbarrier && event.mbarrier->op == event::MbarrierOp::test_failed;
    const bool signals = event.kind == EventKind::arrival || event.kind == EventKind::issue ||
                         (event.kind == EventKind::mbarrier && !looks);
    if (!event.is_write() && !signals) continue;
    const auto needs = event::conjuncts(pool_, event.guard);
    if (event::exclude_each_other(path, needs) || differ(pool_, path, needs)) continue;
    const bool certain = std::includes(path.begin(), path.end(), needs.begin(), needs.end());
    Expr without_effect = certain ? pool_.truth(false) : pool_.negation(event.guard);
    if (event.is_write() && event.rmw_partner != event::kNoEvent && event.part_count == 0) {
      const Expr old = graph_.events[event.rmw_partner].value;
      without_effect = pool_.disjunction(without_effect, leaves_value(pool_, event.value, old));
    }
    result = pool_.conjunction(result, without_effect);
  }
  return result;
}

/// The reads and fences of the turn that began with event number `first`, once more. A read or fence alone
/// has nothing to learn from the turn before.
void IdleTurns::repeat_events(std::size_t first, event::Hang& hang) {
  const auto path = event::conjuncts(pool_, hang.guard);
  const std::size_t size = graph_.size();
  std::vector<EventId> turn;
  for (auto e = static_cast<EventId>(first); e < size; ++e) {
    const Event& event = graph_.events[e];
    const bool known =
        event.is_read() || event.kind == EventKind::fence || event.kind == EventKind::proxy_fence;
    const bool copy = std::find(repetitions_.begin(), repetitions_.end(), e) != repetitions_.end();
    if (known && !copy && !event::exclude_each_other(path, event::conjuncts(pool_, event.guard)))
      turn.push_back(e);
  }
  if (turn.size() < 2) return;
  std::map<EventId, EventId> copies;
  for (const EventId e : turn) {
    const EventId copy = add_copy(e, hang.guard);
    copies.emplace(e, copy);
    Event& event = graph_.events[copy];
    if (event.vector != event::kNoEvent && copies.contains(event.vector))
      event.vector = copies.at(event.vector);
    hang.again.emplace_back(e, copy);
    repetitions_.push_back(copy);
  }
}

/// A read's copy returns the same values.
EventId IdleTurns::add_copy(EventId e, Expr guard) {
  Event copy = graph_.events[e];
  copy.guard = pool_.conjunction(copy.guard, guard);
  copy.rmw_partner = event::kNoEvent;
  const auto id = static_cast<EventId>(graph_.size());
  std::vector<event::Part> parts;
  const auto same = [&](Expr value, std::uint32_t part) {
    const event::Width width = pool_[value].width;
    const Expr own = pool_.value_of(id, width, part);
    unit_.assume(pool_.make(event::Op::eq, 1, own, value), copy.guard);
    return own;
  };
  if (copy.is_read()) {
    copy.value = same(copy.value, 0);
    for (std::uint32_t k = 0; k < copy.part_count; ++k) {
      const event::Part part = graph_.parts[copy.first_part + k];
      parts.push_back({id, part.cell, same(part.value, k + 1)});
    }
  }
  return unit_.add_event(std::move(copy), std::move(parts));
}

/// The turn that ends with a jump back to the loop's header; null: the jump entered it.
const Iteration* IdleTurns::turn_of(std::size_t loop, const State& state) const {
  const auto place = std::find_if(state.turns.begin(), state.turns.end(),
                                  [&](const Iteration& turn) { return turn.loop == loop; });
  return place == state.turns.end() || !place->entered ? nullptr : &*place;
}

/// Is an atomic on the path?
bool IdleTurns::changes_memory(std::size_t first, const State& state) const {
  const auto path = event::conjuncts(pool_, state.guard);
  return std::any_of(graph_.events.begin() + static_cast<std::ptrdiff_t>(first), graph_.events.end(),
                     [&](const Event& event) {
                       return event.is_write() &&
                              !event::exclude_each_other(path, event::conjuncts(pool_, event.guard));
                     });
}

// Left out as the turns of a loop that waits are (src/axiomatic/lower/README.md): an execution without them
// is consistent, and a thread that read from an atomic of theirs may read from the write before it where it
// is morally strong with all writes there. Where something may race with the turn, the first of them stays
// (Unit::tried), and none with an atomic is left out.
void IdleTurns::drop(std::size_t loop, State& state) {
  const Iteration* place = turn_of(loop, state);
  if (place == nullptr) return;
  const std::size_t first = place->first_event;
  const ThreadLoop here{thread_, loop};
  if (unit_.tried.contains(here) && (place->trip < 2 || changes_memory(first, state))) return;
  const Expr changes_nothing = idle(*place, state);
  if (pool_.is_false(changes_nothing)) return;
  unit_.decide(thread_, changes_nothing, state.guard);
  const Expr dropped = pool_.conjunction(state.guard, changes_nothing);
  if (pool_.is_false(dropped)) return;
  unit_.spins.push_back({here, first, graph_.size(), pool_.truth(false), pool_.truth(true)});
  unit_.assume(pool_.truth(false), dropped);
  state.guard = pool_.conjunction(state.guard, pool_.negation(changes_nothing));
}

/// At a jump back to the header of `loop`: the paths on which the turn was idle stay there forever.
void IdleTurns::repeat(std::size_t loop, State& state) {
  const Iteration* place = turn_of(loop, state);
  if (place == nullptr) return;
  const std::size_t first = place->first_event;
  const Expr changes_nothing = idle(*place, state);
  if (pool_.is_false(changes_nothing)) return;
  unit_.decide(thread_, changes_nothing, state.guard);
  const Expr here = pool_.conjunction(state.guard, changes_nothing);
  if (pool_.is_false(here)) return;

  event::Hang hang{event::Hang::Kind::spin, thread_, event::kNoEvent, here, {}, {}};
  hang.position = source_.code()[body_.loops()[loop].begin].position;
  const auto path = event::conjuncts(pool_, here);
  for (auto e = static_cast<EventId>(first); e < graph_.size(); ++e) {
    Event& event = graph_.events[e];
    if (!event.is_access() || event::exclude_each_other(path, event::conjuncts(pool_, event.guard))) continue;
    const bool copy = std::find(repetitions_.begin(), repetitions_.end(), e) != repetitions_.end();
    if (event.is_read() && !copy) hang.reads.push_back(e);
    if (event.is_write()) event.guard = pool_.conjunction(event.guard, pool_.negation(here));
  }
  repeat_events(first, hang);
  Instruction end;
  end.position = hang.position;
  end.text = "spins forever";
  hang.event = unit_.add_event(new_event(EventKind::end, end, here));
  graph_.hangs.push_back(std::move(hang));
  progress_.hold(state, changes_nothing, loop);
}

}  // namespace ptxmc::lower
