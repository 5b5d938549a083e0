// SPDX-License-Identifier: Apache-2.0
// What can be said only when all threads are lowered; internal to `lower`.
#pragma once

#include <functional>
#include <set>

#include "axiomatic/lower/unit/unit.h"

namespace ptxmc::lower {

/// Pure spin loops with a read that may conflict with what is not morally strong with it (spins.cpp).
std::set<ThreadLoop> loops_with_races(const Unit& unit);

/// Those with an atomic that may change memory in a turn that fails, for all that is known of the values of its cell.
std::set<ThreadLoop> loops_with_changes(const Unit& unit);

/// The bound on turns cuts off a path that the values of memory do not exclude.
bool loses_paths(Unit& unit);

/// What is behind a waiting loop depends on the reads that it is left by (ProgramGraph::exits).
void link_exits(Unit& unit);

/// Barriers whose ids or counts come from registers: adds the decisions that fix which are one barrier and
/// how many arrivals they need, and expresses counts by those decisions.
void decide_barriers(Unit& unit);

/// The same for mbarrier objects: how each is initialised (or fails), and operands that come from registers.
void decide_mbarriers(Unit& unit);

/// Aligned barriers, and bra.uni, that lanes of one warp do not execute alike: misuse (divergence.cpp).
void check_converged(Unit& unit);

/// Replaces the results of exchanges (unit/exchange.h) by expressions over the operands of those who meet. Fails
/// when the order of arrival leaves open who does.
void resolve_exchanges(Unit& unit);

/// The program with the hidden variable that stands for tensor memory (memory/layout.h); nothing where no instruction
/// uses it.
std::optional<program::Program> with_tensor_memory(const program::Program& program);
/// The value of a cell of tensor memory before the program starts: what a .tensor variable says, else an unknown
/// one.
event::Expr initial_tensor_value(Unit& unit, const CellOwner& owner);
/// Which dealloc frees what (ProgramGraph::freed); a dealloc of what is no allocation is a misuse.
void link_allocations(Unit& unit);
/// Kernels that mix .cta_group in code that is not executed (R287, D44).
void note_mixed_groups(Unit& unit);

/// Registers of a state, memory of a state: the condition, the filter and what states list.
void lower_condition(Unit& unit);

/// An unknown value, held by a cell of memory before the program starts (8.2.6, R14).
event::Expr unknown_value(Unit& unit, const std::string& cell, event::Width width, Position position);
/// Numbers that unknown values may have, for examples: such as nothing else has.
void sample_unknowns(Unit& unit);

/// By cell: guards, operands or conditions ask for its value (values.cpp).
std::vector<char> needed_cells(const event::ProgramGraph& graph);
/// All values become zero in cells whose values nothing asks for (values.cpp).
void drop_values(event::ProgramGraph& graph);
/// Leaves out accesses of cells that are accessed as other cells are (cell_symmetry.cpp). True: there were some.
bool merge_symmetric_cells(event::ProgramGraph& graph);

/// Rebuilds every expression of the graph by `rewrite` (which maps an expression of the pool to another).
void rewrite_graph(Unit& unit, const std::function<event::Expr(event::Expr)>& rewrite);

}  // namespace ptxmc::lower
