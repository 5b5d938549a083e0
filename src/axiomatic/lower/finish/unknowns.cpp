// SPDX-License-Identifier: Apache-2.0
// Unknown initial values: terms (axiomatic/event/expr.h), named for the variable that holds them.
#include <algorithm>
#include <set>

#include "axiomatic/lower/finish/finish.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Value;
using event::Width;

std::string term_name(const Unit& unit, const std::string& cell) {
  std::string name = cell;
  name.erase(std::remove(name.begin(), name.end(), ']'), name.end());
  std::replace(name.begin(), name.end(), '[', '_');
  name += "_init";
  const auto taken = [&](const std::string& n) {
    const auto& terms = unit.graph.exprs.terms();
    return std::any_of(terms.begin(), terms.end(), [&](const event::Term& term) { return term.name == n; });
  };
  std::string unique = name;
  for (int i = 2; taken(unique); ++i) unique = name + "_" + std::to_string(i);
  return unique;
}

/// A value that nothing in the program equals, recognisable in dumps.
Value fresh_value(Width width, std::set<Value>& used) {
  const Value start = width == event::kUnbounded || width >= 32 ? 0x5eed0000 : width == 16 ? 0x5e00 : 0xa0;
  Value value = start;
  while (used.contains(event::wrap(value, width))) ++value;
  used.insert(event::wrap(value, width));
  return event::wrap(value, width);
}

}  // namespace

Expr unknown_value(Unit& unit, const std::string& cell, Width width, Position position) {
  event::Term term;
  term.name = term_name(unit, cell);
  term.width = width;
  term.line = position.line;
  return unit.pool().new_term(std::move(term));
}

void sample_unknowns(Unit& unit) {
  auto& pool = unit.pool();
  std::set<Value> used;
  for (std::uint32_t i = 0; i < pool.size() && !pool.terms().empty(); ++i) {
    if (pool.is_constant(Expr{i})) used.insert(pool[Expr{i}].constant);
  }
  for (const auto& [value, name] : unit.graph.symbols) used.insert(value);
  for (std::uint32_t id = 0; id < pool.terms().size(); ++id) {
    if (pool.terms()[id].is_place) continue;
    const Value sample = fresh_value(pool.terms()[id].width, used);
    pool.set_sample(id, sample);
    unit.graph.symbols.emplace_back(sample, pool.terms()[id].name);
  }
}

}  // namespace ptxmc::lower
