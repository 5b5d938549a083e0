// SPDX-License-Identifier: Apache-2.0
// A page for each rule: what it means, an example wrong and right, and how to waive it. Source: src/finding/pages/RULE.md,
// whose examples tests/rules runs.
#pragma once

#include <string_view>

#include "finding/rules.h"

namespace ptxmc::finding {

/// In Markdown, from the heading `# RULE` on. Empty for `own_flag`.
std::string_view page_of(RuleId id);

}  // namespace ptxmc::finding
