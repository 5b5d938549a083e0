// SPDX-License-Identifier: Apache-2.0
// Skeleton: the graph of a relation, split into what is always there and what the solver decides.
#pragma once

#include <vector>

#include "axiomatic/engine/smt/bounds.h"
#include "model/relation/bits.h"

namespace ptxmc::engine::smt {

/// Paths of the relation alternate between `fixed` steps and `dynamic` pairs. `fixed` is transitive: it holds
/// pairs of the relation's closure that are there whenever both ends exist, so a path needs at most one fixed
/// step in a row, and both its ends exist because they are ends of the path or of true dynamic pairs.
struct Skeleton {
  Skeleton(const Bounds& bounds, const Guards& guards, std::vector<relation::Rel> parts);

  std::vector<relation::Rel> parts;  ///< the relation is the union of these (reach.h, path_parts)
  relation::BitMatrix fixed;
  relation::BitMatrix dynamic;  ///< pairs not in `fixed`
  relation::BitMatrix demoted;  ///< of these: pairs that hold whenever both ends exist, left out of `fixed`
                                ///< to keep it transitive
};

}  // namespace ptxmc::engine::smt
