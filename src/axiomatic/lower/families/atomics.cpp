// SPDX-License-Identifier: Apache-2.0
// atom and red (9.7.12.5, 9.7.12.6): a read and a write joined by rmw. A cas that fails has no write (D19, a
// reading); any other operation writes even when it leaves the value as it was.
#include "axiomatic/lower/families/atomics.h"

#include "axiomatic/lower/families/leaves_value.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
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

Expr combine(event::ExprPool& pool, const Instruction& instruction, const Access& access, Expr old,
             Expr value) {
  const Width w = access.width;
  const isa::Modifiers& m = instruction.modifiers;
  const std::string operation = "atomic " + std::string(name_of(m.atomic)) +
                                (m.variants.has(isa::Variant::sum_f32)   ? ".acc::f32."
                                 : m.variants.has(isa::Variant::sum_f16) ? ".acc::f16."
                                                                         : ".");
  if (m.type && m.type->is_floating()) return pool.opaque(operation + isa::name_of(*m.type), w, old, value);
  const bool integers = m.packed == isa::Packed::u16x2 || m.packed == isa::Packed::s16x2;
  if (m.packed != isa::Packed::none && !integers)
    return pool.opaque(operation + std::string(name_of(m.packed)), w, old, value);
  switch (m.atomic) {
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

void Atomics::atomic(const Instruction& instruction, State& state) {
  const std::vector<Target> places =
      accesses_.targets(instruction, instruction.operand(Role::address), state);
  if (places.empty()) return;  // no address is one of this instruction: out of bounds
  std::vector<Words> values;
  values.reserve(places.size());
  for (const Target& place : places) {
    values.emplace_back();
    for (std::size_t i = 0; i < place.scalars.size(); ++i) {
      const Words old = atomic_at(instruction, state, place, i, places.size() == 1);
      values.back().insert(values.back().end(), old.begin(), old.end());
    }
  }
  if (const Operand* to = instruction.find(Role::result)) {
    const Access& scalar = places.front().scalars.front();
    words_.write_words(state, instruction, *to, accesses_.choose(places, values, scalar), scalar);
  }
}

/// The read and the write of an atomic at one place, of one element of a vector or packed one (8.2.4, 8.2.5); returns
/// what it reads. `only`: there is no other place.
Words Atomics::atomic_at(const Instruction& instruction, State& state, const Target& target,
                         std::size_t element, bool only) {
  const Operand* to = instruction.find(Role::result);
  const bool cas = instruction.modifiers.atomic == AtomicOp::cas;
  const Access& place = target.scalars.at(element);
  // Elements have no order, which only orders around them could tell.
  if (target.scalars.size() > 1 && instruction.modifiers.semantics != isa::Semantics::relaxed)
    unsupported(instruction.position, "a vector or packed atomic that is not .relaxed");
  const bool sink = to != nullptr && std::holds_alternative<program::Sink>(to->value);

  Event half = accesses_.access_event(EventKind::read, instruction, target.guard, place);
  half.labels.atomic = true;
  half.labels.no_return = to == nullptr || (sink && unit_.options.readings.sink_is_red);
  Event write = half;
  write.kind = EventKind::write;
  EventId id = event::kNoEvent;
  const Words old = accesses_.add_read(std::move(half), place, id);
  Words stored = words_.stored_words(instruction, state,
                                     instruction.operand(cas ? Role::comparand : Role::value), place);
  if (cas) {
    Expr success = pool_.truth(true);
    for (std::size_t w = 0; w < old.size(); ++w) {
      success = pool_.conjunction(success, pool_.make(Op::eq, 1, old[w], stored[w]));
    }
    stored = words_.stored_words(instruction, state, instruction.operand(Role::value), place);
    const bool writes_anyway = unit_.options.readings.failed_cas_writes;
    if (writes_anyway) {
      for (std::size_t w = 0; w < old.size(); ++w) {
        stored[w] = pool_.make(Op::ite, place.width, success, stored[w], old[w]);
      }
    } else {
      unit_.decide(thread_, success, target.guard);
      write.guard = pool_.conjunction(target.guard, success);
    }
    spin_.rmw = SpinTurn::Rmw{id + 1, only ? success : pool_.truth(true), writes_anyway};
  } else {
    if (instruction.modifiers.atomic != AtomicOp::exch)
      stored = {combine(pool_, instruction, place, old.front(), stored.at(element))};
    const bool one = only && old.size() == 1 && target.scalars.size() == 1;
    const Expr same = one ? leaves_value(pool_, stored.at(element), old.front()) : pool_.truth(false);
    spin_.rmw = SpinTurn::Rmw{id + 1, pool_.negation(same), true};
  }
  write.rmw_partner = id;
  graph_.events[id].rmw_partner = accesses_.add_write(std::move(write), place, stored);
  return old;
}

}  // namespace ptxmc::lower
