// SPDX-License-Identifier: Apache-2.0
// The report of a liveness check.
//
// Text:
//   Liveness NAME Hangs|Terminates|Unknown
//   Progress fair|obe|hsa
//   Flag unknown-REASON                           when it is unknown
//   Wait P1:16 ld.acquire.gpu.u32 %r0, [flag]: reads flag=0 for ever (initial value)
//     For P0:9 st.release.gpu.u32 [flag], 1: P0 waits itself
//   Wait P0:7 bar.sync 0: blocks for ever, all threads must arrive
//     For P1: P1 waits itself
//   Time NAME SECONDS
// A place is the thread and the line of the instruction, and of a module "(kernel.cu:88)" if it tells. `For` lines name what would end the wait, and why it
// does not come; "For nothing" when the program has nothing of the kind.
//
// JSON, one object on a line: test, file, model, readings (those not at their defaults), engine, property:
// "liveness", progress, answer (as in the text), unknown (why), stated {verdict, met}, waits [{thread, kind:
// "spin" | "barrier", line, column, source, inlined_at, text, location, value, write: null (initial value) or {thread,
// line, column, source, inlined_at, text}, count, for: [{thread, line, column, source, inlined_at, text, why: "waits" | "stopped" | "not-started" | "ended"
// | "invisible" | "races"}]}], findings (as reporter.h has them), threads {P0: "ended" | "waits" | "stopped" | "not-started"} (both when it
// hangs), seconds. Fields that do not apply are left out.
#pragma once

#include <optional>
#include <string>

#include "check/liveness.h"
#include "litmus/test.h"
#include "report/finding.h"

namespace ptxmc::report {

struct LivenessOutcome {
  const litmus::Test& test;
  const engine::Query& query;
  std::optional<bool> hangs;                ///< nothing: unknown
  std::string unknown;                      ///< why
  const engine::State* state = nullptr;     ///< an execution that hangs
  check::Standstill standstill;             ///< of that execution
  const litmus::Verdict* stated = nullptr;  ///< what the file states, where it speaks of this question
  std::string file, model, engine, progress;
  std::vector<std::string> readings;
  double seconds = 0;
};

/// One, with a place and a sentence for each wait; none when nobody is seen to wait for ever.
std::vector<Finding> findings_of(const LivenessOutcome& outcome);
/// "Hangs", "Terminates", "Unknown".
std::string_view answer_of(const std::optional<bool>& hangs);
std::string liveness_text(const LivenessOutcome& outcome);
/// Ends with a line end.
std::string liveness_json(const LivenessOutcome& outcome);

}  // namespace ptxmc::report
