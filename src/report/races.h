// SPDX-License-Identifier: Apache-2.0
// The reports of `ptxmc races`: text, JSON, and graphs.
//
// JSON, one object a test, on one line:
//   test, file, model, engine
//   answer                 "Racy" | "RaceFree" | "Unknown"; a model's other flags count as races
//   unknown                why, when some answer is open
//   stated                 {verdict, met: true | false | null}, where the file states Racy or RaceFree
//   findings               [{flags: [NAME], accesses: [{event, thread, line, column, text}],
//                            missing: [NAME], advice: [sentence], awaited: [write, read],
//                            values: as in `check`'s states, execution: as `check`'s witnesses}]
//   undefined              [{name, happens: true | null, detail}]: operations whose behaviour is undefined in
//   some
//                          execution, races of accesses apart; null: it may be so
//   seconds, hash
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/races.h"
#include "check/undefined.h"
#include "litmus/test.h"

namespace ptxmc::report {

enum class RaceAnswer : std::uint8_t { racy, race_free, unknown };

struct RaceOutcome {
  const litmus::Test& test;
  const engine::Query& query;
  const check::RaceReport& races;
  RaceAnswer answer = RaceAnswer::unknown;
  std::string unknown;         ///< why more may be found; may stand beside RaceAnswer::racy
  std::optional<bool> stated;  ///< what the file states: racy?
  std::string file, model, engine;
  double seconds = 0;
  std::vector<check::Undefined> misuses;  ///< that happen, or may
};

/// "Racy"
std::string_view name_of(RaceAnswer answer);
std::string race_text(const RaceOutcome& outcome);
std::string race_json(const RaceOutcome& outcome);
/// A graph a finding: its execution, with the flag's edge.
std::string race_graphs(const RaceOutcome& outcome);

}  // namespace ptxmc::report
