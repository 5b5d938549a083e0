// SPDX-License-Identifier: Apache-2.0
// Exchanges between the lanes of a warp (9.7.8.6, 9.7.12.9 to 9.7.12.14), activemask, and the predefined
// registers that tell a thread's place (chapter 10).
//
// The lanes that the membermask names meet (R226, R227) and no memory is ordered (D22). A thread alone in its
// warp meets nobody. The mask must be a constant: it says who takes part.
#include <algorithm>
#include <bit>

#include "isa/table.h"
#include "lower/thread.h"

namespace ptxmc::lower {

using event::Event;
using event::EventKind;
using event::Expr;
using event::Value;
using isa::Special;

namespace {

constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
constexpr event::Width kRegister = 32;
constexpr Value kWarp = 32;

}  // namespace

Exchange ThreadLowering::new_exchange(ExchangeKind kind, const Instruction& instruction,
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
std::uint32_t ThreadLowering::member_mask(const Instruction& instruction, const Operand& mask,
                                          const State& state) {
  const Expr value = operand(state, mask, kRegister);
  if (!unit_.pool().is_constant(value)) {
    unit_.errors.unsupported(mask.position, "a membermask that depends on what the program reads or chooses");
  }
  const auto lanes = static_cast<std::uint32_t>(unit_.pool()[value].constant);
  if ((info_.lanes & ~lanes) != 0) {
    const Expr executed = event_guard(instruction, state);
    unit_.graph.misuses.push_back({"not-in-membermask", executed, instruction.position, instruction.text});
  }
  return lanes;
}

void ThreadLowering::exchange(ExchangeKind kind, const Instruction& instruction, State& state) {
  Exchange exchange = new_exchange(kind, instruction, state);
  exchange.mask = member_mask(instruction, instruction.operand(Role::member_mask), state);
  exchange.guard = event_guard(instruction, state);
  exchange_operands(instruction, state, exchange);
  const std::uint32_t present = lanes_of_warp(unit_.graph, thread_) & exchange.mask;
  if ((present & ~info_.lanes) == 0)
    return write_exchange(instruction, state, exchange_result(unit_, exchange, {&exchange}));
  for (int i = 0; kind == ExchangeKind::elect && i + 1 < std::popcount(present); ++i) {
    const OracleKey key{OracleKey::Kind::leader, first_of_warp(), exchange.mask};
    exchange.choices.push_back(unit_.oracles.is(unit_, key, i));
    unit_.decide(thread_, exchange.choices.back(), exchange.guard);
  }
  meet(instruction, state, exchange);
}

void ThreadLowering::exchange_operands(const Instruction& instruction, const State& state,
                                       Exchange& exchange) {
  const Operand& destination = instruction.operand(Role::result);
  exchange.wants_predicate = std::holds_alternative<program::RegisterPair>(destination.value);
  if (exchange.wants_predicate && exchange.kind == ExchangeKind::match &&
      instruction.modifiers.warp_mode != isa::WarpMode::all) {
    fail(destination.position, "match.any.sync has one destination");
  }
  if (const Operand* lane = instruction.find(Role::lane)) exchange.source = operand(state, *lane, kRegister);
  if (const Operand* clamp = instruction.find(Role::clamp))
    exchange.clamp = operand(state, *clamp, kRegister);
  if (const Operand* vote = instruction.find(Role::predicate))
    exchange.value = predicate_operand(state, *vote);
  if (const Operand* value = instruction.find(Role::value))
    exchange.value = operand(state, *value, static_cast<event::Width>(instruction.modifiers.type->bits));
}

/// The events of an exchange with other threads; its results stand for the wait's values.
void ThreadLowering::meet(const Instruction& instruction, State& state, Exchange& exchange) {
  auto& pool = unit_.pool();
  Event arrival = new_event(EventKind::arrival, instruction, exchange.guard);
  arrival.barrier.emplace();
  arrival.barrier->warp = true;
  arrival.barrier->exchange = true;
  arrival.barrier->id = pool.constant(static_cast<Value>(exchange.mask), unit_.word());
  const auto next = static_cast<Value>(unit_.exchange_kinds.size() + 1);
  arrival.barrier->instance =
      unit_.exchange_kinds.try_emplace(mnemonic(instruction.opcode, instruction.modifiers), next)
          .first->second;
  exchange.arrival = unit_.add_event(arrival);
  Event wait = arrival;
  wait.kind = EventKind::wait;
  exchange.wait = unit_.add_event(std::move(wait));
  unit_.graph.events[exchange.arrival].barrier->wait = exchange.wait;
  block(instruction, state, exchange.arrival, exchange.wait);
  const event::EventId id = exchange.wait;
  const ExchangeResult result{pool.value_of(id, result_width(exchange)), pool.value_of(id, 1, 1)};
  unit_.exchanges.push_back(std::move(exchange));
  write_exchange(instruction, state, result);
}

void ThreadLowering::write_exchange(const Instruction& instruction, State& state,
                                    const ExchangeResult& result) {
  const Operand& destination = instruction.operand(Role::result);
  const auto* pair = std::get_if<program::RegisterPair>(&destination.value);
  const bool is_signed = instruction.modifiers.type && instruction.modifiers.type->is_signed();
  if (!pair) return write_register(state, instruction, destination, {result.value, is_signed});
  State after = state;  // the guard is read before any destination is written
  if (pair->first != "_")
    write_named(after, instruction, pair->first, destination.position, {result.value, is_signed});
  if (pair->second != "_") {
    State second = state;
    write_named(second, instruction, pair->second, destination.position, {result.predicate, false});
    after.registers[register_index(pair->second)] = second.registers[register_index(pair->second)];
  }
  state.registers = std::move(after.registers);
}

/// Which other lanes happen to be active, the scheduler chooses, each time anew (R230).
void ThreadLowering::active_mask(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const std::uint32_t others = lanes_of_warp(unit_.graph, thread_) & ~info_.lanes;
  Expr mask = pool.constant(static_cast<Value>(info_.lanes), kRegister);
  if (others != 0) {
    constexpr int kMost = 4;
    if (std::popcount(others) > kMost)
      unit_.errors.unsupported(instruction.position, "activemask in a warp of more than five litmus threads");
    const OracleKey key{OracleKey::Kind::active, unit_.active_masks++, 0};
    Value choice = 0;
    // Subsets of the others, the empty one last.
    for (std::uint32_t subset = others; subset != 0; subset = (subset - 1) & others) {
      const Expr chosen = unit_.oracles.is(unit_, key, choice++);
      unit_.decide(thread_, chosen, state.guard);
      mask = pool.make(event::Op::ite, kRegister, chosen,
                       pool.constant(static_cast<Value>(subset | info_.lanes), kRegister), mask);
    }
  }
  write_register(state, instruction, instruction.operand(Role::result), {mask, false});
}

event::ThreadId ThreadLowering::first_of_warp() const {
  event::ThreadId first = thread_;
  for (event::ThreadId t = 0; t < thread_; ++t) {
    const event::ThreadInfo& other = unit_.graph.threads[t];
    if (info_.warp && other.cta == info_.cta && other.warp == info_.warp) first = std::min(first, t);
  }
  return first;
}

/// The value of a predefined register, `name` as in a program. Blocks of threads have one dimension.
event::Value ThreadLowering::special_value(const std::string& name) const {
  const auto special = isa::special_register(name);
  if (!special) unit_.errors.unsupported(source_.position, "special register %" + name);
  const std::string who = "P" + std::to_string(source_.number);
  const auto refuse = [&](const std::string& why) {
    fail(source_.position, "%" + name + " of " + who + " is not known: " + why);
  };
  if (info_.host) refuse("it is a host thread");
  const bool of_lane = *special <= Special::lane_mask_gt || *special == Special::tid_x;
  if (of_lane && info_.lanes == kAllLanes)
    refuse("the thread stands for a whole warp; name its lane: `@ warp 0, lane 0`");
  if (*special == Special::warp_id && !info_.warp) refuse("name its warp: `@ warp 0`");
  if (*special == Special::ctaid_x && !source_.placement.cta) refuse("name its CTA: `@ cta 0`");
  const auto lane = static_cast<Value>(std::countr_zero(info_.lanes));
  const std::uint32_t below = info_.lanes - 1;
  switch (*special) {
    case Special::lane_id:
      return lane;
    case Special::lane_mask_eq:
      return info_.lanes;
    case Special::lane_mask_le:
      return below | info_.lanes;
    case Special::lane_mask_lt:
      return below;
    case Special::lane_mask_ge:
      return ~below;
    case Special::lane_mask_gt:
      return ~(below | info_.lanes);
    case Special::warp_id:
      return *info_.warp;
    case Special::tid_x:
      return *info_.warp * kWarp + lane;
    case Special::ctaid_x:
      return *source_.placement.cta;
    case Special::cluster_cta_rank:
    case Special::cluster_cta_count:
      break;
  }
  const std::vector<std::uint32_t> ctas = cluster_ctas();
  if (*special == Special::cluster_cta_count) return static_cast<Value>(ctas.size());
  return std::distance(ctas.begin(), std::find(ctas.begin(), ctas.end(), info_.cta));
}

}  // namespace ptxmc::lower
