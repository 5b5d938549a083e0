// SPDX-License-Identifier: Apache-2.0
// The reports of a file's tests, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "face/cli/inputs.h"
#include "face/cli/present.h"
#include "face/cli/settings.h"
#include "face/cli/verbs.h"
#include "session/analysis.h"

namespace ptxmc::cli {

/// What is done with every input. All of it outlives the work.
struct Work {
  const session::Session& session;
  const Options& options;
  Treatment treat;
  const std::vector<Input>& inputs;
  std::istream& in;  ///< standard input, for the one worker that takes "-"
};

/// The reports of a test whose work is stopped: beyond its time, beyond its memory, from outside.
struct Stopped {
  TestReport late, large, killed;
};

/// Calls emit(report) for each test of an input but the first `skip`, and begin(test) before the work on it.
/// What goes wrong with one test is that test's report; an input that cannot be read is one report. so_far(reports),
/// which may be empty, whenever more is known of the test at hand.
void report_on(const Work& work, std::size_t input, std::size_t skip,
               const std::function<void(const litmus::Test&)>& begin,
               const std::function<void(TestReport)>& emit,
               const std::function<void(const Stopped&)>& so_far);

// As text, for another process of this program.
std::string pack(std::uint64_t number);
std::uint64_t unpack_number(std::string_view text);  ///< at its beginning
std::string pack(const TestReport& report);
TestReport unpack_report(std::string_view text);

}  // namespace ptxmc::cli
