// SPDX-License-Identifier: Apache-2.0
// Suggestions for misspelt names.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxmc {

/// The candidate with the fewest edits (insert, delete, replace, swap of neighbours; case, and what looks alike, counts half), if it
/// is near enough to be a slip of the keyboard: at most a third of the name's length, and at least one.
std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace ptxmc
