// SPDX-License-Identifier: Apache-2.0
// `ptxmc explain RULE`: the page of a rule, and the list of all.
#pragma once

#include <optional>
#include <string>

#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "finding/rules.h"

namespace ptxmc::cli {

/// What the table of rules and the rule's page say, in lines of at most 100 columns.
std::string rule_text(const finding::Rule& rule);
/// The same as a JSON object in a line.
std::string rule_json(const finding::Rule& rule);

/// One line a rule: name, severity, summary; as JSON all that `rule_json` has. Throws InputError for another format.
Status list_rules(const Options& options, Streams& streams);
/// Prints the pages if `options.files` are names of rules and not of files; otherwise nullopt. Throws InputError for a word
/// that is no file, and nearly a rule.
std::optional<Status> explain_rules(const Options& options, Streams& streams);

}  // namespace ptxmc::cli
