// SPDX-License-Identifier: Apache-2.0
// Control flow: forward symbolic execution of the unrolled program, in topological order.
//
// Paths that reach one place of the unrolled program are merged: guards by disjunction, registers by a choice
// on the condition that tells the paths apart. So every instruction of the unrolled program is executed once,
// and its events carry the guard under which it is reached. A jump backwards starts the next turn of its
// loop. When all of a turn reaches the jump (no decision left the loop) the loop's exit has folded to a
// constant, and it goes on; otherwise the bound applies, and the paths beyond it are assumed away and
// reported (ProgramGraph::cut). Cost: one step per instruction of the unrolled program.
#include <algorithm>
#include <set>

#include "event/guards.h"
#include "isa/opcode.h"
#include "isa/table.h"
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

constexpr std::uint32_t kMaxConstantTrips = 1024;
constexpr std::size_t kMaxSteps = 20000;
constexpr std::size_t kMaxJumpsBack = 256;

}  // namespace

using isa::Opcode;

ThreadLowering::ThreadLowering(Unit& unit, event::ThreadId thread)
    : unit_(unit), thread_(thread), source_(unit.test.threads[thread]), info_(unit.graph.threads[thread]) {
  for (const auto& declaration : source_.registers()) declared_.emplace(declaration.name, declaration.type);
  std::set<std::string> names;
  for (const auto& declaration : source_.registers()) names.insert(declaration.name);
  for (const auto& init : unit.test.register_inits) {
    if (init.thread == source_.number) names.insert(init.name);
  }
  for (const Instruction& instruction : source_.code()) {
    const RegisterUse use = register_use(instruction);
    names.insert(use.reads.begin(), use.reads.end());
    names.insert(use.writes.begin(), use.writes.end());
    uses_wgmma_ = uses_wgmma_ || instruction.opcode == Opcode::wgmma_mma;
  }
  names_.assign(names.begin(), names.end());
  for (std::size_t i = 0; i < names_.size(); ++i) indices_.emplace(names_[i], i);
  resolve_labels();
  std::size_t jumps_back = 0;
  for (std::size_t i = 0; i < flow_.size(); ++i) jumps_back += flow_[i].target && *flow_[i].target <= i;
  if (jumps_back > kMaxJumpsBack) {
    fail(source_.position, "more than " + std::to_string(kMaxJumpsBack) + " jumps backwards in one thread");
  }
  loops_ = find_loops(source_.code(), flow_);
  // For liveness every loop is taken as it is, except that polling an mbarrier is one wait.
  const bool liveness = unit.options.liveness.has_value();
  for (const Loop& loop : loops_.loops) {
    spins_.push_back(loop.spin_exit.has_value() && (!liveness || only_polls(loop)));
  }
  if (liveness) find_live_registers();
}

void ThreadLowering::resolve_labels() {
  for (std::size_t i = 0; i < source_.code().size(); ++i) {
    for (const std::string& label : source_.code()[i].labels) {
      if (!labels_.emplace(label, i).second)
        fail(source_.code()[i].position, "label " + label + " stands twice");
    }
  }
  for (const Instruction& instruction : source_.code()) flow_.push_back(flow_of(instruction));
}

Flow ThreadLowering::flow_of(const Instruction& instruction) const {
  const bool conditional = instruction.guard.has_value();
  if (isa::traits(instruction.opcode).has(isa::Trait::ends)) return {source_.code().size(), conditional};
  const Operand* target = instruction.find(Role::label);
  if (target == nullptr) return {};
  const std::string& label = std::get<program::LabelName>(target->value).name;
  const auto place = labels_.find(label);
  if (place == labels_.end()) fail(target->position, "unknown label " + label);
  return {place->second, conditional || instruction.opcode == Opcode::branch_compare};
}

