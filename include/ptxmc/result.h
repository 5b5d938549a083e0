// SPDX-License-Identifier: Apache-2.0
/// \file
/// What answers are made of: texts with places, executions, findings. Plain data, copied out of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptxmc/export.h"

namespace ptxmc::api {

/// How much a diagnostic or a finding weighs.
enum class Severity : std::uint8_t {
  note,     ///< worth knowing
  warning,  ///< may be a mistake
  error,    ///< of a text: it is refused; of a program: it is wrong
};
/// "note", "warning" or "error".
PTXMC_EXPORT const char* word_of(Severity severity);

/// Another place of the same text that a diagnostic is about.
struct Note {
  std::uint32_t line = 0;    ///< from 1; 0: no position
  std::uint32_t column = 0;  ///< from 1, in bytes
  std::string message;       ///< "the first is here"
};

/// What is wrong with a text, or worth knowing of it.
struct Diagnostic {
  std::uint32_t line = 0;               ///< from 1; 0: no position
  std::uint32_t column = 0;             ///< from 1, in bytes
  std::string message;                  ///< one sentence
  Severity severity = Severity::error;  ///< with an error, the text is refused
  std::vector<Note> notes = {};         ///< other places that it is about
};

/// What an instruction does in one execution: reads, writes, is a fence. An atomic is two events.
struct Event {
  std::string name;           ///< as explanations name it: "W1", "R2", "F1", in program order; "W0": initial
  std::optional<int> thread;  ///< the N of PN; nothing: initial
  std::uint32_t line = 0;     ///< of the instruction, from 1; 0: it is of none
  std::string text;           ///< of the instruction, as written
  std::string location;       ///< that is read or written; empty: none is
  std::string value;          ///< that is read or written, as reports print it
};

/// An execution: events, and pairs of them by their indices.
struct Witness {
  /// Pairs of indices into `events`: from, to.
  using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
  std::vector<Event> events;  ///< that happen; the others name them by their places here
  Edges program_order;        ///< without what follows from the others
  Edges reads_from;           ///< a write, and a read that returns its value
  Edges coherence;            ///< of writes of one location, without what follows from the others
  std::string svg;  ///< the picture of it, an SVG document; empty: Options::pictures did not ask for one
};

/// An instruction.
struct Place {
  std::string thread;        ///< "P0"; of a kernel "thread 3 of CTA 0"; empty: of none, or of all
  std::uint32_t line = 0;    ///< from 1; 0: not known
  std::uint32_t column = 0;  ///< from 1
  std::string text;          ///< as written
  std::string source;        ///< "kernel.cu:88", where a module says so
};

/// What a check says is wrong.
struct Finding {
  std::string rule;                     ///< "race", "hang", ... (src/finding/rules.h)
  Severity severity = Severity::error;  ///< how much it weighs
  bool certain = true;                  ///< false: an engine gave up before it could be excluded
  std::uint64_t instances = 1;          ///< of a kernel: pairs of threads, or threads
  std::vector<Place> places;            ///< of the instructions that it is about
  std::vector<std::string> missing;     ///< of races: "scope", "acquire-release", ...
  std::vector<std::string> cause;       ///< why; sentences without a full stop
  std::vector<std::string> advice;      ///< what helps; sentences without a full stop
  std::string section;                  ///< of the manual: "8.9.5"; empty: none is named
  std::optional<Witness> witness;       ///< an execution in which it happens
  /// Whether races in kernels race in the litmus test that was made of them, as the exact engine says;
  /// nothing: it was not asked, or said nothing.
  std::optional<bool> confirmed;
};

}  // namespace ptxmc::api
