// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/symbolic_value.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ptxmc::event {

SymbolicValue Symbols::apply(const ExprPool& from, const Node& node, SymbolicValue a, SymbolicValue b,
                             SymbolicValue c) {
  const int operands = arity(node.op);
  const bool numbers = a.is_number() && (operands < 2 || b.is_number()) && (operands < 3 || c.is_number());
  const Width width_a = from[node.a].width;
  if (numbers && node.op != Op::opaque) {
    return {event::apply(node.op, node.width, width_a, a.value, b.value, c.value), {}};
  }
  if (node.op == Op::ite && a.is_number()) return a.value != 0 ? b : c;
  const Expr ea = expr(a, width_a);
  const Expr eb = operands > 1 ? expr(b, from[node.b].width) : Expr{};
  const Expr ec = operands > 2 ? expr(c, from[node.c].width) : Expr{};
  return datum(pool_.rebuild(node, ea, eb, ec));
}

Value Symbols::value(SymbolicValue datum, const Valuation& valuation) const {
  if (datum.is_number()) return datum.value;
  const auto nothing = [](const Node&) { return std::optional<Value>(); };
  return pool_.evaluate(datum.expr, nothing, &valuation).value_or(0);
}

namespace {

/// The finaliser of splitmix64.
std::uint64_t scatter(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Operations, widths and the numbers of operands are small or equal: a mere `^` of them would cancel.
std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  return scatter(seed ^ scatter(value));
}

}  // namespace

std::uint64_t structure(const ExprPool& pool, Expr e) {
  std::vector<std::uint64_t> numbers(e.index + 1, 0);
  std::vector<char> reached(e.index + 1, 0);
  reached[e.index] = 1;
  for (std::uint32_t i = e.index + 1; i-- > 0;) {
    if (!reached[i]) continue;
    const Node& node = pool[Expr{i}];
    const Expr operands[] = {node.a, node.b, node.c};
    for (int k = 0; k < arity(node.op); ++k) reached[operands[k].index] = 1;
  }
  for (std::uint32_t i = 0; i <= e.index; ++i) {  // operands come before their users
    if (!reached[i]) continue;
    const Node& node = pool[Expr{i}];
    std::uint64_t parts[] = {numbers[node.a.index], numbers[node.b.index], numbers[node.c.index]};
    const int operands = arity(node.op);
    if (commutative(node.op) && parts[1] < parts[0]) std::swap(parts[0], parts[1]);
    std::uint64_t number = mix(static_cast<std::uint64_t>(node.op) + 1, node.width);
    const bool called = node.op == Op::opaque;
    number = mix(number,
                 called ? std::hash<std::string>{}(pool.functions()[static_cast<std::size_t>(node.constant)])
                        : static_cast<std::uint64_t>(node.constant));
    number = mix(number, node.atom);
    for (int k = 0; k < operands; ++k) number = mix(number, parts[k]);
    numbers[i] = number;
  }
  return std::max<std::uint64_t>(numbers[e.index], 1);
}

}  // namespace ptxmc::event
