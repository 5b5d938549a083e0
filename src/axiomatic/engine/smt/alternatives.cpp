// SPDX-License-Identifier: Apache-2.0
// Enumerated base relations: for each assignment of the decisions that matter, one of finitely many values.
#include "axiomatic/engine/smt/program.h"
#include "support/check.h"

namespace ptxmc::engine::smt {

using event::Truth;

void Program::choose_alternatives() {
  std::vector<char> used(query_.signature.rows().size(), 0);
  const relation::Tree& tree = query_.model.tree;
  for (std::uint32_t i = 0; i < tree.relations().size(); ++i) {
    const auto* base = std::get_if<relation::BaseRel>(&tree.relations()[i]);
    if (base != nullptr && reach_.of(relation::Rel{i}).any()) used[base->base] = 1;
  }
  for (std::uint32_t base = 0; base < used.size(); ++base) {
    if (used[base] == 0 || query_.signature[base].provider != relation::Provider::enumerated) continue;
    event::Assignment assignment(graph_.decisions.size(), Truth::unset);
    std::vector<Lit> cube;
    assignments(base, event::relevant_decisions(graph_, base), 0, assignment, cube);
    bound_alternatives(base);
  }
}

// All assignments of the relevant decisions, as cubes of literals; a cube without alternatives is impossible.
void Program::assignments(std::uint32_t base, const std::vector<std::uint32_t>& decisions, std::size_t next,
                          event::Assignment& assignment, std::vector<Lit>& cube) {
  const Lit path = circuit_.conjunction(cube);
  if (path == kFalse) return;
  if (next < decisions.size()) {
    const event::Decision& decision = graph_.decisions[decisions[next]];
    const Lit taken = values_.truth(decision.guard), yes = values_.truth(decision.condition);
    const std::pair<Truth, Lit> cases[] = {{Truth::unset, !taken},
                                           {Truth::yes, circuit_.conjunction(taken, yes)},
                                           {Truth::no, circuit_.conjunction(taken, !yes)}};
    for (const auto& [truth, lit] : cases) {
      if (lit == kFalse) continue;
      assignment[decisions[next]] = truth;
      // What the assignment so far already says about the guard must fit: cubes are compared with it, not
      // proved.
      const auto known = event::evaluate_guard(graph_, decision.guard, assignment);
      if (known && *known == (truth == Truth::unset)) continue;
      cube.push_back(lit);
      assignments(base, decisions, next + 1, assignment, cube);
      cube.pop_back();
    }
    assignment[decisions[next]] = Truth::unset;
    return;
  }
  std::vector<Lit> chosen;
  const event::Alternatives listed = event::alternatives(graph_, base, assignment, deadline_.budget());
  all_alternatives_ = all_alternatives_ && listed.complete;
  for (const relation::BitMatrix& value : listed.values) {
    const Lit lit = listed.values.size() == 1 ? path : circuit_.conjunction(path, circuit_.input());
    chosen.push_back(lit);
    alternatives_[base].push_back({lit, value});
  }
  cnf_.at_most_one(circuit_, chosen);
  chosen.push_back(!path);
  cnf_.require_any(std::move(chosen));
}

void Program::bound_alternatives(std::uint32_t base) {
  const std::size_t n = graph_.size();
  RelBound bound{relation::BitMatrix(n), guards_.together};
  for (const Alternative& alternative : alternatives_[base]) {
    bound.may |= alternative.value;
    bound.must &= alternative.value;
  }
  bound.may &= guards_.together;
  bound.must &= bound.may;
  enumerated_bounds_[base] = std::move(bound);
}

}  // namespace ptxmc::engine::smt
