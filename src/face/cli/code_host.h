// SPDX-License-Identifier: Apache-2.0
// What hosts of code need of a SARIF file: the CUDA sources that results are in, and the id that tells runs apart.
#pragma once

#include "face/cli/settings.h"
#include "report/sarif/sarif.h"

namespace ptxmc::cli {

/// By the verb, --category and --source of the options.
void prepare_for_host(const Options& options, report::Sarif& sarif);

}  // namespace ptxmc::cli
