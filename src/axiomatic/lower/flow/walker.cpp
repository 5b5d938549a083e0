// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/flow/walker.h"

#include <algorithm>

#include "axiomatic/event/guards.h"
#include "axiomatic/lower/families/special_registers.h"
#include "finding/rules.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

constexpr std::uint32_t kMaxConstantTrips = 1024;
constexpr std::uint32_t kMaxCountedTrips = 64;  // where each turn may also end the loop
constexpr std::uint32_t kRetries = 2, kRetriesWithRaces = 4;
constexpr std::size_t kMaxSteps = 20000;

}  // namespace

using isa::Opcode;

PathWalker::PathWalker(Unit& unit, event::ThreadId thread) : ThreadContext(unit, thread) {
  // For liveness every loop is taken as it is, except that polling an mbarrier is one wait.
  const bool liveness = unit.options.liveness.has_value();
  for (const Loop& loop : body_.loops()) {
    const bool spins = loop.spin.has_value() && !unit.options.all_turns;
    spins_.push_back(spins && (!liveness || body_.only_polls(loop)));
  }
}

/// The registers as the program starts the thread.
State PathWalker::start() {
  State start;
  start.copies = CopyHistory(pool_);
  const bool wgmma = body_.has(Opcode::wgmma_mma);
  if (wgmma) start.matrices.unfenced.emplace(kFirstOperation, pool_.truth(true));
  const SpecialRegisters special(*this);
  for (std::size_t i = 0; i < body_.registers().size(); ++i) {
    const std::string& name = body_.registers()[i];
    const auto& type = body_.declared(i);
    const bool word = !type || type->bits == 128;  // a half of it
    const Width width = word ? unit_.word() : width_of(type->bits, unit_.options.unbounded);
    if (body_.is_special(i)) {
      start.registers.push_back(body_.changes(i) ? Typed{pool_.constant(0, width), false, true}
                                                 : special.held(name));
      continue;
    }
    start.registers.push_back({pool_.constant(0, width), !type || type->is_signed(), false});
  }
  for (const auto& init : unit_.program.register_inits) {
    if (init.thread != source_.number) continue;
    Operand value{program::Integer{init.value.integer}, init.position};
    if (!init.value.address_of.empty()) value.value = program::AddressOf{init.value.address_of};
    Typed& target = start.registers[body_.index(init.name)];
    const Width width = pool_[target.expr].width;
    target = {registers_.operand(start, value, width), target.is_signed, true};
    if (wgmma) start.matrices.unfenced.emplace(init.name, pool_.truth(true));
  }
  start.guard = progress_.started();
  return start;
}

std::vector<Typed> PathWalker::run() {
  calls_.start_of_kernel();
  std::vector<Typed> registers;
  Expr ends = pool_.truth(false);
  arrive(0, start(), std::nullopt);
  while (!pending_.empty()) {
    unit_.options.budget.check();
    auto next = pending_.extract(pending_.begin());
    const std::size_t at = next.key().back();
    State state = merge(std::move(next.mapped()));
    if (at != source_.code().size()) {
      step(at, std::move(state));
      continue;
    }
    progress_.stop_before_end(state);
    ends = state.guard;
    registers = std::move(state.registers);
  }
  add_end(ends);
  return registers;
}

void PathWalker::add_end(Expr ends) {
  Instruction end;
  end.position = source_.position;
  end.text = "end";
  if (!unit_.options.liveness) ends = pool_.truth(true);
  calls_.end_of_kernel(ends);
  if (!pool_.is_false(ends)) unit_.add_event(new_event(event::EventKind::end, end, ends));
  unit_.ends.push_back(ends);
}

void PathWalker::step(std::size_t at, State&& state) {
  const Instruction& instruction = source_.code()[at];
  if (++steps_ > kMaxSteps) {
    unit_.errors.beyond(instruction.position,
                        "more than " + std::to_string(kMaxSteps) + " instructions after unrolling");
  }
  if (begin_turns(at, state)) return;
  wgmma_.touch_registers(instruction, state);
  if (instruction.opcode == Opcode::trap)  // aborts the kernel: what else happens is not said (9.7.17.4)
    misuse(finding::RuleId::trap, registers_.event_guard(instruction, state), instruction);
  if (body_.jump(at).target) {
    const Expr condition = registers_.branch_condition(instruction, state);
    if (instruction.opcode == Opcode::bra && instruction.modifiers.aligned)
      note_converged(instruction, state.guard, condition);
    if (instruction.guard && (instruction.opcode == Opcode::exit || instruction.opcode == Opcode::ret))
      note_converged(instruction, pool_.conjunction(state.guard, condition), std::nullopt);
    branch(at, std::move(state), condition);
  } else if (!exchange_by_masks(at, state)) {
    instructions_.execute(instruction, state);
    go(at, at + 1, std::move(state), pool_.truth(true));
  }
}

