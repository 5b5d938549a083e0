// SPDX-License-Identifier: Apache-2.0
// mbarrier (9.7.12.15): operations on an object in shared memory as events; the phases are the business of
// event/sync_machine.cpp.
//
// The state that an arrive returns is opaque: here a constant that names the arrival, so a wait on a state
// knows the phase that it means (R223). A try_wait has an event iff it returned true; what it returns is
// free, since its time limit may pass at any time (R218; a failed poll has no effect). A test_wait has one in
// either case, unless a reading says that it may fail, too. A loop that polls until it succeeds is one wait
// (spin.cpp).
#include <algorithm>

#include "event/sync_path.h"
#include "isa/opcode.h"
#include "lower/finish.h"
#include "lower/thread.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::MbarrierOp;
using event::Op;
using isa::Opcode;
using isa::Space;

namespace {

constexpr std::uint32_t kObject = 8;  // bytes, and its alignment (R192)
constexpr const char* kNoState = "an arrive on an mbarrier object of the cluster returns no state: write `_`";
constexpr event::Value kMostSeen = 8;                                 // pending counts that a state tells
constexpr event::Value kLargestCount = event::kLargestMbarrierCount;  // of arrivals and of bytes

/// Whether an arrival's state is asked for, which those on objects of other CTAs do not return (R196).
bool returns_state(const program::Instruction& instruction) {
  const program::Operand* state = instruction.find(isa::Role::result);
  const bool arrive =
      instruction.opcode == Opcode::mbarrier_arrive || instruction.opcode == Opcode::mbarrier_arrive_drop;
  return arrive && !std::holds_alternative<program::Sink>(state->value);
}

}  // namespace

/// The object at a location; nothing when it can be none. `required`: that is an error.
std::optional<ThreadLowering::MbarrierPlace> ThreadLowering::mbarrier_place(const Instruction& instruction,
                                                                            const Operand& operand,
                                                                            const Location& location,
                                                                            bool required) {
  Layout& layout = unit_.layout;
  const VariableId root = layout.root(location.variable);
  const std::string& name = layout.variable(location.variable).name;
  std::string wrong;
  const bool sized = layout.frozen() || layout.type(root) || layout.is_array(root);
  const bool elsewhere = location.cta && *location.cta != info_.cta;
  const bool remote = isa::traits(instruction.opcode).has(isa::Trait::remote);
  if (!layout.is_shared(root)) {
    wrong = "an mbarrier object is in .shared memory, " + name + " is not";
  } else if (location.offset < 0 || location.offset % kObject != 0) {
    wrong = "misaligned mbarrier object: offset " + std::to_string(location.offset) + " of " + name +
            " is no multiple of 8 bytes";
  } else if (elsewhere && returns_state(instruction)) {
    wrong = kNoState;
  } else if (elsewhere && !remote && instruction.opcode != Opcode::nop) {
    wrong = "`" + instruction.text +
            "` acts on an mbarrier object of another CTA; only arrive, expect_tx, complete_tx "
            "and asynchronous operations may";
  } else {
    layout.note_access(location.variable, kObject, kObject);
    if (sized && location.offset + kObject > layout.extent(root)) {
      wrong = "8 bytes at offset " + std::to_string(location.offset) + " are outside of " + name;
    }
  }
  if (wrong.empty()) {
    if (required) check_space(instruction, location, operand.position);
    if (required || reachable(instruction, location)) {
      return MbarrierPlace{unit_.pool().truth(true), unit_.pool().truth(true),
                           layout.address(root) + location.offset, location.cta.value_or(info_.cta)};
    }
  }
  if (required) fail(operand.position, wrong);
  return std::nullopt;
}

/// The objects that an operand may name, with the guards of the operations on them.
std::vector<ThreadLowering::MbarrierPlace> ThreadLowering::mbarrier_places(const Instruction& instruction,
                                                                           const Operand& operand,
                                                                           const State& state) {
  const auto* written = std::get_if<program::Address>(&operand.value);
  if (!written) fail(operand.position, "expected an address in `" + instruction.text + "`");
  auto& pool = unit_.pool();
  std::optional<Location> location;
  Expr address;
  if (!written->variable.empty()) {
    location = base_location(operand);
  } else {
    const event::Width word = unit_.word();
    const Expr base = base_register(state, *written, operand.position);
    address = pool.make(Op::add, word, base, pool.constant(written->offset, word));
    if (unit_.places.is_fixed(pool, base)) location = located(base, operand);
  }
  const Expr guard = event_guard(instruction, state);
  if (location) {
    MbarrierPlace only = *mbarrier_place(instruction, operand, *location, true);
    only.guard = guard;
    return {only};
  }
  std::vector<MbarrierPlace> found;
  Expr rest = guard;
  const std::size_t number = unit_.reach.start();
  for (const event::Value value : possible_addresses(pool, unit_.layout, unit_.places, address, kObject)) {
    if (unit_.reach.excluded(number, value)) continue;
    auto place = mbarrier_place(instruction, operand, *unit_.layout.locate(value), false);
    const Expr here = pool.make(Op::eq, 1, address, unit_.places.at(pool, value, unit_.word()));
    if (!place || pool.is_false(here)) continue;
    unit_.decide(thread_, here, rest);
    place->here = here;
    place->guard = pool.conjunction(rest, here);
    unit_.reach.note(number, value, place->guard, here);
    rest = pool.conjunction(rest, pool.negation(here));
    found.push_back(*place);
  }
  if (!pool.is_false(rest)) {
    unit_.graph.misuses.push_back({"out-of-bounds", rest, instruction.position, instruction.text});
  }
  return found;
}

