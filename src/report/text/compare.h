// SPDX-License-Identifier: Apache-2.0
// What a model allows beside what was observed, as text.
#pragma once

#include <string>
#include <vector>

#include "observed/compare.h"

namespace ptxmc::report {

/// "FORBIDDEN BUT OBSERVED"; `other` as in Comparison.
std::string word_of(observed::Standing standing, const std::string& other);
/// "Compare MP\n..." with a line a state.
std::string compare_text(const observed::Comparison& comparison);
/// A line a family, and one for all. `other` as in Comparison.
std::string summary_text(const std::vector<observed::Comparison>& comparisons, const std::string& other = "");

}  // namespace ptxmc::report
