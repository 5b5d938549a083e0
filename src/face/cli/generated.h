// SPDX-License-Identifier: Apache-2.0
// Tests that were made, on their way to files or standard output: what `generate` and `model diff` share.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "generate/judge.h"
#include "session/analysis.h"

namespace ptxmc::cli {

/// A test that was made.
struct Made {
  std::string name, text;
  std::string verdicts;  ///< JSON: [{model, readings, answer, unknown}]
};

/// What a run came to, but for its tests.
struct Results {
  std::string messages;
  Status status = Status::ok;
  bool whole = true;  ///< no limit stopped it before all tests were there
};

/// Takes what a run makes, as it is made: a line for standard output, before the tests if there is one, and the tests.
class Taker {
 public:
  virtual ~Taker() = default;
  virtual void summary(const std::string& line) = 0;
  virtual void test(const Made& test) = 0;
};

/// The name, or that with +2, +3 ... where it came before: names are those of files.
std::string told_apart(std::map<std::string, int>& seen, const std::string& name);
/// Adds what is wrong with an answer, or why it is unknown, to messages and status; whether it is known.
bool note(const std::string& name, const generate::Judged& judged, Results& results);
/// What a session says of a test, for Made::verdicts.
nlohmann::ordered_json verdict_json(const session::Session& session, const generate::Judged& judged);
/// `Verdict`, with the model and the readings that it is about where these are not the defaults.
std::string verdict_key(const session::Session& session);
/// --jobs: 0 is one a core.
unsigned workers_of(unsigned jobs);

/// Works within the limits of time and memory, and writes each test as it is made: to a file of its name in the folder, or, where
/// that is empty, behind the last one to --output or standard output. At a limit, what was made by then stays, but for --output.
/// `work` throws nothing that the user could mend.
Status write_tests(const Options& options, const std::string& folder, const std::vector<std::string>& inputs,
                   Streams& streams, const std::function<Results(Taker&)>& work);

}  // namespace ptxmc::cli
