// SPDX-License-Identifier: Apache-2.0
// Launches in processes of their own, within limits of time and memory, of one shard; and results of several runs as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "face/cli/child.h"
#include "face/cli/inputs.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "face/cli/verify_verb.h"
#include "report/html/verify.h"
#include "report/json/results.h"

namespace ptxmc::cli {

/// Why the process of an input is ended before its work is done.
enum class Cut : std::uint8_t { timeout, memory, killed, interrupted };
constexpr Cut kCuts[] = {Cut::timeout, Cut::memory, Cut::killed, Cut::interrupted};
std::string_view name_of(Cut cut);

/// What an input, or a part of it, came to.
struct InputReport {
  std::string out, err, results;  ///< results: lines of report/json/results.h
  std::string accepted;           ///< lines of acceptance_notes.h
  std::vector<report::VerifySection> sections;
  Status status = Status::ok;
  bool decided = false;  ///< a test of it has a proof or an error

  void add(const InputReport& next);
};

/// How the process of an input says what that came to.
struct Telling {
  std::function<void(const InputReport&)> done;  ///< a test of it: this holds whatever follows
  /// The report of the test at hand, if it is cut from now on.
  std::function<void(const std::function<InputReport(Cut)>&)> so_far;
};

struct Batch {
  std::vector<std::string> inputs;
  unsigned jobs = 1;                                      ///< processes at a time; 0: one a core
  Confines confines;                                      ///< of each test
  std::function<void(std::size_t, const Telling&)> work;  ///< in the process of an input
  std::function<InputReport(std::size_t, Cut)> nothing;   ///< of one that is cut before it has said anything
  std::function<void(const InputReport&)> emit;           ///< here, in the order of the inputs
};

/// A process that dies is that input's failure. Ends early on Ctrl-C: with what the processes at work have found.
void verify_in_processes(const Batch& batch);

/// --merge: the files are results.
Status merge_results(const VerifyOptions& options, Streams& streams);

}  // namespace ptxmc::cli