/// A count of arrivals or of bytes. One that is not constant becomes so on each path (finish_mbarriers.cpp).
Expr ThreadLowering::mbarrier_number(const State& state, const Operand& source, event::Value least,
                                     const char* what) {
  const Expr number = resize(unit_.pool(), {operand(state, source, 32), false}, unit_.word());
  if (!unit_.pool().is_constant(number)) return number;
  const event::Value value = unit_.pool()[number].constant;
  if (value < least || value > kLargestCount) {
    fail(source.position, std::string(what) + " " + std::to_string(value) + ", expected " +
                              std::to_string(least) + " to " + std::to_string(kLargestCount));
  }
  return number;
}

Event ThreadLowering::mbarrier_event(EventKind kind, MbarrierOp op, const Instruction& instruction,
                                     const MbarrierPlace& place) {
  Event event = new_event(kind, instruction, place.guard);
  event.labels.semantics = instruction.modifiers.semantics;
  event.labels.scope = instruction.modifiers.scope;
  event.mbarrier.emplace();
  event.mbarrier->op = op;
  event.mbarrier->object = unit_.pool().constant(place.object, unit_.word());
  event.mbarrier->owner = place.owner;
  if (unit_.layout.frozen()) {
    const auto location = unit_.layout.locate(place.object);
    event.named = unit_.layout.covering({unit_.layout.root(location->variable), place.owner},
                                        {location->offset, kObject});
  }
  return event;
}

/// init, inval, expect_tx, complete_tx
void ThreadLowering::mbarrier_update(const Instruction& instruction, State& state) {
  MbarrierOp op = MbarrierOp::inval;
  std::optional<Expr> count, tx;
  if (instruction.opcode == Opcode::mbarrier_init) {
    op = MbarrierOp::init;
    count = mbarrier_number(state, instruction.operand(Role::count), 1, "arrival count");
  } else if (instruction.opcode != Opcode::mbarrier_inval) {
    op = instruction.opcode == Opcode::mbarrier_expect_tx ? MbarrierOp::expect_tx : MbarrierOp::complete_tx;
    tx = mbarrier_number(state, instruction.operand(Role::bytes), 0, "transaction count");
  }
  for (const MbarrierPlace& place :
       mbarrier_places(instruction, instruction.operand(Role::mbarrier), state)) {
    Event event = mbarrier_event(EventKind::mbarrier, op, instruction, place);
    event.mbarrier->count = count;
    event.mbarrier->tx = tx;
    unit_.add_event(std::move(event));
  }
}

void ThreadLowering::mbarrier_arrive(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
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
  const auto places = mbarrier_places(instruction, instruction.operand(Role::mbarrier), state);
  Expr token = pool.constant(0, unit_.word());
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const bool drops = instruction.opcode == Opcode::mbarrier_arrive_drop;
    Event event = mbarrier_event(EventKind::arrival, drops ? MbarrierOp::arrive_drop : MbarrierOp::arrive,
                                 instruction, *place);
    event.mbarrier->count = count;
    event.mbarrier->tx = tx;
    event.mbarrier->no_complete = m.no_complete;
    const EventId id = unit_.add_event(std::move(event));
    if (m.no_complete && returns && counts_pending()) unit_.graph.events[id].mbarrier->seen = seen_count(id);
    token = pool.make(Op::ite, unit_.word(), place->here,
                      pool.constant(event::arrival_state(id), unit_.word()), token);
  }
  if (returns) write_register(state, instruction, destination, {token, false});
}

bool ThreadLowering::counts_pending() const {
  return std::any_of(source_.code().begin(), source_.code().end(), [](const Instruction& instruction) {
    return instruction.opcode == Opcode::mbarrier_pending_count;
  });
}

