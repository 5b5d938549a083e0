// SPDX-License-Identifier: Apache-2.0
// The JSON report: one object a test, on one line.
//
//   test, file, model, engine       strings
//   quantifier                      "exists" | "~exists" | "forall"
//   condition                       as in the text report
//   verdict                         "Ok" | "No" | "Undef"
//   loop                            an unrolling bound was hit
//   answer                          "Allowed" | "Forbidden" | "Required" | "NotRequired" | "Undefined" | "Unknown"
//   unknown                         why, when the answer is Unknown
//   stated                          {verdict, met: true | false | null}, when the file states one for this model
//   states                          [{values: {NAME: number or symbol}, satisfied}]; the deciding one alone when only
//                                   the verdict was asked
//   by-atomicity                    "Forbidden" | "Required", where the answer is Undefined and 8.7.2 alone says
//                                   so of atomics
//   complete                        false: more states may exist
//   positive, negative              how many listed states satisfy the condition, or not
//   flags                           {NAME: true | false | null}, those that were evaluated
//   warnings                        ["P1 line 10 `...`: ..."], about the program; absent without any
//   vacuous                         "vacuous-no-execution" | "vacuous-filter", when the test speaks of nothing
//   witnesses                       [{state: index into states, events: [{id, thread, kind, line, column, source, inlined_at,
//                                     text, cell, value}],
//                                     rf: [[write, read]], co: [[earlier, later]]}]; co without transitive edges
//   counts, statistics              of the program graph, of the engine
//   seconds, hash
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "explain/outcome.h"

namespace ptxmc::report {

enum class Witnesses : std::uint8_t { none, first, all };  ///< first: of the deciding state

/// Ends with a line end.
std::string json_line(const explain::Outcome& outcome, Witnesses witnesses);

/// The same of an outcome whose states are packed.
void write_json_line(std::ostream& out, const explain::Outcome& outcome, Witnesses witnesses);

/// The witness of one state, as it stands in `witnesses`.
std::string json_witness(const explain::Outcome& outcome, std::size_t state);

/// {"file": ..., "test": ..., "answer": "unknown", "unknown": reason}: a test beyond a limit.
std::string json_unknown(const std::string& file, const std::string& test, const std::string& reason);
/// {"file": ..., "error": ...}: a test that has no report.
std::string json_error(const std::string& file, const std::string& message);

}  // namespace ptxmc::report
