// SPDX-License-Identifier: Apache-2.0
// Choices that break an axiom on their own, given what holds already: all of them in one pass.
//
// A demand on a relation is a set of pairs of which each one breaks an axiom as soon as the relation has it. The
// demand of `acyclic r` on r is the inverse of r's reflexive closure; operators pass demands on to their operands
// with what the other operand has for certain (to a in `a ; b`: every (x, y) for which b has some (y, z) with (x, z)
// demanded). What reaches a choice is refuted. Bounds only grow towards a complete assignment (evaluator.h), so a
// refutation is for good wherever the current choices are.
#pragma once

#include <vector>

#include "axiomatic/engine/explicit/evaluator.h"
#include "model/relation/memory_model.h"

namespace ptxmc::engine::explicit_ {

struct Refuted {
  std::vector<relation::BitSet> sources;    ///< per Inputs::reads: events it cannot be read from
  std::vector<relation::BitMatrix> orders;  ///< per order declaration: directions that cannot be chosen
};

/// `evaluator` holds the values under `choices`, which may be incomplete; axioms that are negated refute nothing here.
/// Cost: about that of two evaluations.
Refuted refuted_choices(const Evaluator& evaluator, const std::vector<const relation::Constraint*>& axioms,
                        const Choices& choices);

}  // namespace ptxmc::engine::explicit_
