// SPDX-License-Identifier: Apache-2.0
// What rules are about, for readers who meet only their names: in code hosts, in --only and --ignore.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ptxmc::explain {

struct RuleText {
  std::string_view name;     ///< as findings have it
  std::string_view summary;  ///< what is wrong, a sentence without a full stop
  std::string_view help;     ///< what to do; the same
  std::string_view section;  ///< of the PTX manual; empty: it is about the test, or about ptxmc
};

/// Of a stated verdict that is not met, of an input that cannot be read, and of an answer that is open.
constexpr std::string_view kVerdictRule = "verdict";
constexpr std::string_view kInputRule = "input";
constexpr std::string_view kUnknownRule = "unknown";

/// By name. All that `check`, `races` and `verify` find, but flags of a user's own model, which have their own names.
std::span<const RuleText> rule_texts();
/// Null: there is no such rule.
const RuleText* find_rule_text(std::string_view name);
/// Throws InputError, with what may have been meant. `option` as the user wrote it.
void check_rule_name(const std::string& option, const std::string& name);

}  // namespace ptxmc::explain