std::map<std::string, Typed> ThreadLowering::run() {
  start_of_kernel();
  State start;
  start.copies = CopyHistory(unit_.pool());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto type = declared_.find(names_[i]);
    const bool word = type == declared_.end() || type->second.bits == 128;  // a half of it
    const Width width = word ? unit_.word() : width_of(type->second.bits, unit_.options.unbounded);
    const bool is_signed = type == declared_.end() || type->second.is_signed();
    if (isa::is_special_register(names_[i])) {
      start.registers.push_back({unit_.pool().constant(special_value(names_[i]), 32), false, true});
      continue;
    }
    start.registers.push_back({unit_.pool().constant(0, width), is_signed, false});
  }
  for (const auto& init : unit_.test.register_inits) {
    if (init.thread != source_.number) continue;
    Operand value{program::Integer{init.value.integer}, init.position};
    if (!init.value.address_of.empty()) value.value = program::AddressOf{init.value.address_of};
    Typed& target = start.registers[register_index(init.name)];
    const Width width = unit_.pool()[target.expr].width;
    target = {operand(start, value, width), target.is_signed, true};
    start.matrices.unfenced.emplace(init.name, unit_.pool().truth(true));
  }
  if (uses_wgmma_) start.matrices.unfenced.emplace(kFirstOperation, unit_.pool().truth(true));
  std::map<std::string, Typed> registers;
  start.guard = started();
  Expr ends = unit_.pool().truth(false);
  arrive(0, std::move(start), std::nullopt);
  while (!pending_.empty()) {
    unit_.options.budget.check();
    auto next = pending_.extract(pending_.begin());
    const std::size_t at = next.key().back();
    State state = merge(std::move(next.mapped()));
    if (at == source_.code().size()) {
      stop_before_end(state);
      ends = state.guard;
      for (std::size_t i = 0; i < names_.size(); ++i) registers.emplace(names_[i], state.registers[i]);
    } else {
      step(at, std::move(state));
    }
  }
  Instruction end;
  end.position = source_.position;
  end.text = "end";
  if (!unit_.options.liveness) ends = unit_.pool().truth(true);
  end_of_kernel(ends);
  if (!unit_.pool().is_false(ends)) unit_.add_event(new_event(event::EventKind::end, end, ends));
  unit_.ends.push_back(ends);
  return registers;
}

void ThreadLowering::step(std::size_t at, State state) {
  const Instruction& instruction = source_.code()[at];
  if (++steps_ > kMaxSteps) {
    fail(instruction.position, "more than " + std::to_string(kMaxSteps) + " instructions after unrolling");
  }
  for (Turn& turn : state.turns) {
    const Loop& loop = loops_.loops[turn.loop];
    if (loop.begin == at) turn.header_guard = state.guard;
    if (loop.begin == at && !turn.entered && unit_.options.liveness) {
      turn.entered = true;
      turn.registers = state.registers;
      turn.first_event = unit_.graph.size();
    }
    if (loop.begin == at && turn.trip == 1 && spins_[turn.loop]) {
      if (spin(loop, state)) {
        const std::size_t exit = *loop.spin_exit;
        go(exit, exit == loop.end ? exit + 1 : *flow_[exit].target, std::move(state),
           unit_.pool().truth(true));
        return;
      }
      spins_[turn.loop] = false;
    }
  }
  touch_registers(instruction, state);
  if (flow_[at].target) {
    const Expr condition = branch_condition(instruction, state);
    if (instruction.opcode == Opcode::bra && instruction.modifiers.aligned)
      note_converged(instruction, state.guard, condition);
    branch(at, std::move(state), condition);
  } else {
    execute(instruction, state);
    go(at, at + 1, std::move(state), unit_.pool().truth(true));
  }
}

void ThreadLowering::branch(std::size_t at, State state, Expr condition) {
  unit_.decide(thread_, condition, state.guard);
  if (!unit_.pool().is_false(condition)) go(at, *flow_[at].target, state, condition);
  go(at, at + 1, std::move(state), unit_.pool().negation(condition));
}

void ThreadLowering::go(std::size_t from, std::size_t to, State state, Expr condition) {
  state.guard = unit_.pool().conjunction(state.guard, condition);
  if (!unit_.pool().is_false(state.guard)) arrive(to, std::move(state), loop_of_jump(from, to));
}

/// The loop whose next turn a jump starts: the innermost that holds both ends; nothing for a jump forwards.
std::optional<std::size_t> ThreadLowering::loop_of_jump(std::size_t from, std::size_t to) const {
  std::optional<std::size_t> found;
  if (to > from) return found;
  for (const std::size_t loop : loops_.enclosing[to]) {
    if (loops_.loops[loop].begin == to && from <= loops_.loops[loop].end) found = loop;
  }
  PTXMC_CHECK(found.has_value(), "a jump backwards outside of every loop");
  return found;
}

