// SPDX-License-Identifier: Apache-2.0
// Memory that is divided finely (because some access is narrow) stores a value in pieces, and a read puts them
// together. Where all of them are of one value, it is that value again: it must not be another one, with
// another name, because of a division that no program sees.
#include "axiomatic/event/expr_slices.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

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
    if (const auto shift = by_constant(pool_[e], Op::shl, width)) {
      s = {pool_[e].a, 0, width - *shift, *shift};
    }
    while (peel(s, pool_[s.of])) {
    }
    return s.size > 0 ? std::optional(s) : std::nullopt;
  }

  /// What `node` is, if it is a slice of an operand: possibly an empty one.
  std::optional<Slice> slice_of(const Node& node) const {
    Slice s{{}, 0, node.width, 0};
    if (!peel(s, node) && s.size > 0) return std::nullopt;
    while (s.size > 0 && peel(s, pool_[s.of])) {
    }
    return s;
  }

 private:
  /// It is a shift of that kind by less than the width.
  std::optional<unsigned> by_constant(const Node& node, Op op, unsigned width) const {
    if (node.op != op || !pool_.is_constant(node.b)) return std::nullopt;
    const auto amount = static_cast<std::uint64_t>(pool_[node.b].constant);
    return amount < width ? std::optional(static_cast<unsigned>(amount)) : std::nullopt;
  }

  /// The slice as one of an operand of what it is a slice of, which is `node`.
  bool peel(Slice& s, const Node& node) const {
    if (node.op == Op::truncate || node.op == Op::zero_extend) {
      const Width source = pool_[node.a].width;
      if (source == kUnbounded) return false;
      return keep_below(s, std::min(node.width, source), node.a);
    }
    if (const auto shift = by_constant(node, Op::shr_u, node.width)) {
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

/// An operation on what the one before it left, by a constant or to another width.
struct Step {
  Op op = Op::truncate;
  Width width = 64;
  Value by = 0;
  Expr on(ExprPool& pool, Expr e) const {
    const bool changes_width = op == Op::truncate || op == Op::zero_extend;
    return changes_width ? pool.make(op, width, e) : pool.make(op, width, e, pool.constant(by, width));
  }
  bool is(const ExprPool& pool, const Node& node) const {
    if (node.op != op || node.width != width) return false;
    if (op == Op::truncate || op == Op::zero_extend) return true;
    return pool.is_constant(node.b) && pool[node.b].constant == wrap(by, width);
  }
};

bool is_width(unsigned bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// The one way in which a slice is written, at a width. All its bits are in there.
std::vector<Step> steps_to(const ExprPool& pool, const Slice& s, Width width) {
  std::vector<Step> steps;
  Width now = pool[s.of].width;
  const unsigned rest = now - s.low;  // bits that a shift leaves
  const auto resize = [&](Width to) {
    if (to != now) steps.push_back({to < now ? Op::truncate : Op::zero_extend, to, 0});
    now = to;
  };
  if (s.low > 0) steps.push_back({Op::shr_u, now, static_cast<Value>(s.low)});
  const bool cut = s.size < rest && s.size < width;
  if (cut && is_width(s.size)) resize(static_cast<Width>(s.size));
  resize(width);
  if (cut && !is_width(s.size))
    steps.push_back({Op::and_, width, static_cast<Value>((std::uint64_t{1} << s.size) - 1)});
  return steps;
}

Expr build(ExprPool& pool, const Slice& s, Width width) {
  Expr out = s.of;
  for (const Step& step : steps_to(pool, s, width)) out = step.on(pool, out);
  return out;
}

bool is_written_so(const ExprPool& pool, const Node& node, const Slice& s) {
  const std::vector<Step> steps = steps_to(pool, s, node.width);
  if (steps.empty() || !steps.back().is(pool, node)) return false;
  Expr e = node.a;
  for (auto step = steps.rbegin() + 1; step != steps.rend(); ++step) {
    if (!step->is(pool, pool[e])) return false;
    e = pool[e].a;
  }
  return e == s.of;
}

}  // namespace

std::optional<Expr> fold_slice(ExprPool& pool, const Node& node) {
  if (node.width == kUnbounded || node.width == 1 || pool[node.a].width == kUnbounded ||
      pool[node.a].width == 1)
    return std::nullopt;
  const auto slice = Slicer(pool).slice_of(node);
  if (!slice) return std::nullopt;
  if (slice->size == 0) return pool.constant(0, node.width);
  if (is_written_so(pool, node, *slice)) return std::nullopt;
  return build(pool, *slice, node.width);
}

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
  const Expr out = build(pool, {low->of, low->low, low->size + high->size, 0}, width);
  return pool.make(Op::shl, width, out, pool.constant(low->at, width));
}

}  // namespace ptxmc::event
