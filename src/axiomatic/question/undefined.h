// SPDX-License-Identifier: Apache-2.0
// What makes a program's behaviour undefined, whatever its condition says: races of accesses of different
// sizes (8.7.2), misuse of mbarrier objects and cluster barriers (9.7.12.3, 9.7.12.15), and addresses that
// name no variable (ProgramGraph::misuses).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/question/races.h"
#include "finding/rules.h"

namespace ptxmc::check {

/// Accesses of two threads, or of one by two ways, overlap without covering the same bytes, and one is a
/// write: only then can a mixed-size race exist.
bool sizes_differ(const event::ProgramGraph& graph);

struct Undefined {
  std::string name;  ///< of the flag or misuse: "mixed-size-race", "out-of-bounds"
  const finding::Rule* rule = nullptr;
  std::optional<bool> happens;  ///< in some consistent execution; nothing: unknown
  std::string detail;           ///< the accesses: "P0 line 5 `st...`, P1 line 6 `ld...`"
  Position position = {};       ///< of a misuse: the instruction
  std::string text = {};        ///< the same, as written
};

/// Undefined behaviour that the model's flags say, as far as the program's events leave it possible; one row
/// a flag, raised or not.
std::vector<Undefined> find_undefined_flags(const engine::Query& query, const Solve& solve);
/// Whether the program has what a flag is about that makes behaviour undefined, mixed sizes apart.
bool may_be_misused(const event::ProgramGraph& graph, const relation::MemoryModel& model,
                    const Budget& budget);
/// The misuses of the graph that some consistent execution reaches, or may reach.
std::vector<Undefined> find_misuses(const engine::Query& query, const Solve& solve);

/// Warnings: vector loads that read two locations which another thread writes one by one, at least one by a
/// strong write. A vector load reads its elements in no order (8.2.4), so a flag among them guards no payload
/// among them.
std::vector<std::string> split_vector_reads(const event::ProgramGraph& graph);
/// Warnings: ld.global.nc of bytes that a thread of the same kernel writes (8.1, D45).
std::vector<std::string> non_coherent_reads(const event::ProgramGraph& graph);

}  // namespace ptxmc::check
