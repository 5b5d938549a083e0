// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, and running one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "face/cli/present.h"
#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "input/litmus/test.h"

namespace ptxmc::cli {

/// Runs a whole command line, without the program's name. Never throws.
Status run(const std::vector<std::string>& arguments, Streams& streams);

/// What a test has come to so far, told by who works on it: the report that it gets if its work must be stopped, for
/// the given reason ("timeout").
using SoFar = std::function<void(const std::function<TestReport(const std::string& reason)>&)>;

/// What a verb does with one test; several run at once. Throws InputError for a test that ptxmc refuses. A
/// file holds one test, or several in NVIDIA's `.test` notation (inputs.h).
using Treatment = TestReport (*)(const session::Session& session, const Options& options,
                                 const litmus::Test& test, const SoFar& so_far);
/// All tests of `options.files`, in order of input, with progress, summary and -o.
Status treat_files(const Options& options, Streams& streams, Treatment treat);

/// `races`: every race of every test.
Status races_files(const Options& options, Streams& streams);
/// `explain`: why the condition's outcome is forbidden or allowed, of every test.
Status explain_files(const Options& options, Streams& streams);
/// Why one test's condition is forbidden or allowed. Throws InputError.
TestReport explain_outcome(const Options& options, const litmus::Test& test);
/// `repair`: the least changes that remove what is wrong, of every test.
Status repair_files(const Options& options, Streams& streams);
/// `compare`: the model against logs or another model.
Status compare_files(const CompareOptions& options, Streams& streams);
/// `check --property liveness`: can anybody wait forever, in every test.
Status liveness_files(const Options& options, Streams& streams);
/// `check --emit-ptx`: the module of every test.
Status emit_files(const Options& options, Streams& streams);
/// `run`: tests on a GPU.
Status run_files(const GpuOptions& options, Streams& streams);
/// `run --tune`: a search for parameters that show weak behaviour often.
Status tune_files(const GpuOptions& options, Streams& streams);
/// `run --limit`: accesses to memory a second, without a test.
Status show_limit(const GpuOptions& options, Streams& streams);
/// `run --campaign`; Ctrl-C is the caller's to handle (interrupt.h).
Status run_campaign(const GpuOptions& options, Streams& streams);
/// `conform`: a suite on a GPU, and its certificate.
Status conform(const ConformOptions& options, Streams& streams);
/// `check`: all tests of `options.files`, in order of input.
Status check_files(const Options& options, Streams& streams);

// `model`; these throw InputError for an unknown profile or a bad text.
Status model_list(const Options& options, Streams& streams);
Status model_show(const std::string& profile, Streams& streams);
Status model_check(const Options& options, const std::vector<std::string>& files, Streams& streams);
Status model_base(const Options& options, Streams& streams);
Status model_readings(const Options& options, Streams& streams);

}  // namespace ptxmc::cli
