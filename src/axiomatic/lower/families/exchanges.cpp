// SPDX-License-Identifier: Apache-2.0
// Exchanges between the lanes of a warp (9.7.8.6, 9.7.12.9 to 9.7.12.14), activemask, and the predefined
// registers that tell a thread's place (chapter 10).
//
// The lanes that the membermask names meet (R226, R227) and no memory is ordered (D22). A thread alone in its
// warp meets no other. The mask must be a constant: it says who takes part.
#include "axiomatic/lower/families/exchanges.h"

#include <algorithm>
#include <bit>

#include "finding/rules.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

using event::Value;

namespace {

constexpr event::Width kRegister = 32;

}  // namespace

Exchange Exchanges::new_exchange(ExchangeKind kind, const Instruction& instruction,
                                 const State& state) const {
  Exchange exchange;
  exchange.thread = thread_;
  exchange.kind = kind;
  exchange.modifiers = instruction.modifiers;
  exchange.guard = state.guard;
  exchange.position = instruction.position;
  exchange.text = instruction.text;
  return exchange;
}

/// The membermask; a thread that it leaves out has undefined behaviour (R173, R228).
std::uint32_t Exchanges::member_mask(const Instruction& instruction, const Operand& mask,
                                     const State& state) {
  const Expr value = registers_.operand(state, mask, kRegister);
  if (!pool_.is_constant(value)) {
    unsupported(mask.position, "a membermask that depends on what the program reads or chooses");
  }
  const auto lanes = static_cast<std::uint32_t>(pool_[value].constant);
  if ((info_.lanes & ~lanes) != 0) {
    const Expr executed = registers_.event_guard(instruction, state);
    misuse(finding::RuleId::not_in_membermask, executed, instruction);
  }
  return lanes;
}

void Exchanges::exchange(ExchangeKind kind, const Instruction& instruction, State& state) {
  Exchange exchange = new_exchange(kind, instruction, state);
  exchange.mask = member_mask(instruction, instruction.operand(Role::member_mask), state);
  exchange.guard = registers_.event_guard(instruction, state);
  exchange_operands(instruction, state, exchange);
  const std::uint32_t present = lanes_of_warp(graph_, thread_) & exchange.mask;
  if ((present & ~info_.lanes) == 0)
    return write_exchange(instruction, state, exchange_result(unit_, exchange, {&exchange}));
  Expr open = exchange.guard;  // and none of the choices before
  const bool chosen = kind == ExchangeKind::elect && !unit_.options.first_leads;
  for (int i = 0; chosen && i + 1 < std::popcount(present); ++i) {
    const ChoiceKey key{ChoiceKey::Kind::leader, first_of_warp(), exchange.mask};
    exchange.choices.push_back(unit_.nondeterministic_choices.is(unit_, key, i));
    unit_.decide(thread_, exchange.choices.back(), open);
    open = pool_.conjunction(open, pool_.negation(exchange.choices.back()));
  }
  meet(instruction, state, exchange);
}

void Exchanges::exchange_operands(const Instruction& instruction, const State& state, Exchange& exchange) {
  const Operand& destination = instruction.operand(Role::result);
  exchange.wants_predicate = std::holds_alternative<program::RegisterPair>(destination.value);
  if (exchange.wants_predicate && exchange.kind == ExchangeKind::match &&
      instruction.modifiers.warp_mode != isa::WarpMode::all) {
    fail(destination.position, "match.any.sync has one destination");
  }
  if (const Operand* lane = instruction.find(Role::lane))
    exchange.source = registers_.operand(state, *lane, kRegister);
  if (const Operand* clamp = instruction.find(Role::clamp))
    exchange.clamp = registers_.operand(state, *clamp, kRegister);
  if (const Operand* vote = instruction.find(Role::predicate))
    exchange.value = registers_.predicate_operand(state, *vote);
  if (const Operand* value = instruction.find(Role::value))
    exchange.value =
        registers_.operand(state, *value, static_cast<event::Width>(instruction.modifiers.type->bits));
}

