// SPDX-License-Identifier: Apache-2.0
// atom and red (9.7.12.5, 9.7.12.6).
#include "dynamic/exec/atomics.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"

namespace ptxmc::exec {

namespace {

using isa::Role;
using trace::Effect;

/// What each lane would have written, had it read something else.
std::optional<trace::Rewrites> rewrites_of(Warp& warp, const Step& step) {
  const Slot value = step.slot(Role::value), comparand = step.slot(Role::comparand);
  const bool several = step.element_count != 1 || step.modifiers().packed != isa::Packed::none;
  if (several || value == kNoSlot) return std::nullopt;
  const Slot second = comparand == kNoSlot ? value : comparand;
  return trace::Rewrites{{combined, &step.modifiers()},
                         warp.row(value),
                         warp.row(second),
                         warp.taint(value).open() | warp.taint(second).open()};
}

/// Is a swap of these one that writes?
bool equal_for(const isa::Modifiers& m, std::uint64_t old, std::uint64_t comparand) {
  constexpr std::uint16_t kWidest = 64;
  const auto width = static_cast<integer::Width>(m.type ? m.type->bits : kWidest);
  return old == integer::wrap(comparand, width);
}

}  // namespace

std::optional<std::uint64_t> combined(const isa::Modifiers& m, std::uint64_t old, std::uint64_t value,
                                      std::uint64_t comparand) {
  const isa::Type type = m.type.value_or(isa::Type{isa::TypeClass::signed_, 64});
  const auto width = static_cast<integer::Width>(type.bits);
  old = integer::wrap(old, width);
  value = integer::wrap(value, width);
  if (m.atomic == isa::AtomicOp::exch) return value;
  if (m.atomic == isa::AtomicOp::cas) return old == integer::wrap(comparand, width) ? value : old;
  if (m.packed != isa::Packed::none) return std::nullopt;  // two floating numbers, of type .b32
  if (type.is_floating()) {
    if (m.atomic != isa::AtomicOp::add || type.bits != 32 || type.format != isa::Float::f32)
      return std::nullopt;
    const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(old)),
               b = std::bit_cast<float>(static_cast<std::uint32_t>(value)), sum = a + b;
    // Global memory flushes subnormal numbers to zero, shared memory does not (9.7.12.5); which NaN it is, is not said.
    for (const float one : {a, b, sum}) {
      if (std::isnan(one) || std::fpclassify(one) == FP_SUBNORMAL) return std::nullopt;
    }
    return std::bit_cast<std::uint32_t>(sum);
  }
  const bool is_signed = type.is_signed();
  switch (m.atomic) {
    case isa::AtomicOp::add:
      return integer::add(width, old, value);
    case isa::AtomicOp::sub:
      return integer::sub(width, old, value);
    case isa::AtomicOp::mul:
      return integer::mul(width, old, value);
    case isa::AtomicOp::and_:
      return old & value;
    case isa::AtomicOp::or_:
      return old | value;
    case isa::AtomicOp::xor_:
      return old ^ value;
    case isa::AtomicOp::inc:
      return old >= value ? 0 : old + 1;
    case isa::AtomicOp::dec:
      return old == 0 || old > value ? value : old - 1;
    case isa::AtomicOp::min:
      return is_signed ? integer::min_s(width, old, value) : std::min(old, value);
    case isa::AtomicOp::max:
      return is_signed ? integer::max_s(width, old, value) : std::max(old, value);
    default:
      return std::nullopt;
  }
}

void Atomics::atomic(Warp& warp, const Step& step, LaneMask mask) {
  constexpr std::uint16_t kWide = 128;
  if (step.modifiers().type && step.modifiers().type->bits == kWide) return wide_atomic(warp, step, mask);
  Row at;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, mask, step.bytes(), at);
  mask = reached.lanes;
  if (mask == 0) return;
  const LaneMask taken = machine_.polls.finds_taken(warp, step, mask, at, reached);
  mask = machine_.contention.take_turns(warp, step, mask & ~taken, at);
  if (warp.active != 0) machine_.polls.find_taken(warp, step, taken, at, reached);
  if (mask == 0) return;
  if (step.takes != nullptr) {
    warp.waiting &= ~mask;
    Polls::end_turns(warp, step.left_behind, mask);
  }
  const Updated done = update(warp, step, mask, at, reached);
  const std::span<const std::uint64_t> written{written_.data(), std::size_t{kLanes} * step.element_count};
  std::optional<trace::Polling> polls;
  if (step.polls != nullptr) polls = Polls::polling(warp, step, mask);
  const std::optional<trace::Rewrites> rewrites = rewrites_of(warp, step);
  if (done.failed != 0 && !polls && rewrites) {
    observe_swaps(warp, step, mask, at, done, written_, &*rewrites);
  } else {
    machine_.accesses.observe(warp, step, mask, at, Effect::update,
                              done.evaluated ? written : std::span<const std::uint64_t>{}, done.tainted,
                              polls ? &*polls : nullptr, rewrites ? &*rewrites : nullptr);
  }
  if (polls) {
    machine_.polls.poll(warp, step, mask, at, Effect::update, polls->left);
  } else {
    machine_.polls.compare_with_awaited(warp, step, mask, at);
  }
}