/// At the header of loops. True: one of them only spins, and has been left.
bool PathWalker::begin_turns(std::size_t at, State& state) {
  for (Iteration& turn : state.turns) {
    const Loop& loop = body_.loops()[turn.loop];
    if (loop.begin != at) continue;
    turn.header_guard = state.guard;
    if (turn.trip == 1) turn.entry_guard = state.guard;
    if (!turn.entered) {
      turn.entered = true;
      turn.first_event = graph_.size();
      if (unit_.options.liveness || leaves_out_idle(turn.loop)) turn.registers = state.registers;
    }
    if (turn.trip != spin_turn_of(turn.loop) || !spins_[turn.loop]) continue;
    if (spin_loops_.leave(turn, state)) {
      const std::size_t exit = loop.spin->exit;
      const std::size_t next = exit == loop.end ? exit + 1 : *body_.jump(exit).target;
      go(exit, next, std::move(state), pool_.truth(true));
      return true;
    }
    spins_[turn.loop] = false;
  }
  return false;
}

/// The turn that stands for all turns of a pure spin loop, or for all but one that may fail.
std::uint32_t PathWalker::spin_turn_of(std::size_t loop) const {
  return unit_.tried.contains({thread_, loop}) ? 2 : 1;
}

void PathWalker::branch(std::size_t at, State&& state, Expr condition) {
  unit_.decide(thread_, condition, state.guard);
  if (!pool_.is_false(condition)) go(at, *body_.jump(at).target, State(state), condition);
  go(at, at + 1, std::move(state), pool_.negation(condition));
}

/// An exchange whose membermask is no constant: a path for each that it may be. False: it is another instruction.
bool PathWalker::exchange_by_masks(std::size_t at, const State& state) {
  const Instruction& instruction = source_.code()[at];
  const Operand* operand = instruction.find(Role::member_mask);
  const auto* name = operand == nullptr ? nullptr : std::get_if<program::Register>(&operand->value);
  if (name == nullptr) return false;
  const Expr mask = registers_.operand(state, *operand, 32);
  if (pool_.is_constant(mask)) return false;
  Expr open = state.guard;
  for (const std::uint32_t lanes : membermasks_.possible(instruction, mask)) {
    const Expr is = pool_.make(event::Op::eq, 1, mask, pool_.constant(static_cast<event::Value>(lanes), 32));
    if (pool_.is_false(is)) continue;
    unit_.decide(thread_, is, open);
    State part = state;
    part.guard = pool_.conjunction(open, is);
    open = pool_.conjunction(open, pool_.negation(is));
    if (pool_.is_false(part.guard)) continue;
    Expr& known = part.registers[body_.index(name->name)].expr;
    known = pool_.constant(static_cast<event::Value>(lanes), pool_[known].width);
    instructions_.execute(instruction, part);
    go(at, at + 1, std::move(part), pool_.truth(true));
  }
  return true;
}

void PathWalker::go(std::size_t from, std::size_t to, State&& state, Expr condition) {
  state.guard = pool_.conjunction(state.guard, condition);
  if (!pool_.is_false(state.guard)) arrive(to, std::move(state), loop_of_jump(from, to));
}

/// The loop whose next turn a jump starts: the innermost that holds both ends; nothing for a jump forwards.
std::optional<std::size_t> PathWalker::loop_of_jump(std::size_t from, std::size_t to) const {
  std::optional<std::size_t> found;
  if (to > from) return found;
  for (const std::size_t loop : body_.enclosing(to)) {
    if (body_.loops()[loop].begin == to && from <= body_.loops()[loop].end) found = loop;
  }
  PTXMC_CHECK(found.has_value(), "a jump backwards outside of every loop");
  return found;
}

void PathWalker::arrive(std::size_t to, State&& state, std::optional<std::size_t> again) {
  if (again && unit_.options.liveness) {
    idle_turns_.repeat(*again, state);
    if (pool_.is_false(state.guard)) return;
  } else if (again && leaves_out_idle(*again)) {
    idle_turns_.drop(*again, state);
    if (pool_.is_false(state.guard)) return;
  }
  const std::vector<std::size_t>& loops = body_.enclosing(to);
  std::vector<Iteration> turns;
  turns.reserve(loops.size());
  Key key;
  key.reserve(2 * loops.size() + 1);
  for (const std::size_t loop : loops) {
    Iteration turn;
    turn.loop = loop;
    turn.header_guard = state.guard;
    for (Iteration& old : state.turns) {
      if (old.loop == loop) turn = std::move(old);
    }
    if (loop == again) {
      if (turn.trip >= bound(turn, state)) {
        unit_.assume(pool_.truth(false), state.guard);
        if (!enough(turn)) {
          unit_.cuts.push_back(state.guard);
          graph_.cut = true;
        }
        return;
      }
      ++turn.trip;
      turn.entered = false;
    }
    key.push_back(static_cast<std::uint32_t>(body_.loops()[loop].begin));
    key.push_back(turn.trip);
    turns.push_back(std::move(turn));
  }
  key.push_back(static_cast<std::uint32_t>(to));
  state.turns = std::move(turns);
  pending_[std::move(key)].push_back(std::move(state));
}

