// SPDX-License-Identifier: Apache-2.0
// The report of a liveness check.
//
//   Liveness NAME Hangs|Terminates|Unknown
//   Progress fair|obe|hsa
//   Flag unknown-REASON                           when it is unknown
//   Wait P1:16 ld.acquire.gpu.u32 %r0, [flag]: reads flag=0 forever (initial value)
//     For P0:9 st.release.gpu.u32 [flag], 1: P0 waits itself
//   Wait P0:7 bar.sync 0: blocks forever, all threads must arrive
//     For P1: P1 waits itself
//   Time NAME SECONDS
// A place is the thread and the line of the instruction, and of a module "(kernel.cu:88)" if it tells. `For` lines name what would end the wait, and why it
// does not come; "For nothing" when the program has nothing of the kind.
#pragma once

#include <string>

#include "explain/liveness.h"

namespace ptxmc::report {

std::string liveness_text(const explain::LivenessOutcome& outcome);

}  // namespace ptxmc::report
