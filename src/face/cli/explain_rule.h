// SPDX-License-Identifier: Apache-2.0
// `ptxmc explain RULE`: the page of a rule, and the list of all.
#pragma once

#include <optional>

#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"

namespace ptxmc::cli {

/// One line a rule: name, severity, summary; as JSON all of it, with its page. Throws InputError for another format.
Status list_rules(const Options& options, Streams& streams);
/// Prints the pages if `options.files` are names of rules and not of files; otherwise nullopt. Throws InputError for a word
/// that is no file, and nearly a rule.
std::optional<Status> explain_rules(const Options& options, Streams& streams);

}  // namespace ptxmc::cli