/// The pending count before an arrive.noComplete, as one of kMostSeen + 1 cases, decided in turn, that an
/// execution chooses from.
Expr ThreadLowering::seen_count(EventId arrival) {
  auto& pool = unit_.pool();
  const std::uint32_t number = unit_.pending_counts++;
  std::vector<Expr>& cases = unit_.pending_of[arrival];
  cases.clear();
  Expr rest = unit_.graph.events[arrival].guard;
  for (event::Value value = 0; value <= kMostSeen; ++value) {
    cases.push_back(unit_.oracles.is(unit_, {OracleKey::Kind::pending, number}, value));
    unit_.decide(thread_, cases.back(), rest);
    rest = pool.conjunction(rest, pool.negation(cases.back()));
  }
  Expr count = pool.constant(-1, unit_.word());
  for (event::Value value = kMostSeen; value >= 0; --value) {
    const Expr is = cases[static_cast<std::size_t>(value)];
    count = pool.make(Op::ite, unit_.word(), is, pool.constant(value, unit_.word()), count);
  }
  return count;
}

/// R219: of a state that an arrive.noComplete returned; of any other value it is undefined.
void ThreadLowering::pending_count(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const Expr token = operand(state, instruction.operand(Role::state), unit_.word());
  Expr result = pool.constant(0, 32);
  Expr rest = event_guard(instruction, state);
  for (const auto& [arrival, cases] : unit_.pending_of) {
    const Expr here = pool.make(Op::eq, 1, token, pool.constant(event::arrival_state(arrival), unit_.word()));
    if (pool.is_false(here)) continue;
    if (!pool.is_constant(here)) unit_.decide(thread_, here, rest);
    Expr count = pool.constant(0, 32);
    for (event::Value value = 1; value <= kMostSeen; ++value) {
      count = pool.make(Op::ite, 32, cases[static_cast<std::size_t>(value)], pool.constant(value, 32), count);
    }
    result = pool.make(Op::ite, 32, here, count, result);
    rest = pool.conjunction(rest, pool.negation(here));
  }
  if (!pool.is_false(rest)) {
    unit_.graph.misuses.push_back({"mbarrier-misuse", rest, instruction.position, instruction.text});
  }
  write_register(state, instruction, instruction.operand(Role::result), {result, false});
}

void ThreadLowering::mbarrier_wait(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  Expr result = pool.truth(false);
  const auto places = mbarrier_places(instruction, instruction.operand(Role::mbarrier), state);
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    result = pool.make(Op::ite, 1, place->here, poll(instruction, state, *place), result);
  }
  write_register(state, instruction, instruction.operand(Role::result), {result, false});
}

/// One poll of one object: its wait event, where it returns true; returns that condition.
Expr ThreadLowering::poll(const Instruction& instruction, State& state, const MbarrierPlace& place) {
  auto& pool = unit_.pool();
  Event wait = mbarrier_event(EventKind::wait, MbarrierOp::wait, instruction, place);
  const bool by_parity = instruction.modifiers.parity;
  const Operand& source = instruction.operand(by_parity ? Role::parity : Role::state);
  if (by_parity) {
    const Expr parity = resize(pool, {operand(state, source, 32), false}, unit_.word());
    if (pool.is_constant(parity) && (pool[parity].constant < 0 || pool[parity].constant > 1)) {
      fail(source.position, "phase parity " + std::to_string(pool[parity].constant) + ", expected 0 or 1");
    }
    wait.mbarrier->parity = parity;
  } else {
    wait.mbarrier->token = operand(state, source, unit_.word());
  }
  if (polls_ == Polls::fail) return pool.truth(false);
  if (polls_ == Polls::succeed) {
    if (unit_.options.liveness) {
      block_wait(std::move(wait), state);
    } else {
      unit_.add_event(std::move(wait));
    }
    return pool.truth(true);
  }
  if (unit_.options.liveness && !state.turns.empty()) {
    unit_.errors.unsupported(instruction.position,
                             "liveness of a loop that polls an mbarrier and does more than that");
  }
  const Expr succeeds = unit_.oracles.is(unit_, {OracleKey::Kind::poll, unit_.polls++}, 0);
  unit_.decide(thread_, succeeds, place.guard);
  wait.guard = pool.conjunction(place.guard, succeeds);
  if (instruction.opcode == Opcode::mbarrier_test_wait && !unit_.options.readings.tests_may_fail) {
    Event failed = wait;
    failed.kind = EventKind::mbarrier;
    failed.mbarrier->op = MbarrierOp::test_failed;
    failed.labels.semantics = isa::Semantics::weak;
    failed.labels.scope = isa::Scope::none;
    failed.guard = pool.conjunction(place.guard, pool.negation(succeeds));
    unit_.add_event(std::move(failed));
  }
  unit_.add_event(std::move(wait));
  return succeeds;
}

}  // namespace ptxmc::lower
