// SPDX-License-Identifier: Apache-2.0
// From a checked test to what the user sees of it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "face/cli/answer.h"
#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "session/analysis.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

/// How a test counts in the summary of a run.
enum class Tally : std::uint8_t {
  as_stated,
  not_as_stated,
  unknown,
  no_verdict,
  bad_input,
  failed,
  explained
};

struct TestReport {
  std::string output;    ///< for standard output or -o
  std::string messages;  ///< for standard error
  Status status = Status::ok;
  Tally tally = Tally::no_verdict;
  /// Writes the output where that is too long to be kept; `output` is then empty. Needs the session and the options.
  std::function<void(std::ostream&)> write = {};
};

/// The status of an answer, and how it counts; `good`: where nothing is wrong and nothing open.
void take_answer(TestReport& report, Answer answer, Tally good);

/// `file` names the test in messages. Throws InputError for a --show name that does not exist.
TestReport present(const session::Session& session, const Options& options,
                   const std::shared_ptr<const session::Analysis>& analysis);

/// "FILE:LINE:COLUMN"; FILE where the position is unknown.
std::string place_of(const std::string& file, Position position);

/// Throws the error for a --format that something has not: "races has no such --format; text, json and dot".
[[noreturn]] void refuse_format(const std::string& what, const std::string& known);

/// Reports of tests that did not come that far.
TestReport bad_input(const Options& options, const std::string& file, const InputError& error);
/// Beyond a limit: `reason` as in engine::Result::unknown; `test` may be empty.
TestReport gave_up(const Options& options, const std::string& file, const std::string& test,
                   const std::string& reason);
TestReport failed(const Options& options, const std::string& file, const std::string& what);

}  // namespace ptxmc::cli
