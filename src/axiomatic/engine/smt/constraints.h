// SPDX-License-Identifier: Apache-2.0
// Constraints: axioms, flags and final values as clauses.
#pragma once

#include "axiomatic/engine/smt/relations.h"

namespace ptxmc::engine::smt {

/// The relation that the axiom allows no cycle in, if that is what it says: acyclic r, acyclic r+,
/// irreflexive r+.
std::optional<relation::Rel> acyclic_relation(const relation::Tree& tree,
                                              const relation::Constraint& constraint);

/// `~acyclic r` as `~irreflexive r+`, which adds the closure to the tree; other constraints as they are.
relation::Constraint normalised(const relation::Constraint& constraint, relation::Tree& tree);
bool is_normal(const relation::Constraint& constraint);

/// The (normal) constraint holds: an axiom, or the flag that is asked for.
void require(Relations& relations, const relation::Constraint& constraint, std::size_t size);

/// The chosen final write of each cell has no coherence successor on that cell.
void require_maximal(Relations& relations, const Query& query, const Program& program);

}  // namespace ptxmc::engine::smt
