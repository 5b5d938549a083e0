// SPDX-License-Identifier: Apache-2.0
// Colours of reports and messages on a terminal.
#pragma once

#include <string>

#include "face/cli/settings.h"
#include "face/cli/streams.h"

namespace ptxmc::cli {

/// Text for standard output, or for a file in its place: coloured where `--color` says so; else on a terminal, unless the
/// environment sets NO_COLOR.
std::string painted_report(const std::string& text, const Options& options, const Streams& streams);
/// The same of messages, for standard error. What a terminal would act on in them is made visible.
std::string painted_messages(const std::string& text, const Options& options, const Streams& streams);

}  // namespace ptxmc::cli
