// SPDX-License-Identifier: Apache-2.0
// Expressions are interpreted on 128-bit integers: operands are read as unsigned or signed numbers of their
// width, the exact result is computed, and cut to the width of the node. That is slow and obvious, and
// independent of the folding and evaluation that the engines use.
#include "axiomatic/recheck/naive_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace ptxmc::check {

using event::Node;
using event::Op;
using event::Value;
using event::Width;

namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Natural;

Wide power_of_two(int exponent) {
  return static_cast<Wide>(1) << exponent;
}

// The number that a stored pattern means, unsigned; an unbounded value is the number itself.
Wide as_unsigned(Value pattern, Width width) {
  if (width == event::kUnbounded) return pattern;
  return static_cast<Wide>(static_cast<std::uint64_t>(pattern)) & (power_of_two(width) - 1);
}

Wide as_signed(Value pattern, Width width) {
  const Wide number = as_unsigned(pattern, width);
  if (width == event::kUnbounded) return number;
  return number >= power_of_two(width - 1) ? number - power_of_two(width) : number;
}

[[noreturn]] void overflow() {
  throw event::Overflow("an unbounded integer leaves the 64 bits that hold it");
}

// The stored pattern of a number: its residue modulo 2^width, zero-extended.
Value to_pattern(Wide number, Width width) {
  if (width == event::kUnbounded) {
    if (number < -power_of_two(63) || number >= power_of_two(63)) {
      overflow();
    }
    return static_cast<Value>(number);
  }
  return static_cast<Value>(static_cast<std::uint64_t>(number & (power_of_two(width) - 1)));
}

Wide floor_shift(Wide number, Wide amount) {
  return amount >= 127 ? (number < 0 ? -1 : 0) : number >> static_cast<int>(amount);
}

// PTX clamps shift amounts to the width (9.7.7.8, 9.7.7.9); without a width there is no amount to clamp to.
Wide shift_left(Wide number, Wide amount, Width width) {
  if (number == 0) return 0;
  if (width == event::kUnbounded && (amount < 0 || amount > 63)) overflow();
  // Multiplication, because the left operand may be negative when unbounded; 64 + 63 bits fit.
  return amount >= 64 ? 0 : number * power_of_two(static_cast<int>(amount));
}

// A negative amount (unbounded integers only) shifts everything out, as a large one does.
Wide shift_right(Wide number, Wide amount) {
  return floor_shift(number, amount < 0 ? 127 : amount);
}

// What an unsigned operation reads: of an unbounded integer, its residue modulo 2^64.
Wide natural(Wide number) {
  return number & (power_of_two(64) - 1);
}

// Division by zero: the quotient is all ones, the remainder the dividend.
Wide quotient(Wide a, Wide b) {
  return b == 0 ? -1 : a / b;
}
Wide remainder(Wide a, Wide b) {
  return b == 0 ? a : a % b;
}

// Its unbounded result is a pattern of 64 bits, which is read as a signed number.
bool is_unsigned(Op op) {
  switch (op) {
    case Op::mulhi_u:
    case Op::div_u:
    case Op::rem_u:
    case Op::min_u:
    case Op::max_u:
    case Op::shr_u:
    case Op::zero_extend:
      return true;
    default:
      return false;
  }
}

// The exact result of a strict operation; `w` is the width of the operands.
Wide exact(const Node& node, Width w, Value pa, Value pb) {  // NOLINT(readability-function-size): a dispatch
  const Wide ua = as_unsigned(pa, w), ub = as_unsigned(pb, w);  // bit patterns
  const Wide sa = as_signed(pa, w), sb = as_signed(pb, w);
  const int half = w == event::kUnbounded ? 64 : w;
  switch (node.op) {
    case Op::add:
      return ua + ub;
    case Op::sub:
      return ua - ub;
    case Op::mul:
      return sa * sb;
    case Op::mulhi_s:
      return floor_shift(sa * sb, half);
    case Op::mulhi_u:
      return static_cast<Wide>(static_cast<Natural>(natural(ua)) * static_cast<Natural>(natural(ub)) >> half);
    case Op::div_s:
      return quotient(sa, sb);
    case Op::div_u:
      return quotient(natural(ua), natural(ub));
    case Op::rem_s:
      return remainder(sa, sb);
    case Op::rem_u:
      return remainder(natural(ua), natural(ub));
    case Op::min_s:
      return std::min(sa, sb);
    case Op::min_u:
      return std::min(natural(ua), natural(ub));
    case Op::max_s:
      return std::max(sa, sb);
    case Op::max_u:
      return std::max(natural(ua), natural(ub));
    case Op::neg:
      return -sa;
    case Op::abs:
      return sa < 0 ? -sa : sa;
    case Op::and_:
      return ua & ub;
    case Op::or_:
      return ua | ub;
    case Op::xor_:
      return ua ^ ub;
    case Op::not_:
      return -ua - 1;
    case Op::shl:
      return shift_left(ua, ub, w);
    case Op::shr_s:
      return shift_right(sa, ub);
    case Op::shr_u:
      return shift_right(natural(ua), ub);
    case Op::eq:
      return ua == ub;
    case Op::ne:
      return ua != ub;
    case Op::lt_s:
      return sa < sb;
    case Op::lt_u:
      return natural(ua) < natural(ub);
    case Op::le_s:
      return sa <= sb;
    case Op::le_u:
      return ua == ub || natural(ua) < natural(ub);
    case Op::sign_extend:
      return sa;
    case Op::zero_extend:
      return natural(ua);
    case Op::truncate:
      return ua;
    case Op::constant:
    case Op::value_of:
    case Op::final_value:
    case Op::term:
    case Op::opaque:
    case Op::ite:
      break;
  }
  PTXMC_CHECK(false, "operator without a strict meaning");
  return 0;
}

}  // namespace

