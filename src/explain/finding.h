// SPDX-License-Identifier: Apache-2.0
// Finding: what is wrong with a program, whichever verb found it: races, liveness, verify, repair. Each format has one function that
// prints a finding (report/*/finding.h). The exit status depends on rules and severities alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/question/races.h"
#include "axiomatic/question/undefined.h"
#include "dynamic/claim/verify_result.h"
#include "finding/acceptance.h"
#include "finding/rules.h"
#include "input/litmus/test.h"
#include "support/origins.h"

namespace ptxmc::explain {

/// A thread of a launch, by linear numbers.
struct BlockThread {
  std::uint32_t cta = 0, thread = 0;
};

/// An instruction of the program, and who executes it.
struct Place {
  /// the N of PN; of a launch, the thread's number in it; none: it is no thread of the program
  std::optional<int> thread;
  Position position;
  std::string text;                           ///< as written
  std::optional<event::EventId> event;        ///< in an execution
  Origin origin = {};                         ///< of a module that says what it was compiled from
  std::string who = {};                       ///< "P1"; "block 0, thread 3"; empty: not said
  std::optional<BlockThread> in_launch = {};  ///< of a launch
  std::string kernel = {};                    ///< of several launches, the kernel's name
  std::string access = {};                    ///< "write", "asynchronous read"; empty: it is none
  isa::Proxy proxy = isa::Proxy::generic;
  std::string waits = {};  ///< "barrier 1": for which it waits; empty: it does not
  bool others = false;     ///< other threads wait there, too, and `who` counts them
  /// "in the next iteration": than the finding's first access; empty: in the same, or not known
  std::string iteration = {};
};

/// Two places that are unordered with each other.
struct Pair {
  std::size_t first = 0, second = 0;  ///< of `places`
  std::string bytes;                  ///< "4 bytes at smem+8", of the first instance; "x"; may be empty
  /// The same as data; empty: not in a variable or buffer of a run.
  std::string object = {};
  std::uint64_t offset = 0, size = 0;  ///< bytes from its beginning on, and how many
};

/// An end of what should synchronize two accesses.
struct End {
  std::string name;   ///< "release" or "acquire": which of the two it is, or ought to be
  std::string label;  ///< what it is: "flag written", "flag read", or the name
  Place place;
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
  std::uint64_t instances = 1;
  std::vector<Place> places;
  std::vector<Pair> pairs;  ///< empty: it is about single places
  std::vector<Reason> reasons;
  std::vector<std::string> cause, advice;  ///< sentences without a full stop
  std::string condition;                   ///< of open memory, or of what a read takes; empty: none
  std::string section;                     ///< of the manual: "8.9.5"; empty: none is named
  std::string unclassified;  ///< why there is no reason; empty: there is one, or none is looked for
  /// The write, and the read that must see it before the later access.
  std::optional<std::pair<event::EventId, event::EventId>> awaited;
  Evidence evidence;
  std::optional<claim::ExactAnswer> exact;  ///< of the litmus test of it
  /// The number of the first of claim::VerifyResult::findings that it stands for; none: it stands for none of
  /// them.
  std::optional<std::size_t> number;
  finding::Acceptance accepted = {};  ///< by users
  std::string fingerprint = {};       ///< by which a baseline knows it; empty: it was not asked
  std::size_t id = 0;                 ///< in its report, from 1; 0: it has none
  std::size_t consequence_of = 0;     ///< the id of the finding that it follows from, for certain; 0: of none
  std::size_t depth = 0;              ///< of that: how many findings it follows from, one from the other
  std::string follows_from;           ///< the title and the rule of the nearest of those
  /// Where release and acquire stand that do not meet.
  std::vector<End> ends;
};

/// The findings of `races`, in the report's order, then what lowering found. The arguments outlive the
/// findings.
std::vector<Finding> findings_of(const event::ProgramGraph& graph, const check::RaceReport& races,
                                 const std::vector<check::Undefined>& misuses);
/// No place yet, no cause: only what the rule says. `flag` names a finding of a user's flag, which has no rule.
Finding finding_by(const finding::Rule& rule, const std::string& flag = "");
Place place_in(const event::ProgramGraph& graph, event::EventId e);

/// What happens, in a few words: "data race on 4 bytes at s+128", or the cause.
std::string title_of(const Finding& finding);
/// The causes that the title does not say.
std::vector<std::string> why_of(const Finding& finding);
/// "63 thread pairs", "3 times"; empty: it is seen once
std::string times_of(const Finding& finding);

/// Does the file say that this happens? `Racy` covers races, `Undefined` what makes behaviour undefined,
/// `Hangs` hangs, and a finding's name itself.
bool is_stated(const litmus::Verdict& verdict, const Finding& finding);

/// "k.cu:88", or "line 37" where the module does not say what it was compiled from.
std::string line_of(const Place& place);
/// "4 bytes"
std::string plural(std::uint64_t count, const std::string& what);

}  // namespace ptxmc::explain
