// SPDX-License-Identifier: Apache-2.0
// What a model allows beside what was observed, as a page.
#pragma once

#include <string>
#include <vector>

#include "observed/compare.h"

namespace ptxmc::report {

/// A page with a heat table: a row a test, a cell a state, coloured by how often it was observed.
std::string compare_html(const std::vector<observed::Comparison>& comparisons);

}  // namespace ptxmc::report
