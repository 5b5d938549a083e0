// SPDX-License-Identifier: Apache-2.0
// Base sets and relations: the table of what a model may name (base_signature), and their values for a
// program graph. To add one: a row and a function in base.cpp; no engine changes.
#pragma once

#include <vector>

#include "axiomatic/event/barriers.h"
#include "axiomatic/event/program_graph.h"
#include "model/relation/bits.h"
#include "model/relation/signature.h"
#include "support/budget.h"

namespace ptxmc::event {

/// The table; the same object for the whole process. Constant data.
const relation::Signature& base_signature();

/// Values of all rows with Provider::fixed, on all events of the graph (as if every guard were true; a pair
/// whose guards exclude each other is left out of po and what derives from it). Indexed by base id; rows of
/// the other sort, or of another provider, are empty objects of size 0.
struct BaseValues {
  std::vector<relation::BitSet> sets;
  std::vector<relation::BitMatrix> relations;
};
BaseValues compute_base(const ProgramGraph& graph);

/// For an enumerated base relation: the decisions its alternatives depend on, ascending.
std::vector<std::uint32_t> relevant_decisions(const ProgramGraph& graph, std::uint32_t base);

/// For an enumerated base relation: false where its only value, on any path, is the empty relation.
bool may_have_pairs(const ProgramGraph& graph, std::uint32_t base);

/// For an enumerated base relation: every value it can take under an assignment (of at least the relevant
/// decisions), each a matrix on all events of the graph. None: no execution exists on this path (a barrier
/// waits forever). `few`: soon; some of them where they are many. Throws OutOfTime.
enum class HowMany : std::uint8_t { few, all };
Alternatives alternatives(const ProgramGraph& graph, std::uint32_t base, const Assignment& assignment,
                          const Budget& budget = {}, HowMany how_many = HowMany::all);

/// Why a result is open where alternatives are incomplete.
constexpr const char* kTooManyPhases = "phases";

}  // namespace ptxmc::event
