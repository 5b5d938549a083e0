// SPDX-License-Identifier: Apache-2.0
// The report of a liveness check for programs.
//
// JSON, one object on a line: test, file, model, readings (those not at their defaults), engine, property:
// "liveness", progress, answer (as in the text), unknown (why), stated {verdict, met}, waits [{thread, kind:
// "spin" | "barrier", line, column, source, inlined_at, text, location, value, write: null (initial value) or {thread,
// line, column, source, inlined_at, text}, count, for: [{thread, line, column, source, inlined_at, text, why: "waits" | "stopped" | "not-started" | "ended"
// | "invisible" | "races"}]}], findings (as json/findings.h has them), threads {P0: "ended" | "waits" | "stopped" | "not-started"} (both when it
// hangs), seconds. Fields that do not apply are left out.
#pragma once

#include <string>

#include "explain/liveness.h"

namespace ptxmc::report {

/// Ends with a line end.
std::string liveness_json(const explain::LivenessOutcome& outcome);

}  // namespace ptxmc::report