/// An exchange moves addresses; of what another atomic makes of them nothing is known.
Atomics::Forms Atomics::swapped_forms(Warp& warp, const Step& step, unsigned lane, const Stored& of,
                                      Address at, Slot value) {
  const isa::Modifiers& m = step.modifiers();
  const bool swaps = m.atomic == isa::AtomicOp::cas;
  const Slot with = swaps ? step.slot(Role::comparand) : value;
  Forms out;
  if ((of.span.all(of.offset, of.bytes) & kAddress) != 0)
    out.before = machine_.forms.load_form(of.span, at, of.offset, of.bytes);
  const Form now = AddressForms::form_of(warp, value, lane),
             compared = AddressForms::form_of(warp, with, lane);
  if (out.before == Places::kNumber && now == Places::kNumber && compared == Places::kNumber) return out;
  const std::uint64_t old = Memory::load(of.span.data + of.offset, of.bytes);
  const unsigned bits = of.bytes * 8;
  out.now = now;
  if (swaps) {
    const Formed first{out.before, old, bits}, second{compared, warp.row(with)[lane], bits};
    out.lost = !run_.places->compares(first, second, true);
    if (!equal_for(m, old, second.value)) out.now = out.before;
  }
  out.lost = out.lost || (!swaps && m.atomic != isa::AtomicOp::exch) || out.before == Places::kLost;
  return out;
}

std::uint8_t commuting(const isa::Modifiers& m) {
  if (!m.type || m.type->is_floating() || m.packed != isa::Packed::none) return 0;
  const auto number = static_cast<unsigned>(m.atomic) * 2 + 1;
  switch (m.atomic) {
    case isa::AtomicOp::add:
    case isa::AtomicOp::and_:
    case isa::AtomicOp::or_:
    case isa::AtomicOp::xor_:
      return static_cast<std::uint8_t>(number);
    case isa::AtomicOp::min:
    case isa::AtomicOp::max:
      return static_cast<std::uint8_t>(number + (m.type->is_signed() ? 1 : 0));
    default:
      return 0;
  }
}

/// Lane by lane, in their order.
Atomics::Updated Atomics::update(Warp& warp, const Step& step, LaneMask mask, const Row& at,
                                 const ReachedBytes& reached) {
  const isa::Modifiers& m = step.modifiers();
  const std::uint32_t bytes = step.element_bytes, total = bytes * step.element_count;
  Updated out;
  for_lanes(mask, [&](unsigned lane) {
    const Memory::Span span = machine_.accesses.span_of(reached, at[lane], total);
    for (std::size_t e = 0; e < step.element_count; ++e) {
      const std::uint64_t offset = e * bytes, old = Memory::load(span.data + offset, bytes);
      const bool vector = step.element_count > 1;
      const Slot value_slot = vector ? step.values.at(e) : step.slot(Role::value);
      const std::uint64_t comparand =
          step.has(Role::comparand) ? value_of(warp, step, Role::comparand, lane) : 0;
      const auto result = combined(m, old, warp.row(value_slot)[lane], comparand);
      Sources sources = static_cast<Sources>(span.sources(offset, bytes) | warp.taint(value_slot).of(lane));
      if (m.atomic == isa::AtomicOp::cas) {
        sources = static_cast<Sources>(sources | warp.taint(step.slot(Role::comparand)).of(lane));
        const Sources compared = static_cast<Sources>(span.sources(offset, bytes) |
                                                      warp.taint(step.slot(Role::comparand)).of(lane));
        if ((sources & bit(Source::block)) != 0) machine_.blocks.refuse(step);  // whether it writes
        if (!equal_for(m, old, comparand)) {
          out.failed |= LaneMask{1} << lane;
          if (open(compared) != 0) out.open |= LaneMask{1} << lane;
        }
        if (step.polls == nullptr && machine_.contention.follows(at[lane]))
          machine_.contention.compare(lane, sources, out.failed);
      }
      const Forms forms =
          swapped_forms(warp, step, lane, {span, offset, bytes}, at[lane] + offset, value_slot);
      if (forms.lost) sources |= bit(Source::place);
      out.evaluated = out.evaluated && result;
      if (!result) sources |= bit(Source::data);
      if (result && *result != old) ++run_.changes;
      Memory::store(span.data + offset, bytes, result.value_or(0));
      span.set_sources(offset, bytes, sources);
      if (!forms.lost) machine_.forms.store_form(span, at[lane] + offset, offset, bytes, forms.now);
      if (open(sources) != 0) out.tainted |= LaneMask{1} << lane;
      written_[std::size_t{lane} * step.element_count + e] = result.value_or(0);
      const Slot to = vector ? (step.results.empty() ? kNoSlot : step.results.at(e)) : step.to;
      if (to == kNoSlot) continue;
      set_register(warp, step, to, lane, old);
      const bool has_turn = step.polls == nullptr && machine_.contention.follows(at[lane]);
      if (step.counts)
        machine_.contention.count(warp, step, lane, old, has_turn ? sources : bit(Source::timing));
      const Source order = !vector && m.packed == isa::Packed::none && step.polls == nullptr &&
                                   machine_.contention.follows(at[lane])
                               ? Source::turns
                               : Source::timing;
      const bool one_value = machine_.contention.takes_one_value(step, LaneMask{1} << lane, at) != 0;
      warp.taint(to).set(lane, one_value ? sources : static_cast<Sources>(sources | bit(order)));
      if (!forms.lost) AddressForms::set_form(warp, to, lane, forms.before);
    }
  });
  return out;
}

