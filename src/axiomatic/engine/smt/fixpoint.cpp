// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/fixpoint.h"

#include <algorithm>

namespace ptxmc::engine::smt {

void FixedPoints::close(Lit cut, Lit body, std::size_t component, bool exact) {
  cnf_.require_implies(body, cut);
  if (!exact) return;
  cnf_.require_implies(cut, body);
  exact_[component].push_back({cut, body});
}

bool FixedPoints::refute_unfounded(const std::vector<char>& model) {
  for (const auto& [component, equations] : exact_) {
    Valuation valuation(circuit_, model);
    std::vector<std::uint32_t> cuts, claimed;
    for (const Equation& equation : equations) {
      cuts.push_back(equation.cut.node());
      if (valuation(equation.cut)) claimed.push_back(equation.cut.node());
    }
    // Kleene iteration from the empty relation, everything below the component as the model has it.
    valuation.set_inputs(cuts, false);
    for (bool grown = true; grown;) {
      std::vector<std::uint32_t> founded;
      for (const Equation& equation : equations) {
        if (!valuation(equation.cut) && valuation(equation.body)) founded.push_back(equation.cut.node());
      }
      grown = !founded.empty();
      if (grown) valuation.set_inputs(founded, true);
    }
    std::vector<std::uint32_t> unfounded;
    for (const std::uint32_t cut : claimed) {
      if (!valuation(Lit{2 * cut})) unfounded.push_back(cut);
    }
    if (unfounded.empty()) continue;
    std::sort(unfounded.begin(), unfounded.end());
    // One of the loop's members needs support from outside the loop.
    std::vector<Lit> support;
    for (const Equation& equation : equations) {
      if (std::binary_search(unfounded.begin(), unfounded.end(), equation.cut.node())) {
        support.push_back(circuit_.without(equation.body, unfounded));
      }
    }
    const Lit supported = circuit_.disjunction(std::move(support));
    for (const std::uint32_t cut : unfounded) cnf_.require_implies(Lit{2 * cut}, supported);
    return false;
  }
  return true;
}

}  // namespace ptxmc::engine::smt
