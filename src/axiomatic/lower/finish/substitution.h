// SPDX-License-Identifier: Apache-2.0
// Results of exchanges in the place of the values that stand for them; internal to `finish`.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "axiomatic/lower/unit/unit.h"

namespace ptxmc::lower {

/// value_of(event, width, part) of an exchange's wait -> the result.
using Replacements = std::map<std::pair<event::EventId, event::Value>, event::Expr>;

/// e with atoms replaced.
class Substitution {
 public:
  Substitution(event::ExprPool& pool, const Replacements& replacements)
      : pool_(pool), replacements_(replacements) {}

  event::Expr operator()(event::Expr root);

 private:
  bool step(event::Expr e, std::vector<event::Expr>& open);

  event::ExprPool& pool_;
  const Replacements& replacements_;
  std::map<event::Expr, event::Expr> done_;
};

/// Puts results into each other, until none is left that names one.
void close(event::ExprPool& pool, Replacements& results);

/// The instruction has a second destination, or may have.
bool gives_predicate(const Exchange& exchange);

/// The same in all exchanges, and in the graph (exchanges.cpp).
void rewrite_exchanges(Unit& unit, const Replacements& results);

/// Replaces the results of exchanges to which all threads that meet come alike, and adds their waits (aligned.cpp).
void resolve_aligned(Unit& unit, std::set<event::EventId>& resolved);

}  // namespace ptxmc::lower
