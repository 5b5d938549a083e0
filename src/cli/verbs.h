// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, and running one.
#pragma once

#include <string>
#include <vector>

#include "cli/settings.h"
#include "cli/status.h"
#include "cli/streams.h"

namespace ptxmc::cli {

/// Runs a whole command line, without the program's name. Never throws.
Status run(const std::vector<std::string>& arguments, Streams& streams);

/// `check`: all tests of `options.files`, in order of input.
Status check_files(const Options& options, Streams& streams);

// `model`; these throw InputError for an unknown profile or a bad text.
Status model_list(Streams& streams);
Status model_show(const std::string& profile, Streams& streams);
Status model_check(const std::vector<std::string>& files, Streams& streams);
Status model_base(Streams& streams);

}  // namespace ptxmc::cli
