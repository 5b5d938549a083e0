// SPDX-License-Identifier: Apache-2.0
// mbarrier (9.7.12.15): operations on an object in shared memory as events; the phases are the business of
// axiomatic/event/sync_machine.cpp.
//
// The state that an arrive returns is opaque: here a constant that names the arrival, so a wait on a state
// knows the phase that it means (R223). A try_wait has an event iff it returned true; what it returns is
// free, since its time limit may pass at any time (R218; a failed poll has no effect). A test_wait has one in
// either case, unless a reading says that it may fail, too. A loop that polls until it succeeds is one wait
// (flow/spin.h).
#include "axiomatic/lower/families/mbarriers.h"

#include <algorithm>

#include "axiomatic/event/sync_path.h"
#include "axiomatic/lower/families/functions.h"
#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "ptx/isa/opcode.h"
#include "ptx/rules/limits.h"

namespace ptxmc::lower {

using event::MbarrierOp;
using event::Op;
using isa::Opcode;
using isa::Space;

namespace {

constexpr event::Value kMostSeen = 8;  // pending counts that a state tells

}  // namespace

/// A count of arrivals or of bytes. One that is not constant becomes so on each path (finish/mbarriers.cpp).
Expr Mbarriers::mbarrier_number(const State& state, const Operand& source, event::Value least,
                                const char* what, event::Value most) {
  const Expr number = resize(pool_, {registers_.operand(state, source, 32), false}, unit_.word());
  if (!pool_.is_constant(number)) return number;
  const event::Value value = pool_[number].constant;
  if (value < least || value > most) {
    fail(source.position, std::string(what) + " " + std::to_string(value) + ", expected " +
                              std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

/// The objects that the operand names; with .multicast::cluster those at its place in each CTA of the mask.
std::vector<MbarrierPlace> Mbarriers::objects(const Instruction& instruction, const State& state) {
  const Operand& operand = instruction.operand(Role::mbarrier);
  if (!instruction.modifiers.multicast) return mbarriers_.mbarrier_places(instruction, operand, state);
  Location location = addresses_.tile_location(operand, state);
  std::vector<MbarrierPlace> out;
  for (const std::uint32_t cta : completions_.destinations(instruction, state, location)) {
    location.cta = cta;
    out.push_back(*mbarriers_.mbarrier_place(instruction, operand, location, true));
    out.back().guard = registers_.event_guard(instruction, state);
  }
  return out;
}

/// init, inval, expect_tx, complete_tx
void Mbarriers::mbarrier_update(const Instruction& instruction, State& state) {
  MbarrierOp op = MbarrierOp::inval;
  std::optional<Expr> count, tx;
  if (instruction.opcode == Opcode::mbarrier_init) {
    op = MbarrierOp::init;
    count = mbarrier_number(state, instruction.operand(Role::count), 1, "arrival count",
                            rules::largest_mbarrier_count(instruction.modifiers.small_counts));
  } else if (instruction.opcode != Opcode::mbarrier_inval) {
    op = instruction.opcode == Opcode::mbarrier_expect_tx ? MbarrierOp::expect_tx : MbarrierOp::complete_tx;
    tx = mbarrier_number(state, instruction.operand(Role::bytes), 0, "transaction count");
  }
  for (const MbarrierPlace& place : objects(instruction, state)) {
    Event event = mbarriers_.mbarrier_event(EventKind::mbarrier, op, instruction, place);
    event.mbarrier->count = count;
    event.mbarrier->tx = tx;
    event.mbarrier->small_counts = instruction.modifiers.small_counts;
    unit_.add_event(std::move(event));
  }
  if (op == MbarrierOp::inval) write_invalid(instruction, state);
}

/// D46: inval is a weak write of the whole object, of an unspecified value. An init is none here: what is not ordered
/// before it, or follows it, is a misuse of the object in any case (R194).
void Mbarriers::write_invalid(const Instruction& instruction, const State& state) {
  Instruction store = instruction;
  store.opcode = Opcode::st;
  store.modifiers = {};
  store.modifiers.space = instruction.modifiers.space;
  store.modifiers.type = isa::Type{isa::TypeClass::bits, 64};
  const Operand& object = instruction.operand(Role::mbarrier);
  for (const Target& place : accesses_.targets(store, object, state)) {
    const Access& bytes = place.scalars.front();
    const auto cell = static_cast<event::Value>(bytes.cells.front());
    const Expr value = uninterpreted(pool_, "invalidated", {pool_.constant(cell, 64)});
    accesses_.add_write(accesses_.access_event(EventKind::write, store, place.guard, bytes), bytes,
                        {resize(pool_, {value, false}, bytes.width)});
  }
}

void Mbarriers::mbarrier_arrive(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand& destination = instruction.operand(Role::result);
  const bool returns = returns_state(instruction);
  if (returns && m.space == Space::shared_cluster) fail(destination.position, kNoState);
  std::optional<Expr> count, tx;
  if (m.expect_tx) {
    tx = mbarrier_number(state, instruction.operand(Role::bytes), 0, "transaction count");
  } else if (const Operand* arrivals = instruction.find(Role::count)) {
    count = mbarrier_number(state, *arrivals, 1, "arrival count");
  }
  const auto places = objects(instruction, state);
  Expr token = pool_.constant(0, unit_.word());
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const bool drops = instruction.opcode == Opcode::mbarrier_arrive_drop;
    Event event = mbarriers_.mbarrier_event(
        EventKind::arrival, drops ? MbarrierOp::arrive_drop : MbarrierOp::arrive, instruction, *place);
    event.mbarrier->count = count;
    event.mbarrier->tx = tx;
    event.mbarrier->no_complete = m.no_complete;
    const EventId id = unit_.add_event(std::move(event));
    if (m.no_complete && returns && body_.has(Opcode::mbarrier_pending_count))
      graph_.events[id].mbarrier->seen = seen_count(id);
    token = pool_.make(Op::ite, unit_.word(), place->here,
                       pool_.constant(event::arrival_state(id), unit_.word()), token);
  }
  if (returns) registers_.write_register(state, instruction, destination, {token, false});
}

/// The pending count before an arrive.noComplete, as one of kMostSeen + 1 cases, decided in turn, that an
/// execution chooses from.
Expr Mbarriers::seen_count(EventId arrival) {
  const std::uint32_t number = unit_.pending_counts++;
  std::vector<Expr>& cases = unit_.pending_of[arrival];
  cases.clear();
  Expr rest = graph_.events[arrival].guard;
  for (event::Value value = 0; value <= kMostSeen; ++value) {
    cases.push_back(unit_.nondeterministic_choices.is(unit_, {ChoiceKey::Kind::pending, number}, value));
    unit_.decide(thread_, cases.back(), rest);
    rest = pool_.conjunction(rest, pool_.negation(cases.back()));
  }
  Expr count = pool_.constant(-1, unit_.word());
  for (event::Value value = kMostSeen; value >= 0; --value) {
    const Expr is = cases[static_cast<std::size_t>(value)];
    count = pool_.make(Op::ite, unit_.word(), is, pool_.constant(value, unit_.word()), count);
  }
  return count;
}

/// R219: of a state that an arrive.noComplete returned; of any other value it is undefined.
void Mbarriers::pending_count(const Instruction& instruction, State& state) {
  const Expr token = registers_.operand(state, instruction.operand(Role::state), unit_.word());
  Expr result = pool_.constant(0, 32);
  Expr rest = registers_.event_guard(instruction, state);
  for (const auto& [arrival, cases] : unit_.pending_of) {
    const Expr here =
        pool_.make(Op::eq, 1, token, pool_.constant(event::arrival_state(arrival), unit_.word()));
    if (pool_.is_false(here)) continue;
    if (!pool_.is_constant(here)) unit_.decide(thread_, here, rest);
    Expr count = pool_.constant(0, 32);
    for (event::Value value = 1; value <= kMostSeen; ++value) {
      count =
          pool_.make(Op::ite, 32, cases[static_cast<std::size_t>(value)], pool_.constant(value, 32), count);
    }
    result = pool_.make(Op::ite, 32, here, count, result);
    rest = pool_.conjunction(rest, pool_.negation(here));
  }
  if (!pool_.is_false(rest)) {
    misuse(finding::RuleId::mbarrier_misuse, rest, instruction);
  }
  registers_.write_register(state, instruction, instruction.operand(Role::result), {result, false});
}

/// PTX ISA 9.4, 9.7.15.16.21. Which objects have which layout is told by all inits of the program.
bool Mbarriers::is_of_layout(const Instruction& instruction) const {
  bool v0 = false, v1 = false;
  for (const program::Thread& thread : unit_.program.threads) {
    for (const Instruction& other : thread.code()) {
      if (other.opcode != Opcode::mbarrier_init) continue;
      v1 = v1 || other.modifiers.small_counts;
      v0 = v0 || !other.modifiers.small_counts;
    }
  }
  if (v0 && v1)
    unsupported(instruction.position, "mbarrier.check_layout in a program with objects of both layouts");
  return instruction.modifiers.small_counts == v1;
}

/// It changes nothing: as if it expected no bytes.
void Mbarriers::check_layout(const Instruction& instruction, State& state) {
  const bool truth = is_of_layout(instruction);
  for (const MbarrierPlace& place : objects(instruction, state)) {
    Event event = mbarriers_.mbarrier_event(EventKind::mbarrier, MbarrierOp::expect_tx, instruction, place);
    event.mbarrier->tx = pool_.constant(0, unit_.word());
    unit_.add_event(std::move(event));
  }
  registers_.write_register(state, instruction, instruction.operand(Role::result),
                            {pool_.truth(truth), false});
}

/// PTX ISA 9.4, 9.7.15.16.19: what was reported in the phase, which is nothing; undefined where it is not complete.
void Mbarriers::write_report(const Instruction& instruction, State& state, Expr done) {
  const Operand& to = instruction.operand(Role::result);
  Results results(registers_, instruction, state);
  const auto* pair = std::get_if<program::RegisterPair>(&to.value);
  if (pair == nullptr) return results.write(to, {done, false});
  const std::string name = "report " + std::to_string(unit_.polls++);
  if (pair->first != "_") results.write(pair->first, to.position, {done, false});
  const Expr truth = pool_.conjunction(pool_.negation(done), unknown_truth(pool_, name, {}));
  if (pair->second != "_") results.write(pair->second, to.position, {truth, false});
  const Operand* value = instruction.find(Role::report);
  if (value == nullptr) return;
  constexpr Width kByte = 8;
  const Expr any = unknown_function(pool_, name + " value", kByte, {});
  results.write(*value, {pool_.make(Op::ite, kByte, done, pool_.constant(0, kByte), any), false});
}

void Mbarriers::mbarrier_wait(const Instruction& instruction, State& state) {
  Expr result = pool_.truth(false);
  const auto places = mbarriers_.mbarrier_places(instruction, instruction.operand(Role::mbarrier), state);
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    result = pool_.make(Op::ite, 1, place->here, poll(instruction, state, *place), result);
  }
  write_report(instruction, state, result);
}

/// One poll of one object: its wait event, where it returns true; returns that condition.
Expr Mbarriers::poll(const Instruction& instruction, State& state, const MbarrierPlace& place) {
  Event wait = mbarriers_.mbarrier_event(EventKind::wait, MbarrierOp::wait, instruction, place);
  const bool by_parity = instruction.modifiers.parity;
  const Operand& source = instruction.operand(by_parity ? Role::parity : Role::state);
  if (by_parity) {
    const Expr parity = resize(pool_, {registers_.operand(state, source, 32), false}, unit_.word());
    if (pool_.is_constant(parity) && !rules::is_parity(pool_[parity].constant)) {
      fail(source.position, "phase parity " + std::to_string(pool_[parity].constant) + ", expected 0 or 1");
    }
    wait.mbarrier->parity = parity;
  } else {
    wait.mbarrier->token = registers_.operand(state, source, unit_.word());
  }
  if (spin_.polls == SpinTurn::Polls::fail) return pool_.truth(false);
  if (spin_.polls == SpinTurn::Polls::succeed) {
    if (unit_.options.liveness) {
      progress_.block_wait(std::move(wait), state);
    } else {
      unit_.add_event(std::move(wait));
    }
    return pool_.truth(true);
  }
  if (unit_.options.liveness && !state.turns.empty()) {
    unsupported(instruction.position, "liveness of a loop that polls an mbarrier and does more than that");
  }
  const Expr succeeds = unit_.nondeterministic_choices.is(unit_, {ChoiceKey::Kind::poll, unit_.polls++}, 0);
  unit_.decide(thread_, succeeds, place.guard);
  wait.guard = pool_.conjunction(place.guard, succeeds);
  if (instruction.opcode == Opcode::mbarrier_test_wait && !unit_.options.readings.tests_may_fail) {
    Event failed = wait;
    failed.kind = EventKind::mbarrier;
    failed.mbarrier->op = MbarrierOp::test_failed;
    failed.labels.semantics = isa::Semantics::weak;
    failed.labels.scope = isa::Scope::none;
    failed.guard = pool_.conjunction(place.guard, pool_.negation(succeeds));
    unit_.add_event(std::move(failed));
  }
  unit_.add_event(std::move(wait));
  return succeeds;
}

}  // namespace ptxmc::lower
