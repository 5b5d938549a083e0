// SPDX-License-Identifier: Apache-2.0
// atom and red (9.7.12.5, 9.7.12.6): a read and a write joined by rmw. A cas that fails has no write (D19);
// any other operation writes even when it leaves the value as it was.
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;
using event::Width;
using isa::AtomicOp;

namespace {

/// inc: old >= bound ? 0 : old + 1 (unsigned).
Expr increment(event::ExprPool& pool, Width width, Expr old, Expr bound) {
  const Expr wraps = pool.negation(pool.make(Op::lt_u, 1, old, bound));
  return pool.make(Op::ite, width, wraps, pool.constant(0, width),
                   pool.make(Op::add, width, old, pool.constant(1, width)));
}

/// dec: old == 0 or old > bound ? bound : old - 1 (unsigned).
Expr decrement(event::ExprPool& pool, Width width, Expr old, Expr bound) {
  const Expr zero = pool.make(Op::eq, 1, old, pool.constant(0, width));
  const Expr wraps = pool.disjunction(zero, pool.make(Op::lt_u, 1, bound, old));
  return pool.make(Op::ite, width, wraps, bound, pool.make(Op::sub, width, old, pool.constant(1, width)));
}

}  // namespace

/// What the atomic stores, from the value read and its (first) operand.
Expr ThreadLowering::combine(const Instruction& instruction, const Access& access, Expr old, Expr value) {
  auto& pool = unit_.pool();
  const Width w = access.width;
  switch (instruction.modifiers.atomic) {
    case AtomicOp::exch:
      return value;
    case AtomicOp::add:
      return pool.make(Op::add, w, old, value);
    case AtomicOp::sub:
      return pool.make(Op::sub, w, old, value);
    case AtomicOp::mul:
      return pool.make(Op::mul, w, old, value);
    case AtomicOp::div:
      return pool.make(access.is_signed ? Op::div_s : Op::div_u, w, old, value);
    case AtomicOp::and_:
      return pool.make(Op::and_, w, old, value);
    case AtomicOp::or_:
      return pool.make(Op::or_, w, old, value);
    case AtomicOp::xor_:
      return pool.make(Op::xor_, w, old, value);
    case AtomicOp::min:
      return pool.make(access.is_signed ? Op::min_s : Op::min_u, w, old, value);
    case AtomicOp::max:
      return pool.make(access.is_signed ? Op::max_s : Op::max_u, w, old, value);
    case AtomicOp::inc:
      return increment(pool, w, old, value);
    case AtomicOp::dec:
      return decrement(pool, w, old, value);
    case AtomicOp::cas:
    case AtomicOp::none:
      break;
  }
  PTXMC_CHECK(false, "an atomic without an operation");
  return old;
}

void ThreadLowering::atomic(const Instruction& instruction, State& state) {
  const bool returns = instruction.opcode == isa::Opcode::atom;
  const std::size_t first = returns ? 1 : 0;  // place of the address
  const bool cas = instruction.modifiers.atomic == AtomicOp::cas;
  const Access place = access(instruction, operand_at(instruction, first), state);
  const Expr guard = event_guard(instruction, state);
  const bool no_return = !returns || std::holds_alternative<litmus::Sink>(operand_at(instruction, 0).value);

  Event half = access_event(EventKind::read, instruction, guard, place);
  half.labels.atomic = true;
  half.labels.no_return = no_return;
  Event write = half;
  write.kind = EventKind::write;
  EventId id = event::kNoEvent;
  const Expr old = add_read(std::move(half), place, id);
  const Expr value = operand(state, operand_at(instruction, first + 1), place.width);
  if (cas) {
    const Expr success = unit_.pool().make(Op::eq, 1, old, value);
    unit_.decide(thread_, success, guard);
    write.guard = unit_.pool().conjunction(guard, success);
    write.value = operand(state, operand_at(instruction, first + 2), place.width);
    last_cas_ = Cas{id + 1, success};
  } else {
    write.value = combine(instruction, place, old, value);
  }
  write.rmw_partner = id;
  unit_.graph.events[id].rmw_partner = unit_.add_event(std::move(write));
  if (returns) write_register(state, instruction, operand_at(instruction, 0), {old, place.is_signed});
}

}  // namespace ptxmc::lower
