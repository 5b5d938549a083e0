// SPDX-License-Identifier: Apache-2.0
// A slice as a litmus test, whose threads are straight-line code. Its two accesses race in it, if nothing orders them.
//
// What the run read is kept by the test's filter: each strong access on whose result control may rest reads the write that
// it read in the run. What
// threads outside of the slice did for a barrier is kept without the order that it may make: counts of barriers are those
// of the threads that are there, and a thread for each mbarrier object makes the arrivals that are missing, relaxed.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bridge/extract/log.h"
#include "bridge/extract/slice.h"

namespace ptxmc::extract {

struct LitmusTest {
  std::string text;
  unsigned first_line = 0, second_line = 0;  // of the two accesses, from 1
  /// By line, from 1: the instruction of the program that it stands for; nothing: none.
  std::vector<std::optional<trace::Site>> sites;
};

/// Or why the slice cannot be written, as the rest of "not confirmed: ...".
std::variant<LitmusTest, std::string> write_litmus(const Log& log, const Slice& slice,
                                                   const std::string& name);

}  // namespace ptxmc::extract
