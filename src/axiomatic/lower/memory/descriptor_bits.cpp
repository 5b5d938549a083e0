// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/descriptor_bits.h"

#include <array>

#include "axiomatic/lower/memory/places.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::ExprPool;
using event::Node;
using event::Op;

constexpr int kDepth = 64;            // operations that make one descriptor
constexpr std::uint32_t kField = 14;  // bits of the start address
constexpr std::uint32_t kUnits = 4;   // bits that it leaves out: it counts 16 bytes

// A bit is zero, one, or (from 0 on) that bit of the address.
using Bit = std::int8_t;
constexpr Bit kZero = -1, kOne = -2;
using Bits = std::array<Bit, 64>;

class Reader {
 public:
  Reader(const ExprPool& pool, const VariablePlaces& places) : pool_(pool), places_(places) {}

  std::optional<Bits> of(Expr e, int depth = 0) {
    const Node& node = pool_[e];
    if (depth > kDepth || node.width == event::kUnbounded) return std::nullopt;
    if (pool_.is_constant(e)) return constant(static_cast<std::uint64_t>(node.constant));
    if (places_.is_fixed(pool_, e)) return address(e);
    const auto a = of(node.a, depth + 1);
    if (!a) return std::nullopt;
    if (node.op == Op::zero_extend) return a;
    if (node.op == Op::truncate) return masked(*a, ~std::uint64_t{0} >> (64 - node.width));
    if (event::arity(node.op) != 2 || !pool_.is_constant(node.b))
      return node.op == Op::or_ ? either(*a, of(node.b, depth + 1)) : std::nullopt;
    const auto by = static_cast<std::uint64_t>(pool_[node.b].constant);
    switch (node.op) {
      case Op::and_:
        return masked(*a, by);
      case Op::or_:
        return either(*a, constant(by));
      case Op::shl:
        return masked(shifted(*a, static_cast<std::int64_t>(by)), ~std::uint64_t{0} >> (64 - node.width));
      case Op::shr_u:
        return shifted(*a, -static_cast<std::int64_t>(by));
      case Op::add:
        return advanced(*a, by);
      default:
        return std::nullopt;
    }
  }

  const std::optional<Location>& start() const { return start_; }

 private:
  static Bits constant(std::uint64_t value) {
    Bits out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (value >> i & 1) != 0 ? kOne : kZero;
    return out;
  }

  /// One address in one descriptor.
  std::optional<Bits> address(Expr e) {
    const auto location = places_.locate(pool_, e);
    if (!location || start_) return std::nullopt;
    start_ = location;
    Bits out = constant(0);
    for (std::size_t i = 0; i < pool_[e].width; ++i) out[i] = static_cast<Bit>(i);
    return out;
  }

  static Bits masked(Bits bits, std::uint64_t mask) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if ((mask >> i & 1) == 0) bits[i] = kZero;
    }
    return bits;
  }

  static Bits shifted(const Bits& bits, std::int64_t left) {
    Bits out = constant(0);
    for (std::int64_t i = 0; i < 64; ++i) {
      if (i - left >= 0 && i - left < 64 && left > -64 && left < 64)
        out[static_cast<std::size_t>(i)] = bits[static_cast<std::size_t>(i - left)];
    }
    return out;
  }

  static std::optional<Bits> either(const Bits& a, const std::optional<Bits>& b) {
    if (!b) return std::nullopt;
    Bits out = a;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (a[i] == kZero || a[i] == (*b)[i]) {
        out[i] = (*b)[i];
      } else if (a[i] != kOne && (*b)[i] != kZero) {
        if ((*b)[i] != kOne) return std::nullopt;
        out[i] = kOne;
      }
    }
    return out;
  }

  /// A descriptor's start address moves on: within a variable no bit is carried out of it, as shared memory ends
  /// below 2^18.
  std::optional<Bits> advanced(const Bits& bits, std::uint64_t units) {
    if (!start_ || units >> kField != 0 || !is_start(bits)) return std::nullopt;
    start_->offset += static_cast<std::int64_t>(units) << kUnits;
    return bits;
  }

 public:
  static bool is_start(const Bits& bits) {
    for (std::uint32_t i = 0; i < kField; ++i) {
      if (bits[i] != static_cast<Bit>(i + kUnits)) return false;
    }
    return true;
  }

 private:
  const ExprPool& pool_;
  const VariablePlaces& places_;
  std::optional<Location> start_;
};

}  // namespace

std::optional<DescriptorBits> descriptor_bits(const ExprPool& pool, const VariablePlaces& places, Expr e) {
  Reader reader(pool, places);
  const auto bits = reader.of(e);
  if (!bits || !reader.start() || !Reader::is_start(*bits)) return std::nullopt;
  DescriptorBits out{*reader.start(), 0};
  std::uint64_t rest = 0;
  for (std::size_t i = kField; i < bits->size(); ++i) {
    if ((*bits)[i] >= 0) return std::nullopt;
    if ((*bits)[i] == kOne) rest |= std::uint64_t{1} << i;
  }
  out.start.offset -= out.start.offset % (std::int64_t{1} << kUnits);
  out.rest = static_cast<std::int64_t>(rest);
  return out;
}

}  // namespace ptxmc::lower
