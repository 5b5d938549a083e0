// SPDX-License-Identifier: Apache-2.0
// Symmetry, for the base sets and relations that the encoding reaches.
#pragma once

#include <vector>

#include "axiomatic/engine/smt/reach.h"
#include "axiomatic/engine/symmetry.h"

namespace ptxmc::engine::smt {

inline std::vector<Interchangeable> interchangeable_threads(const Query& query, const Reach& reach,
                                                            bool proposition) {
  UsedBases used;
  const relation::Tree& tree = query.model.tree;
  for (std::uint32_t i = 0; i < tree.relations().size(); ++i) {
    const auto* base = std::get_if<relation::BaseRel>(&tree.relations()[i]);
    if (base != nullptr && reach.of(relation::Rel{i}).any()) used.relations.push_back(base->base);
  }
  for (std::uint32_t i = 0; i < tree.sets().size(); ++i) {
    const auto* base = std::get_if<relation::BaseSet>(&tree.sets()[i]);
    if (base != nullptr && reach.of(relation::Set{i}).any()) used.sets.push_back(base->base);
  }
  return engine::interchangeable_threads(query, used, proposition);
}

}  // namespace ptxmc::engine::smt
