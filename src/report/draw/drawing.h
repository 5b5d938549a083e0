// SPDX-License-Identifier: Apache-2.0
// An execution as a picture, before anybody has laid it out: boxes and arrows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "explain/outcome.h"

namespace ptxmc::report {

enum class ArrowKind : std::uint8_t { po, rf, co, fr, reason };  ///< reason: of the violated axiom

struct Box {
  event::EventId event = event::kNoEvent;
  std::optional<event::ThreadId> thread;  ///< nothing: an initial write
  std::string title;                      ///< "W1 data=1"
  std::string text;                       ///< the instruction; may be empty
  std::string place;                      ///< "P0:9"; empty for an initial write
  bool involved = false;                  ///< in what violates the axiom
};

struct Arrow {
  std::size_t from = 0, to = 0;  ///< indices of boxes
  ArrowKind kind = ArrowKind::po;
  std::string label;
};

struct Drawing {
  std::string title;
  std::vector<std::string> threads;  ///< titles
  std::vector<Box> boxes;            ///< by thread, in program order
  std::vector<Arrow> arrows;
};

/// One execution: program order, reads-from, coherence and from-reads, without edges that others imply; and
/// what violates the axiom, where there is one.
Drawing draw(const explain::Outcome& outcome, const engine::State& state,
             const explain::Violation* violation);

/// All executions of an explanation: the one that has the outcome, or one for each axiom.
std::vector<Drawing> drawings_of(const explain::Outcome& outcome, const explain::Explanation& explanation);

/// Graphviz: a whole explanation as one graph, in which each execution is a cluster.
std::string dot_graphs(const explain::Outcome& outcome, const explain::Explanation& explanation);

}  // namespace ptxmc::report