void ThreadLowering::arrive(std::size_t to, State state, std::optional<std::size_t> again) {
  if (again && unit_.options.liveness) {
    repeat_idle_turn(*again, state);
    if (unit_.pool().is_false(state.guard)) return;
  }
  std::vector<Turn> turns;
  Key key;
  for (const std::size_t loop : loops_.enclosing[to]) {
    Turn turn;
    turn.loop = loop;
    turn.header_guard = state.guard;
    for (const Turn& old : state.turns) {
      if (old.loop == loop) turn = old;
    }
    if (loop == again) {
      if (turn.trip >= bound(turn, state.guard)) {
        unit_.assume(unit_.pool().truth(false), state.guard);
        unit_.cuts.push_back(state.guard);
        unit_.graph.cut = true;
        return;
      }
      ++turn.trip;
      turn.entered = false;
    }
    turns.push_back(turn);
    key.push_back(static_cast<std::uint32_t>(loops_.loops[loop].begin));
    key.push_back(turn.trip);
  }
  key.push_back(static_cast<std::uint32_t>(to));
  state.turns = std::move(turns);
  pending_[key].push_back(std::move(state));
}

/// How often the loop of `turn` may be entered, seen from a jump back under `guard`.
std::uint32_t ThreadLowering::bound(const Turn& turn, Expr guard) const {
  if (guard == turn.header_guard) return kMaxConstantTrips;  // no decision has left the loop in this turn
  return static_cast<std::uint32_t>(std::max(1, unit_.options.unroll));
}

ThreadLowering::State ThreadLowering::merge(std::vector<State> incoming) {
  State merged = std::move(incoming.front());
  for (std::size_t i = 1; i < incoming.size(); ++i) {
    const State& next = incoming[i];
    // The paths exclude each other: what next's guard says beyond the common part tells them apart.
    const auto a = event::conjuncts(unit_.pool(), merged.guard);
    const auto b = event::conjuncts(unit_.pool(), next.guard);
    std::vector<event::Literal> only_a, only_b;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_b));
    const bool use_b = !only_b.empty() && (only_a.empty() || only_b.size() <= only_a.size());
    Expr take_next = unit_.pool().truth(true);
    for (const auto& [atom, positive] : use_b ? only_b : only_a) {
      take_next = unit_.pool().conjunction(take_next, positive ? atom : unit_.pool().negation(atom));
    }
    if (!use_b) take_next = unit_.pool().negation(take_next);
    merge_matrices(merged.matrices, next.matrices, take_next);
    merged.tensor.merge(next.tensor);
    merged.copies.merge(unit_.pool(), merged.guard, next.copies, next.guard);
    merged.guard = unit_.pool().disjunction(merged.guard, next.guard);
    for (std::size_t r = 0; r < merged.registers.size(); ++r) {
      merged.registers[r] = merge(merged.registers[r], next.registers[r], take_next);
    }
  }
  return merged;
}

Typed ThreadLowering::merge(const Typed& a, const Typed& b, Expr take_b) {
  if (a.expr == b.expr && a.written == b.written) return a;
  const Width wa = unit_.pool()[a.expr].width, wb = unit_.pool()[b.expr].width;
  Width width = narrower(wa, wb) ? wb : wa;
  bool is_signed = narrower(wa, wb) ? b.is_signed : a.is_signed;
  if (a.written != b.written) {  // nobody reads the other half, or it is a plain zero
    width = a.written ? wa : wb;
    is_signed = a.written ? a.is_signed : b.is_signed;
  }
  const Expr x = resize(unit_.pool(), a, width), y = resize(unit_.pool(), b, width);
  return {unit_.pool().make(event::Op::ite, width, take_b, y, x), is_signed, true};
}

event::Expr ThreadLowering::branch_condition(const Instruction& instruction, const State& state) {
  const Expr guard = predicate(instruction, state);
  if (instruction.opcode != Opcode::branch_compare) return guard;
  const Width width = unit_.word();  // untyped, hence signed
  const Expr a = operand(state, instruction.operand(Role::a), width);
  const Expr b = operand(state, instruction.operand(Role::b), width);
  return unit_.pool().conjunction(guard, compare(unit_.pool(), instruction.modifiers.compare, true, a, b));
}

}  // namespace ptxmc::lower