/// How often the loop of `turn` may be entered, seen from a jump back in `state`.
std::uint32_t PathWalker::bound(const Iteration& turn, const State& state) const {
  if (state.guard == turn.header_guard)
    return kMaxConstantTrips;  // no decision has left the loop in this turn
  const std::uint32_t spin = spins_[turn.loop] ? spin_turn_of(turn.loop) : 1;
  const auto unroll = std::max(spin, static_cast<std::uint32_t>(std::max(1, unit_.options.unroll)));
  if (forgets(turn.loop)) return spin_turn_of(turn.loop);
  if (body_.loops()[turn.loop].retries) {
    const bool races = unit_.tried.contains({thread_, turn.loop});
    return std::max(unroll, races ? kRetriesWithRaces : kRetries);
  }
  return counts(turn.loop, state) ? std::max(unroll, kMaxCountedTrips) : unroll;
}

/// Turns of the loop before the last may be dropped. For liveness they are taken as they are.
bool PathWalker::forgets(std::size_t loop) const {
  return body_.loops()[loop].fresh && !unit_.options.all_turns && !unit_.options.liveness;
}

/// For liveness idle turns say who stays forever.
bool PathWalker::leaves_out_idle(std::size_t loop) const {
  return body_.loops()[loop].idles && !unit_.options.all_turns && !unit_.options.liveness;
}

/// Has the loop taken all the turns that differ? One that retries a compare-and-swap begins each turn with
/// what the last one read. The last of all turns that fail may stand for the others, or none where it read
/// what the first began with. A turn that races comes with the one before it, and the one after it.
bool PathWalker::enough(const Iteration& turn) {
  if (!body_.loops()[turn.loop].retries && !forgets(turn.loop)) return false;
  const ThreadLoop here{thread_, turn.loop};
  unit_.spins.push_back({here, turn.first_event, graph_.size(), pool_.truth(false), pool_.truth(true)});
  if (!unit_.tried.contains(here) || forgets(turn.loop)) return true;
  return !unit_.options.liveness && turn.trip >= kRetriesWithRaces;
}

/// Does the loop count towards a number that is known, in a register whose value is known?
bool PathWalker::counts(std::size_t loop, const State& state) const {
  const auto known = [&](const std::string& name) {
    return pool_.is_constant(state.registers[body_.index(name)].expr);
  };
  const std::vector<Counter>& counters = body_.counters(loop);
  return std::any_of(counters.begin(), counters.end(), [&](const Counter& counter) {
    const auto* limit = std::get_if<std::string>(&counter.limit);
    return known(counter.name) && (limit == nullptr || known(*limit));
  });
}

State PathWalker::merge(std::vector<State> incoming) {
  if (incoming.size() == 1) return std::move(incoming.front());
  std::vector<Expr> guards;
  for (const State& state : incoming) guards.push_back(state.guard);
  State merged = std::move(incoming.front());
  for (std::size_t i = 1; i < incoming.size(); ++i) {
    const State& next = incoming[i];
    // The paths exclude each other: what next's guard says beyond the common part tells them apart.
    const auto a = event::conjuncts(pool_, merged.guard);
    const auto b = event::conjuncts(pool_, next.guard);
    std::vector<event::Literal> only_a, only_b;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_b));
    const bool use_b = !only_b.empty() && (only_a.empty() || only_b.size() <= only_a.size());
    Expr take_next = pool_.truth(true);
    for (const auto& [atom, positive] : use_b ? only_b : only_a) {
      take_next = pool_.conjunction(take_next, positive ? atom : pool_.negation(atom));
    }
    if (!use_b) take_next = pool_.negation(take_next);
    merged.matrices.merge(pool_, next.matrices, take_next);
    merged.tensor.merge(next.tensor);
    merged.copies.merge(pool_, merged.guard, next.copies, next.guard);
    merged.guard = pool_.disjunction(merged.guard, next.guard);
    for (std::size_t r = 0; r < merged.registers.size(); ++r) {
      merged.registers[r] = lower::merged(pool_, merged.registers[r], next.registers[r], take_next);
    }
  }
  if (incoming.size() > 2) merged.guard = event::any_of(pool_, guards);
  return merged;
}

}  // namespace ptxmc::lower
