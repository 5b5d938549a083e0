// SPDX-License-Identifier: Apache-2.0
// `check --emit-ptx`: a test as a PTX module.
#include "face/cli/verbs.h"
#include "gpu/text/module.h"

namespace ptxmc::cli {

Status emit_files(const Options& options, Streams& streams) {
  return treat_files(options, streams,
                     [](const session::Session&, const Options&, const litmus::Test& test, const SoFar&) {
                       TestReport report;
                       report.output = gpu::print(gpu::write_module(test, "", test.docs));
                       return report;
                     });
}

}  // namespace ptxmc::cli
