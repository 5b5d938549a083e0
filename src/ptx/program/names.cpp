// SPDX-License-Identifier: Apache-2.0
#include "ptx/program/names.h"

#include "support/overloaded.h"

namespace ptxmc::program {

void add_names(const ConditionPtr& condition, std::vector<StateName>& out) {
  if (!condition) return;
  const auto parts = [&](const std::vector<ConditionPtr>& all) {
    for (const ConditionPtr& part : all) add_names(part, out);
  };
  std::visit(
      Overloaded{[&](const Comparison& c) {
                   for (const ConditionTerm* term : {&c.left, &c.right}) {
                     if (const auto* name = std::get_if<StateName>(term)) out.push_back(*name);
                   }
                 },
                 [&](const Conjunction& c) { parts(c.parts); }, [&](const Disjunction& c) { parts(c.parts); },
                 [&](const Negation& c) { add_names(c.part, out); },
                 [&](const Implication& c) {
                   add_names(c.left, out);
                   add_names(c.right, out);
                 }},
      condition->node);
}

}  // namespace ptxmc::program
