// SPDX-License-Identifier: Apache-2.0
// Whether anything that is asked of a program may depend on where its variables lie.
//
// An over-approximation, from a graph whose addresses are terms: what each expression and each memory cell may
// hold is a set of variables whose addresses it may be (with an offset that stays inside, or any), and of
// numbers. Addresses inside variables may be moved, stored, compared with each other or with what is no address
// of a variable, and subtracted within one variable; anything else that is done with them depends on the layout.
// Cost: one pass over the expressions for each round in which a cell's set grows.
#pragma once

#include <optional>
#include <set>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::lower {

/// Where a guard, an operand that engines look at, or what is observed may depend on places: the position of an
/// instruction, or none. `comparisons`: of the addresses of accesses with what they may name: an address that
/// was not made from that of a variable names it in no layout.
std::optional<Position> use_of_places(const event::ProgramGraph& graph,
                                      const std::set<event::Expr>& comparisons);

}  // namespace ptxmc::lower