/// Swaps that fail are reads (8.4, D19), between those that do not.
void Atomics::observe_swaps(Warp& warp, const Step& step, LaneMask mask, const Row& at, const Updated& done,
                            std::span<const std::uint64_t> written, const trace::Rewrites* rewrites) {
  for (LaneMask rest = mask; rest != 0;) {
    const LaneMask first = rest & (~rest + 1);
    const bool fails = (done.failed & first) != 0, open = (done.open & first) != 0;
    const LaneMask others = rest & ((fails ? ~done.failed : done.failed) | (open ? ~done.open : done.open));
    const LaneMask next = others & (~others + 1);  // 0: all of the rest are alike
    const LaneMask alike = next == 0 ? rest : rest & (next - 1);
    rest &= ~alike;
    if (fails) {
      machine_.accesses.observe(warp, step, alike, at, Effect::read, {}, done.open & alike);
    } else {
      machine_.accesses.observe(warp, step, alike, at, Effect::update, written, done.tainted & alike, nullptr,
                                rewrites);
    }
  }
}

/// exch and cas of 128 bits: a value is two slots.
void Atomics::wide_atomic(Warp& warp, const Step& step, LaneMask mask) {
  constexpr std::uint32_t kBytes = 16, kHalf = 8;
  Row at;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, mask, kBytes, at);
  mask = reached.lanes;
  if (mask == 0) return;
  const bool swaps = step.modifiers().atomic == isa::AtomicOp::cas;
  // The upper half of a number is its sign.
  const auto part = [&](Role role, unsigned half, unsigned lane) {
    const Slot slot = step.slot(role);
    const auto& operand = step.instruction->operand(role).value;
    if (half == 0 || std::holds_alternative<program::Register>(operand))
      return warp.row(static_cast<Slot>(slot + half))[lane];
    return static_cast<std::int64_t>(warp.row(slot)[lane]) < 0 ? ~std::uint64_t{0} : 0;
  };
  Updated done;
  for_lanes(mask, [&](unsigned lane) {
    const LaneMask one = LaneMask{1} << lane;
    const Memory::Span span = machine_.accesses.span_of(reached, at[lane], kBytes);
    const std::array<std::uint64_t, 2> old = {Memory::load(span.data, kHalf),
                                              Memory::load(span.data + kHalf, kHalf)};
    Sources compared = span.sources(0, kBytes);
    if (swaps) compared = static_cast<Sources>(compared | warp.taint(step.slot(Role::comparand)).of(lane));
    const auto sources = static_cast<Sources>(compared | warp.taint(step.slot(Role::value)).of(lane));
    if (swaps && (sources & bit(Source::block)) != 0) machine_.blocks.refuse(step);
    const bool writes =
        !swaps || (old[0] == part(Role::comparand, 0, lane) && old[1] == part(Role::comparand, 1, lane));
    for (unsigned half = 0; writes && half < 2; ++half) {
      const std::uint64_t value = part(Role::value, half, lane);
      if (value != old.at(half)) ++run_.changes;
      Memory::store(span.data + std::size_t{half} * kHalf, kHalf, value);
    }
    span.set_sources(0, kBytes, sources);
    if (sources != 0) done.tainted |= one;
    if (!writes) done.failed |= one;
    if (!writes && open(compared) != 0) done.open |= one;
    for (unsigned half = 0; step.to != kNoSlot && half < 2; ++half) {
      const auto slot = static_cast<Slot>(step.to + half);
      warp.row(slot)[lane] = old.at(half);
      warp.taint(slot).set(lane, static_cast<Sources>(sources | bit(Source::timing)));
    }
  });
  observe_swaps(warp, step, mask, at, done, {}, nullptr);
}

}  // namespace ptxmc::exec
