// SPDX-License-Identifier: Apache-2.0
// Base sets and relations straight from the source text: what an instruction's words, its operands and the places
// of threads say, without the lowering. Only of plain instructions: ld, st, atom, red and fences whose addresses
// name a variable; asynchronous groups of threads without branches.
#pragma once

#include <optional>
#include <string>

#include "harness.h"

namespace ptxmc::testing {

/// The first event or pair about which the table of base sets and relations does not agree with the source.
std::optional<std::string> source_difference(const Prepared& prepared);

}  // namespace ptxmc::testing
