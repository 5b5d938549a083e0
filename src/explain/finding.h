// SPDX-License-Identifier: Apache-2.0
// Finding: what a check says is wrong with a program, whichever check it is. The formats (report/finding_report.h) print
// findings, and the exit status depends on their rules and severities alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/question/races.h"
#include "axiomatic/question/undefined.h"
#include "finding/rules.h"
#include "input/litmus/test.h"
#include "support/origins.h"

namespace ptxmc::explain {

/// An instruction of the program.
struct Place {
  std::optional<int> thread;  ///< the N of PN
  Position position;
  std::string text;  ///< as written
  std::optional<event::EventId> event;
  Origin origin = {};  ///< of a module that tells what it was compiled from
};

/// What is missing: one of a closed list of names, and the same in words.
struct Reason {
  std::string name, words;
};

/// An execution in which it happens. `states` outlives the finding.
struct Evidence {
  const engine::State* state = nullptr;  ///< null: none is shown
};

struct Finding {
  const finding::Rule* rule = nullptr;
  std::string name;                ///< of the rule; of the flag where a user's flag has none
  std::vector<std::string> flags;  ///< of the model, that say so
  Severity severity = Severity::error;
  bool certain = true;  ///< false: an engine gave up before it could be excluded
  bool stated = false;  ///< the file says so itself
  std::vector<Place> places;
  std::vector<Reason> reasons;
  std::vector<std::string> cause, advice;  ///< sentences without a full stop
  std::string unclassified;  ///< why there is no reason; empty: there is one, or none is looked for
  /// The write, and the read that must see it before the later access.
  std::optional<std::pair<event::EventId, event::EventId>> awaited;
  Evidence evidence;
};

/// Of `races`: in the report's order, then what lowering found. The arguments outlive the findings.
std::vector<Finding> findings_of(const event::ProgramGraph& graph, const check::RaceReport& races,
                                 const std::vector<check::Undefined>& misuses);
/// No place yet, no cause: only what the rule says. `flag` names a finding of a user's flag, which has no rule.
Finding finding_by(const finding::Rule& rule, const std::string& flag = "");
Place place_in(const event::ProgramGraph& graph, event::EventId e);

/// Does the file say that this happens? `Racy` covers races, `Undefined` what makes behaviour undefined,
/// `Hangs` hangs, and a finding's name itself.
bool is_stated(const litmus::Verdict& verdict, const Finding& finding);

}  // namespace ptxmc::explain
