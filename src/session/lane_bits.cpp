// SPDX-License-Identifier: Apache-2.0
#include "session/lane_bits.h"

#include <algorithm>
#include <bit>

namespace ptxmc::session {

namespace {

using event::Op;
using exec::kLanes;
using isa::Opcode;

constexpr event::Width kCount = 8, kWord = 32, kRegister = 64;

}  // namespace

LaneBits::Bits LaneBits::none() const {
  Bits out;
  out.fill(pool_.truth(false));
  return out;
}

event::Expr LaneBits::word(const Bits& bits) {
  Expr out = pool_.constant(0, kWord);
  for (unsigned i = 0; i < kLanes; ++i) {
    const Expr bit = pool_.make(Op::ite, kWord, bits[i], pool_.constant(event::Value{1} << i, kWord),
                                pool_.constant(0, kWord));
    out = pool_.make(Op::or_, kWord, out, bit);
  }
  out = pool_.make(Op::zero_extend, kRegister, out);
  if (!pool_.is_constant(out)) bits_.try_emplace(out, bits);
  return out;
}

event::Expr LaneBits::one_of(const Cases& cases) {
  Expr out = pool_.constant(cases.back().number, kWord);
  for (auto one = cases.rbegin() + 1; one != cases.rend(); ++one)
    out = pool_.make(Op::ite, kWord, one->holds, pool_.constant(one->number, kWord), out);
  out = pool_.make(Op::zero_extend, kRegister, out);
  if (!pool_.is_constant(out)) cases_.try_emplace(out, cases);
  return out;
}

std::optional<std::uint32_t> LaneBits::number_of(Expr word) const {
  if (!pool_.is_constant(word)) return std::nullopt;
  return static_cast<std::uint32_t>(pool_[word].constant);
}

std::optional<LaneBits::Bits> LaneBits::bits_of(Expr word) const {
  if (const auto known = bits_.find(word); known != bits_.end()) return known->second;
  const std::optional<std::uint32_t> number = number_of(word);
  if (!number) return std::nullopt;
  Bits out;
  for (unsigned i = 0; i < kLanes; ++i) out[i] = pool_.truth((*number >> i & 1U) != 0);
  return out;
}

event::Expr LaneBits::voted(isa::WarpMode mode, exec::LaneMask lanes, const Bits& truths) {
  if (mode == isa::WarpMode::ballot) {
    Bits of_lanes = none();
    exec::for_lanes(lanes, [&](unsigned lane) { of_lanes[lane] = truths[lane]; });
    return word(of_lanes);
  }
  Expr all = pool_.truth(true), any = pool_.truth(false);
  exec::for_lanes(lanes, [&](unsigned lane) {
    all = pool_.conjunction(all, truths[lane]);
    any = pool_.disjunction(any, truths[lane]);
  });
  const Expr uniform = pool_.disjunction(all, pool_.negation(any));
  const Expr out = mode == isa::WarpMode::all ? all : mode == isa::WarpMode::any ? any : uniform;
  return pool_.make(Op::zero_extend, kRegister, out);
}

std::optional<event::Expr> LaneBits::equal(Expr a, Expr b) {
  if (pool_.is_constant(a)) std::swap(a, b);
  if (const auto known = counts_.find(a); known != counts_.end()) {
    const Bits bits = known->second;  // none of them
    return number_of(b) == 0U ? equal(word(bits), pool_.constant(0, kRegister)) : std::nullopt;
  }
  if (!is_known(a)) std::swap(a, b);
  if (!is_known(a)) return std::nullopt;
  if (const auto known = cases_.find(a); known != cases_.end()) {
    const std::optional<std::uint32_t> number = number_of(b);
    if (!number) return std::nullopt;
    Expr out = pool_.truth(false);
    for (const Case& one : known->second) {
      if (one.number == *number) out = pool_.disjunction(out, one.holds);
    }
    return out;
  }
  const std::optional<Bits> first = bits_of(a), second = bits_of(b);
  if (!first || !second) return std::nullopt;
  Expr out = pool_.truth(true);
  for (unsigned i = 0; i < kLanes; ++i) {
    const Expr x = (*first)[i], y = (*second)[i];
    const Expr same = pool_.is_true(y)    ? x
                      : pool_.is_false(y) ? pool_.negation(x)
                                          : pool_.negation(pool_.make(Op::xor_, 1, x, y));
    out = pool_.conjunction(out, same);
  }
  return out;
}

/// Both are words of one width; what they say of each bit.
std::optional<event::Expr> LaneBits::combined(Opcode opcode, const Bits& a, const Bits& b) {
  Bits out;
  for (unsigned i = 0; i < kLanes; ++i) {
    switch (opcode) {
      case Opcode::and_:
        out[i] = pool_.conjunction(a[i], b[i]);
        break;
      case Opcode::or_:
        out[i] = pool_.disjunction(a[i], b[i]);
        break;
      case Opcode::xor_:
        out[i] = pool_.make(Op::xor_, 1, a[i], b[i]);
        break;
      default:
        return std::nullopt;
    }
  }
  return word(out);
}

/// A shift by a number, of zeros; a sum of one of several numbers and another one, or a difference.
std::optional<event::Expr> LaneBits::moved(Opcode opcode, Expr word, Expr by) {
  const bool is_shift = opcode == Opcode::shl || opcode == Opcode::shr;
  if (is_shift) {
    const std::optional<std::uint32_t> amount = number_of(by);
    const auto known = bits_.find(word);
    if (!amount || known == bits_.end()) return std::nullopt;
    const Bits from = known->second;
    Bits out = none();
    for (unsigned i = *amount; i < kLanes; ++i) {
      const unsigned there = i - *amount;
      opcode == Opcode::shl ? out[i] = from[there] : out[there] = from[i];
    }
    return this->word(out);
  }
  const bool swapped = !cases_.contains(word);
  const auto known = cases_.find(swapped ? by : word);
  const std::optional<std::uint32_t> number = number_of(swapped ? word : by);
  if (known == cases_.end() || !number) return std::nullopt;
  Cases out = known->second;
  for (Case& one : out) {
    if (opcode == Opcode::add) {
      one.number += *number;
    } else {
      one.number = swapped ? *number - one.number : one.number - *number;
    }
  }
  return one_of(out);
}

event::Expr LaneBits::counted(const Bits& bits) {
  Expr out = pool_.constant(0, kCount);
  for (const Expr bit : bits)
    out = pool_.make(Op::add, kCount, out, pool_.make(Op::zero_extend, kCount, bit));
  out = pool_.make(Op::zero_extend, kRegister, out);
  if (!pool_.is_constant(out)) counts_.try_emplace(out, bits);
  return out;
}

/// The place of the highest bit that is set, counted from the lowest one, or from above.
event::Expr LaneBits::highest(const Bits& bits, std::uint32_t none, bool from_above) {
  Cases out;
  Expr above = pool_.truth(true);  // none of those above is set
  for (unsigned i = kLanes; i-- > 0;) {
    out.push_back({pool_.conjunction(above, bits[i]), from_above ? kLanes - 1 - i : i});
    above = pool_.conjunction(above, pool_.negation(bits[i]));
  }
  out.push_back({above, none});
  return one_of(out);
}

std::optional<event::Expr> LaneBits::looked_at(Opcode opcode, const isa::Modifiers& m, const Bits& bits) {
  switch (opcode) {
    case Opcode::not_: {
      Bits out;
      std::transform(bits.begin(), bits.end(), out.begin(), [&](Expr bit) { return pool_.negation(bit); });
      return word(out);
    }
    case Opcode::brev: {
      Bits out;
      std::reverse_copy(bits.begin(), bits.end(), out.begin());
      return word(out);
    }
    case Opcode::popc:
      return counted(bits);
    case Opcode::clz:
      return highest(bits, kLanes, true);
    case Opcode::bfind:  // of a signed one it is the highest bit that is not as the sign
      if (m.type->is_signed()) return std::nullopt;
      return highest(bits, ~std::uint32_t{0}, m.variants.has(isa::Variant::shiftamt));
    default:
      return std::nullopt;
  }
}

std::optional<event::Expr> LaneBits::applied(Opcode opcode, const isa::Modifiers& m,
                                             std::span<const Expr> operands) {
  if (!m.type || m.type->bits != kWord ||
      std::none_of(operands.begin(), operands.end(), [&](Expr one) { return is_known(one); }))
    return std::nullopt;
  if (operands.size() == 1) {
    const std::optional<Bits> bits = bits_of(operands[0]);
    return bits ? looked_at(opcode, m, *bits) : std::nullopt;
  }
  if (operands.size() != 2) return std::nullopt;
  switch (opcode) {
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_: {
      const std::optional<Bits> a = bits_of(operands[0]), b = bits_of(operands[1]);
      return a && b ? combined(opcode, *a, *b) : std::nullopt;
    }
    case Opcode::shr:
      if (m.type->is_signed()) return std::nullopt;
      return moved(opcode, operands[0], operands[1]);
    case Opcode::shl:
    case Opcode::add:
    case Opcode::sub:
      return moved(opcode, operands[0], operands[1]);
    default:
      return std::nullopt;
  }
}

}  // namespace ptxmc::session
