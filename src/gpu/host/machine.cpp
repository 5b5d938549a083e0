// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/machine.h"

#include <algorithm>

#include "ptx/isa/compare.h"
#include "support/check.h"

namespace ptxmc::gpu {

using event::Op;
using event::Value;
using event::Width;
using Kind = HostOperand::Kind;

namespace {

std::uint64_t resized(std::uint64_t value, Width from, bool is_signed, Width to) {
  if (to > from && is_signed)
    value = static_cast<std::uint64_t>(event::as_signed(static_cast<Value>(value), from));
  return static_cast<std::uint64_t>(event::wrap(static_cast<Value>(value), to));
}

std::uint64_t apply(Op op, Width width, std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(
      event::apply(op, width, width, static_cast<Value>(a), static_cast<Value>(b)));
}

// ---- Accesses: orders must be constants, or a compiler takes the strongest --------------------------------

template <typename T>
std::uint64_t load_as(const unsigned char* place, HostOrder order) {
  const auto* p = reinterpret_cast<const T*>(place);
  switch (order) {
    case HostOrder::acquire:
      return __atomic_load_n(p, __ATOMIC_ACQUIRE);
    default:
      return __atomic_load_n(p, __ATOMIC_RELAXED);
  }
}

template <typename T>
void store_as(unsigned char* place, std::uint64_t value, HostOrder order) {
  auto* p = reinterpret_cast<T*>(place);
  switch (order) {
    case HostOrder::release:
      return __atomic_store_n(p, static_cast<T>(value), __ATOMIC_RELEASE);
    default:
      return __atomic_store_n(p, static_cast<T>(value), __ATOMIC_RELAXED);
  }
}

/// True when `expected` was there; else it becomes what was there.
template <typename T>
bool exchange_as(unsigned char* place, std::uint64_t& expected, std::uint64_t value, HostOrder order) {
  auto* p = reinterpret_cast<T*>(place);
  auto old = static_cast<T>(expected);
  const auto next = static_cast<T>(value);
  bool done = false;
  switch (order) {
    case HostOrder::relaxed:
      done = __atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      break;
    case HostOrder::acquire:
      done = __atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
      break;
    case HostOrder::release:
      done = __atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
      break;
    case HostOrder::acq_rel:
    case HostOrder::sc:
      done = __atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      break;
  }
  expected = old;
  return done;
}

template <typename F>
auto sized(Width width, F&& use) {
  switch (width) {
    case 8:
      return use(std::uint8_t{});
    case 16:
      return use(std::uint16_t{});
    case 32:
      return use(std::uint32_t{});
    default:
      return use(std::uint64_t{});
  }
}

std::uint64_t load(const unsigned char* place, Width width, HostOrder order) {
  return sized(width, [&](auto type) { return load_as<decltype(type)>(place, order); });
}

void store(unsigned char* place, Width width, std::uint64_t value, HostOrder order) {
  sized(width, [&](auto type) { store_as<decltype(type)>(place, value, order); });
}

bool exchange(unsigned char* place, Width width, std::uint64_t& expected, std::uint64_t value,
              HostOrder order) {
  return sized(width, [&](auto type) { return exchange_as<decltype(type)>(place, expected, value, order); });
}

void fence(HostOrder order) {
  switch (order) {
    case HostOrder::relaxed:
      return;
    case HostOrder::acquire:
      return __atomic_thread_fence(__ATOMIC_ACQUIRE);
    case HostOrder::release:
      return __atomic_thread_fence(__ATOMIC_RELEASE);
    case HostOrder::acq_rel:
      return __atomic_thread_fence(__ATOMIC_ACQ_REL);
    case HostOrder::sc:
      return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

}  // namespace

HostMachine::HostMachine(const HostCode& code, unsigned char* memory, std::size_t bytes, unsigned fuel)
    : code_(code), memory_(memory), bytes_(bytes), fuel_(fuel) {
  for (const HostRegister& reg : code.registers) {
    const Width width = reg.declared ? static_cast<Width>(reg.declared->bits) : Width{64};
    const auto initial = static_cast<std::uint64_t>(event::wrap(reg.initial.constant, width));
    start_.push_back({initial, width, !reg.declared || reg.declared->is_signed()});
  }
}

HostEnd HostMachine::run(const std::vector<unsigned char*>& places) {
  begin(places);
  const HostEnd end = proceed();
  PTXMC_CHECK(end != HostEnd::call, "no thread makes the call");
  return end;
}

void HostMachine::begin(const std::vector<unsigned char*>& places) {
  places_ = &places;
  registers_ = start_;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    const HostOperand& initial = code_.registers[i].initial;
    if (initial.kind == Kind::address) registers_[i].value = value(initial, registers_[i].width);
  }
  left_ = fuel_;
  at_ = 0;
}

HostEnd HostMachine::proceed() {
  for (;;) {
    const HostOperation& operation = code_.operations[at_++];
    if (operation.guard >= 0) {
      const bool holds = registers_[static_cast<std::size_t>(operation.guard)].value != 0;
      if (holds == operation.guard_negated) continue;
    }
    switch (operation.kind) {
      case HostKind::end:
        return HostEnd::done;
      case HostKind::call:
        return HostEnd::call;
      case HostKind::fence:
        fence(operation.order);
        break;
      case HostKind::load:
      case HostKind::store:
      case HostKind::atomic:
        if (!access(operation)) return HostEnd::fault;
        break;
      case HostKind::jump_compare:
        if (!holds(operation.relation, true, 64, value(operation.a, 64), value(operation.b, 64))) break;
        [[fallthrough]];
      case HostKind::jump:
        if (operation.back && --left_ == 0) return HostEnd::hung;
        at_ = operation.target;
        break;
      default:
        compute(operation);
    }
  }
}

std::uint64_t HostMachine::result(const HostResult& result) const {
  if (result.reg < 0) return 0;
  const Register& reg = registers_[static_cast<std::size_t>(result.reg)];
  return resized(reg.value, reg.width, reg.is_signed, result.bits);
}

std::uint64_t HostMachine::value(const HostOperand& operand, Width width) const {
  switch (operand.kind) {
    case Kind::reg: {
      const Register& reg = registers_[operand.number];
      return resized(reg.value, reg.width, reg.is_signed, width);
    }
    case Kind::negated:
      return registers_[operand.number].value == 0 ? 1 : 0;
    case Kind::address:
      return resized(reinterpret_cast<std::uint64_t>((*places_)[operand.number]), 64, false, width);
    case Kind::constant:
    case Kind::none:
      break;
  }
  return static_cast<std::uint64_t>(event::wrap(operand.constant, width));
}

bool HostMachine::truth(const HostOperand& operand) const {
  if (operand.kind == Kind::constant) return operand.constant != 0;
  return (registers_[operand.number].value != 0) != (operand.kind == Kind::negated);
}

void HostMachine::write(std::int32_t destination, Register value) {
  if (destination < 0) return;
  const auto number = static_cast<std::size_t>(destination);
  if (const auto& declared = code_.registers[number].declared) {
    const auto width = static_cast<Width>(declared->bits);
    value = {resized(value.value, value.width, value.is_signed, width), width, value.is_signed};
    if (declared->cls == isa::TypeClass::signed_) value.is_signed = true;
    if (declared->cls == isa::TypeClass::unsigned_) value.is_signed = false;
  }
  registers_[number] = value;
}

bool HostMachine::holds(isa::Compare relation, bool is_signed, Width width, std::uint64_t a,
                        std::uint64_t b) const {
  const bool less = is_signed ? event::as_signed(static_cast<Value>(a), width) <
                                    event::as_signed(static_cast<Value>(b), width)
                              : a < b;
  PTXMC_CHECK(relation != isa::Compare::none, "a comparison without an operator");
  return isa::holds(relation, less, a == b);
}

void HostMachine::compute(const HostOperation& operation) {
  const Width width = operation.width;
  std::uint64_t result = 0;
  switch (operation.kind) {
    case HostKind::move:
      return write(operation.destination, registers_[operation.a.number]);
    case HostKind::copy:
      result = width == 1 ? std::uint64_t{truth(operation.a)} : value(operation.a, width);
      break;
    case HostKind::apply: {
      const bool logic = width == 1;
      const std::uint64_t a = logic ? std::uint64_t{truth(operation.a)} : value(operation.a, width);
      const bool binary = operation.b.kind != Kind::none;
      const std::uint64_t b = !binary ? 0
                              : logic ? std::uint64_t{truth(operation.b)}
                                      : value(operation.b, width);
      result = apply(operation.op, width, a, b);
      break;
    }
    case HostKind::product:
      return product(operation);
    case HostKind::shift: {
      std::uint64_t amount = value(operation.b, 32);
      if (amount > width) amount = width;
      result = apply(operation.op, width, value(operation.a, width), amount);
      break;
    }
    case HostKind::compare:
      return compare(operation);
    case HostKind::select:
      result = value(truth(operation.c) ? operation.a : operation.b, width);
      break;
    case HostKind::convert:
      result = resized(value(operation.a, width), width, operation.is_signed, operation.result_width);
      break;
    default:
      PTXMC_CHECK(false, "not a computation");
  }
  write(operation.destination, {result, operation.result_width, operation.result_signed});
}

void HostMachine::product(const HostOperation& operation) {
  const Width from = operation.width, to = operation.result_width;
  const std::uint64_t a = resized(value(operation.a, from), from, operation.is_signed, to);
  const std::uint64_t b = resized(value(operation.b, from), from, operation.is_signed, to);
  std::uint64_t result = apply(operation.op, to, a, b);
  if (operation.c.kind != Kind::none) result = apply(Op::add, to, result, value(operation.c, to));
  write(operation.destination, {result, to, operation.result_signed});
}

void HostMachine::compare(const HostOperation& operation) {
  const bool holds_here = holds(operation.relation, operation.is_signed, operation.width,
                                value(operation.a, operation.width), value(operation.b, operation.width));
  std::uint64_t first = holds_here ? 1 : 0, second = 1 - first;
  if (operation.combine != isa::BoolOp::none) {
    const Op op = operation.combine == isa::BoolOp::and_  ? Op::and_
                  : operation.combine == isa::BoolOp::or_ ? Op::or_
                                                          : Op::xor_;
    const std::uint64_t c = truth(operation.c) ? 1 : 0;
    first = apply(op, 1, first, c);
    second = apply(op, 1, second, c);
  }
  write(operation.destination, {first, 1, false});
  write(operation.second, {second, 1, false});
}

/// False: the address is none of the memory's.
bool HostMachine::access(const HostOperation& operation) {
  const std::size_t count =
      std::max({operation.destinations.size(), operation.sources.size(), std::size_t{1}});
  const std::uint64_t bytes = operation.width / 8U, total = bytes * count;
  const std::uint64_t at = value(operation.address, 64) + static_cast<std::uint64_t>(operation.offset);
  const std::uint64_t from = at - reinterpret_cast<std::uint64_t>(memory_);
  if (from >= bytes_ || total > bytes_ - from || at % bytes != 0) return false;
  unsigned char* place = memory_ + from;
  if (operation.kind == HostKind::atomic) {
    atomic(operation, place);
    return true;
  }
  for (std::size_t i = 0; i < count; ++i, place += bytes) {
    if (operation.kind == HostKind::load) {
      const std::int32_t to =
          operation.destinations.empty() ? operation.destination : operation.destinations[i];
      write(to, {load(place, operation.width, operation.order), operation.width, operation.is_signed});
    } else {
      const HostOperand& source = operation.sources.empty() ? operation.a : operation.sources[i];
      store(place, operation.width, value(source, operation.width), operation.order);
    }
  }
  return true;
}

void HostMachine::atomic(const HostOperation& operation, unsigned char* place) {
  const Width width = operation.width;
  const std::uint64_t a = value(operation.a, width);
  std::uint64_t old = a;
  if (operation.atomic == isa::AtomicOp::cas) {
    exchange(place, width, old, value(operation.b, width), operation.order);
  } else {
    old = load(place, width, HostOrder::relaxed);
    while (!exchange(place, width, old, combined(operation, old, a), operation.order)) {
    }
  }
  write(operation.destination, {old, width, operation.is_signed});
}

std::uint64_t HostMachine::combined(const HostOperation& operation, std::uint64_t old,
                                    std::uint64_t operand) const {
  const Width w = operation.width;
  const bool is_signed = operation.is_signed;
  switch (operation.atomic) {
    case isa::AtomicOp::exch:
      return operand;
    case isa::AtomicOp::add:
      return apply(Op::add, w, old, operand);
    case isa::AtomicOp::sub:
      return apply(Op::sub, w, old, operand);
    case isa::AtomicOp::mul:
      return apply(Op::mul, w, old, operand);
    case isa::AtomicOp::div:
      return apply(is_signed ? Op::div_s : Op::div_u, w, old, operand);
    case isa::AtomicOp::and_:
      return old & operand;
    case isa::AtomicOp::or_:
      return old | operand;
    case isa::AtomicOp::xor_:
      return old ^ operand;
    case isa::AtomicOp::min:
      return apply(is_signed ? Op::min_s : Op::min_u, w, old, operand);
    case isa::AtomicOp::max:
      return apply(is_signed ? Op::max_s : Op::max_u, w, old, operand);
    case isa::AtomicOp::inc:
      return old >= operand ? 0 : old + 1;
    case isa::AtomicOp::dec:
      return old == 0 || old > operand ? operand : old - 1;
    case isa::AtomicOp::cas:
    case isa::AtomicOp::none:
      break;
  }
  PTXMC_CHECK(false, "an atomic without an operation");
  return old;
}

}  // namespace ptxmc::gpu
