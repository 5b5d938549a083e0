// SPDX-License-Identifier: Apache-2.0
// All states from one of each orbit: interchangeable threads turn a state into others without a search.
//
// The search keeps only executions in which the threads of a class are in ascending order of what they
// observe (their tuple of observables, compared lexicographically): every execution can be permuted into such
// a one, and an orbit of states has exactly one. Each state found then stands for each distinct arrangement
// of its tuples. Fetch-adds by n threads: one search instead of n!. Cost: one permuted state each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/explicit/encode.h"
#include "axiomatic/engine/explicit/sat.h"
#include "axiomatic/engine/explicit/take.h"
#include "axiomatic/engine/symmetry.h"

namespace ptxmc::engine::explicit_ {

/// Restricts the search to ascending arrangements; `observables` are the path's expressions. False: no
/// solution is left.
bool require_ascending(const std::vector<ThreadSymmetry>& classes,
                       const std::vector<event::Expr>& observables, Encoding& encoding, ChoiceSolver& solver);

/// Gives the states of `found`'s orbit, `found` first, of which the first `witnesses` get one, permuted. `found` has
/// one. True: stopped.
bool list_orbit(const Query& query, const std::vector<ThreadSymmetry>& classes, State found,
                std::size_t witnesses, const std::function<bool()>& stop, const Take& take);

/// How many states the orbit of a found state has. Nothing: more than the number holds.
std::optional<std::uint64_t> orbit_size(const std::vector<ThreadSymmetry>& classes,
                                        const std::vector<event::Value>& values);

}  // namespace ptxmc::engine::explicit_