/// Instructions of one kind meet.
Value Exchanges::kind_of(const Instruction& instruction) {
  const auto next = static_cast<Value>(unit_.exchange_kinds.size() + 1);
  return unit_.exchange_kinds.try_emplace(mnemonic(instruction.opcode, instruction.modifiers), next)
      .first->second;
}

/// The events of an exchange with other threads; its results stand for the wait's values.
void Exchanges::meet(const Instruction& instruction, State& state, Exchange& exchange) {
  Event arrival = new_event(EventKind::arrival, instruction, exchange.guard);
  arrival.barrier.emplace();
  arrival.barrier->warp = true;
  arrival.barrier->exchange = true;
  arrival.barrier->id = pool_.constant(static_cast<Value>(exchange.mask), unit_.word());
  arrival.barrier->instance = kind_of(instruction);
  exchange.arrival = unit_.add_event(arrival);
  Event wait = arrival;
  wait.kind = EventKind::wait;
  exchange.wait = unit_.add_event(std::move(wait));
  graph_.events[exchange.arrival].barrier->wait = exchange.wait;
  progress_.block(instruction, state, exchange.arrival, exchange.wait);
  const event::EventId id = exchange.wait;
  const ExchangeResult result{pool_.value_of(id, result_width(exchange)), pool_.value_of(id, 1, 1)};
  unit_.exchanges.push_back(std::move(exchange));
  write_exchange(instruction, state, result);
}

void Exchanges::write_exchange(const Instruction& instruction, State& state, const ExchangeResult& result) {
  const Operand& destination = instruction.operand(Role::result);
  const auto* pair = std::get_if<program::RegisterPair>(&destination.value);
  const bool is_signed = instruction.modifiers.type && instruction.modifiers.type->is_signed();
  if (!pair) return registers_.write_register(state, instruction, destination, {result.value, is_signed});
  Results results(registers_, instruction, state);
  if (pair->first != "_") results.write(pair->first, destination.position, {result.value, is_signed});
  if (pair->second != "_") results.write(pair->second, destination.position, {result.predicate, false});
}

/// The scheduler chooses which other lanes happen to be active, each time anew (R230): of few, a choice; of
/// many, an unknown number.
void Exchanges::active_mask(const Instruction& instruction, State& state) {
  const std::uint32_t others = lanes_of_warp(graph_, thread_) & ~info_.lanes;
  Expr mask = pool_.constant(static_cast<Value>(info_.lanes), kRegister);
  constexpr int kMost = 4;  // whose subsets are choices of their own
  if (std::popcount(others) > kMost) {
    event::Term term;
    term.name = "activemask_" + std::to_string(unit_.active_masks++);
    term.width = kRegister;
    term.line = instruction.position.line;
    const Expr active = pool_.make(event::Op::and_, kRegister, pool_.new_term(std::move(term)),
                                   pool_.constant(static_cast<Value>(others), kRegister));
    mask = pool_.make(event::Op::or_, kRegister, mask, active);
  } else if (others != 0) {
    const ChoiceKey key{ChoiceKey::Kind::active, unit_.active_masks++, 0};
    Value choice = 0;
    // Subsets of the others, the empty one last.
    for (std::uint32_t subset = others; subset != 0; subset = (subset - 1) & others) {
      const Expr chosen = unit_.nondeterministic_choices.is(unit_, key, choice++);
      unit_.decide(thread_, chosen, state.guard);
      mask = pool_.make(event::Op::ite, kRegister, chosen,
                        pool_.constant(static_cast<Value>(subset | info_.lanes), kRegister), mask);
    }
  }
  registers_.write_register(state, instruction, instruction.operand(Role::result), {mask, false});
}

event::ThreadId Exchanges::first_of_warp() const {
  event::ThreadId first = thread_;
  for (event::ThreadId t = 0; t < thread_; ++t) {
    const event::ThreadInfo& other = graph_.threads[t];
    if (info_.warp && other.cta == info_.cta && other.warp == info_.warp) first = std::min(first, t);
  }
  return first;
}

}  // namespace ptxmc::lower
