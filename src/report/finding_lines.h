// SPDX-License-Identifier: Apache-2.0
// A finding laid out for people, once for text and for pages: the lines of source with who executes them, what holds of it, and
// its instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explain/finding.h"
#include "support/source.h"
#include "support/source_files.h"

namespace ptxmc::report {

inline constexpr std::size_t kMostPlaces = 6;  ///< places of a finding that are shown

/// Where the lines are that a report quotes.
struct Quoted {
  SourcePtr text;         ///< the test or the module; may be null
  SourceFiles& compiled;  ///< what the module was compiled from
};

/// Who executes something in a line, and where in it.
struct Caret {
  std::size_t place = 0;     ///< of the finding's places
  std::uint32_t column = 1;  ///< in bytes, from 1
  std::string who;           ///< "write by block 0, thread 1"; may be empty
};

struct Excerpt {
  std::string where;  ///< "k.cu:9", "line 4"
  /// `where`, with what it was compiled from if that is not found; empty: it goes on in the file before
  std::string heading;
  std::uint32_t number = 0;
  std::string text;  ///< the line; empty: it is not found
  SourcePtr source;  ///< the file that it is in; may be null
  std::vector<Caret> carets;
};

/// "why: nothing orders them [PTX ISA 9.4, 8.9.5]"; without a lead a sentence.
struct Fact {
  std::string lead, text;
};

/// An instruction at a place that is quoted from what the module was compiled from.
struct Instruction {
  std::string where, text;
};

struct FindingLines {
  std::string at;     ///< of the first place; empty: it has none
  std::string title;  ///< "data race on 4 bytes at s+4"
  std::string times;  ///< "63 thread pairs"; empty: once
  std::string rule;   ///< its name, and the flags of a user's model that stand for it
  std::vector<Excerpt> excerpts;
  std::size_t more_places = 0;  ///< that are not shown
  std::vector<Fact> facts;
  std::vector<Instruction> instructions;
};

/// A place whose source line is found is quoted from there, another one from the test or the module.
FindingLines lines_of(const explain::Finding& finding, const Quoted& quoted);

}  // namespace ptxmc::report
