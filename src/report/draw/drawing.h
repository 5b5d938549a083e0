// SPDX-License-Identifier: Apache-2.0
// An execution as a picture, before anybody has laid it out: boxes and arrows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/explain.h"
#include "explain/outcome.h"

namespace ptxmc::report {

/// sync: the model's relation of that name; reason: of the violated axiom; shown: of a definition that --show names
enum class ArrowKind : std::uint8_t { po, rf, co, fr, sync, reason, shown };

/// What arrows mean that every picture may have, in the order of legends.
struct ArrowWords {
  ArrowKind kind;
  std::string_view css, words;
};
inline constexpr std::array<ArrowWords, 6> kArrowWords = {
    {{ArrowKind::po, "po", "program order"},
     {ArrowKind::rf, "rf", "reads-from"},
     {ArrowKind::co, "co", "coherence order"},
     {ArrowKind::fr, "fr", "from-reads"},
     {ArrowKind::sync, "sync", "synchronizes"},
     {ArrowKind::reason, "why", "what violates the axiom"}}};

/// What --show names takes these in turn.
inline constexpr std::array<std::string_view, 6> kShownColors = {"purple", "darkgreen", "deeppink",
                                                                 "teal",   "sienna",    "gray"};

struct Box {
  event::EventId event = event::kNoEvent;
  std::optional<event::ThreadId> thread;  ///< nothing: an initial write
  std::string title;                      ///< "W1 data=1"
  std::string text;                       ///< the instruction; may be empty
  std::string place;                      ///< "P0:9"; empty for an initial write
  std::string marks;                      ///< sets that --show names: "REL ACQ"; may be empty
  bool involved = false;                  ///< in what violates the axiom
};

struct Arrow {
  std::size_t from = 0, to = 0;  ///< indices of boxes
  ArrowKind kind = ArrowKind::po;
  std::string label;      ///< empty: po
  std::size_t color = 0;  ///< shown: which of kShownColors
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

/// The deciding state (see outcome.h); for each name in `shown`, that definition of the model or base relation as
/// arrows too (a set: as a mark on its events). Without a state none. Throws InputError for a name that neither the
/// model nor the base signature has.
std::vector<Drawing> drawing_of(const explain::Outcome& outcome, const std::vector<std::string>& shown);

}  // namespace ptxmc::report
