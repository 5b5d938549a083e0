// SPDX-License-Identifier: Apache-2.0
// Many launches at once: in processes of their own, of one shard; and results of several runs as one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/status.h"
#include "cli/streams.h"
#include "cli/verify_verb.h"
#include "report/json/results.h"

namespace ptxmc::cli {

/// What an input came to.
struct InputReport {
  std::string out, err, results;  ///< results: lines of report/json/results.h
  Status status = Status::ok;
};

/// Calls work(i) for each of the inputs, in a process each, `jobs` at a time (0: one a core), and emit(report) here in their
/// order. A process that dies is that input's failure. Ends early on Ctrl-C.
void verify_in_processes(const std::vector<std::string>& inputs, unsigned jobs,
                         const std::function<InputReport(std::size_t)>& work,
                         const std::function<void(const InputReport&)>& emit);

/// --merge: the files are results.
Status merge_results(const VerifyOptions& options, Streams& streams);

}  // namespace ptxmc::cli