NaiveValues::NaiveValues(const event::ProgramGraph& graph, const event::Execution& execution)
    : graph_(graph), execution_(execution) {}

void NaiveValues::set_final(event::CellId cell, Value value) {
  finals_[cell] = value;
  memo_.clear();
}

std::optional<Value> NaiveValues::value(event::Expr e) {
  if (const auto it = memo_.find(e); it != memo_.end()) return it->second;
  const std::optional<Value> result = recursion_.deeper([&] { return compute(graph_.exprs[e]); });
  memo_[e] = result;
  return result;
}

std::optional<bool> NaiveValues::truth(event::Expr e) {
  const std::optional<Value> v = value(e);
  if (!v) return std::nullopt;
  return *v != 0;
}

// Truth values need not wait for a part that cannot change them: a read in a branch not taken does not exist.
std::optional<Value> NaiveValues::logical(const Node& node) {
  const std::optional<Value> a = value(node.a), b = value(node.b);
  const Value deciding = node.op == Op::and_ ? 0 : 1;
  if (a == deciding || b == deciding) return deciding;
  if (!a || !b) return std::nullopt;
  return 1 - deciding;
}

// The execution lists what each function gives for some operands; zero for others.
std::optional<Value> NaiveValues::call(const Node& node) {
  const std::optional<Value> a = value(node.a), b = value(node.b);
  if (!a || !b) return std::nullopt;
  for (const auto& [call, result] : execution_.valuation.functions) {
    const bool same = call.function == node.constant && call.width == node.width &&
                      call.width_a == graph_.exprs[node.a].width && call.a == *a &&
                      call.width_b == graph_.exprs[node.b].width && call.b == *b;
    if (same) return to_pattern(result, node.width);
  }
  return 0;
}

std::optional<Value> NaiveValues::compute(const Node& node) {
  switch (node.op) {
    case Op::constant:
      return node.constant;
    case Op::value_of:
      if (!execution_.exists.test(node.atom)) return std::nullopt;
      return execution_.values[graph_.slot_of(node)];
    case Op::final_value: {
      const auto it = finals_.find(node.atom);
      return it == finals_.end() ? std::nullopt : std::optional<Value>(it->second);
    }
    case Op::term: {
      const auto& stated = execution_.valuation.terms;
      const event::Term& term = graph_.exprs.terms().at(node.atom);
      return to_pattern(stated.empty() ? term.sample : stated.at(node.atom), node.width);
    }
    case Op::opaque:
      return call(node);
    case Op::ite: {
      const std::optional<bool> condition = truth(node.a);
      if (condition) return value(*condition ? node.b : node.c);
      const std::optional<Value> yes = value(node.b), no = value(node.c);
      return yes && yes == no ? yes : std::nullopt;
    }
    default:
      break;
  }
  if (node.width == 1 && (node.op == Op::and_ || node.op == Op::or_)) return logical(node);
  const bool binary =
      node.op < Op::eq ? node.op != Op::neg && node.op != Op::abs && node.op != Op::not_ : node.op < Op::ite;
  const std::optional<Value> a = value(node.a);
  const std::optional<Value> b = binary ? value(node.b) : std::optional<Value>(0);
  if (!a || !b) return std::nullopt;
  Wide number = exact(node, graph_.exprs[node.a].width, *a, *b);
  if (node.width == event::kUnbounded && is_unsigned(node.op)) number = as_signed(to_pattern(number, 64), 64);
  return to_pattern(number, node.width);
}

}  // namespace ptxmc::check
