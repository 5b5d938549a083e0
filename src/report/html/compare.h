// SPDX-License-Identifier: Apache-2.0
// What a model allows beside what was observed, as a page.
#pragma once

#include <string>
#include <vector>

#include "observed/compare.h"

namespace ptxmc::report {

/// A row a test, a cell a state, coloured by how often it was observed, with a legend; `other` as in Comparison.
std::string heat_table(const std::vector<observed::Comparison>& comparisons, const std::string& other);
/// A page with a heat table.
std::string compare_html(const std::vector<observed::Comparison>& comparisons);

}  // namespace ptxmc::report
