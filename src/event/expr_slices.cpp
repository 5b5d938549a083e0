// SPDX-License-Identifier: Apache-2.0
// Memory that is divided finely (because some access is narrow) stores a value in pieces, and a read puts them
// together. Where all of them are of one value, it is that value again: it must not be another one, with
// another name, because of a division that nobody sees.
#include "event/expr_slices.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptxmc::event {

namespace {

/// Bits `low` to `low` + `size` of `of`, at bit `at`, and zeros elsewhere.
struct Slice {
  Expr of;
  unsigned low = 0, size = 0, at = 0;
};

class Slicer {
 public:
  explicit Slicer(const ExprPool& pool) : pool_(pool) {}

  std::optional<Slice> slice(Expr e) const {
    const Width width = pool_[e].width;
    Slice s{e, 0, width, 0};
    if (const auto shift = by_constant(e, Op::shl, width)) {
      s = {pool_[e].a, 0, width - *shift, *shift};
    }
    while (peel(s)) {
    }
    return s.size > 0 ? std::optional(s) : std::nullopt;
  }

 private:
  /// e is a shift of that kind by less than the width.
  std::optional<unsigned> by_constant(Expr e, Op op, unsigned width) const {
    const Node& node = pool_[e];
    if (node.op != op || !pool_.is_constant(node.b)) return std::nullopt;
    const auto amount = static_cast<std::uint64_t>(pool_[node.b].constant);
    return amount < width ? std::optional(static_cast<unsigned>(amount)) : std::nullopt;
  }

  /// The slice as one of an operand of what it is a slice of.
  bool peel(Slice& s) const {
    const Node& node = pool_[s.of];
    if (node.op == Op::truncate || node.op == Op::zero_extend) {
      const Width source = pool_[node.a].width;
      if (source == kUnbounded) return false;
      return keep_below(s, std::min(node.width, source), node.a);
    }
    if (const auto shift = by_constant(s.of, Op::shr_u, node.width)) {
      s.low += *shift;
      return keep_below(s, node.width, node.a);
    }
    if (node.op == Op::and_ && pool_.is_constant(node.b)) {
      const auto mask = static_cast<std::uint64_t>(pool_[node.b].constant);
      const auto ones = static_cast<unsigned>(std::countr_one(mask));
      if (ones < 64 && mask >> ones == 0) return keep_below(s, ones, node.a);
    }
    return false;
  }

  static bool keep_below(Slice& s, unsigned end, Expr operand) {
    s.size = s.low < end ? std::min(s.size, end - s.low) : 0;
    s.of = operand;
    return s.size > 0;
  }

  const ExprPool& pool_;
};

/// A slice of x is one of what x is extended to.
void widen(const ExprPool& pool, Slice& s, const Slice& other) {
  const Node& node = pool[other.of];
  if (node.op == Op::sign_extend && node.a == s.of) s.of = other.of;
}

}  // namespace

std::optional<Expr> join_slices(ExprPool& pool, Expr a, Expr b) {
  const Width width = pool[a].width;
  const Slicer slicer(pool);
  auto low = slicer.slice(a), high = slicer.slice(b);
  if (!low || !high) return std::nullopt;
  if (high->at < low->at) std::swap(low, high);
  widen(pool, *low, *high);
  const bool neighbours =
      low->of == high->of && low->at + low->size == high->at && low->low + low->size == high->low;
  const Width whole = pool[low->of].width;
  if (!neighbours || whole == kUnbounded) return std::nullopt;
  const unsigned size = low->size + high->size;
  Expr out = pool.make(Op::shr_u, whole, low->of, pool.constant(low->low, whole));
  if (whole != width) out = pool.make(whole > width ? Op::truncate : Op::zero_extend, width, out);
  if (size < std::min<unsigned>(width, whole - low->low)) {
    const Value mask = static_cast<Value>((std::uint64_t{1} << size) - 1);
    out = pool.make(Op::and_, width, out, pool.constant(mask, width));
  }
  return pool.make(Op::shl, width, out, pool.constant(low->at, width));
}

}  // namespace ptxmc::event
