// SPDX-License-Identifier: Apache-2.0
// What `generate` and `repair` cost, which ask about many programs each.
#pragma once

#include <string>

namespace ptxmc::bench {

/// Prints a table: all minimal tests of four and of five operations, and the repair of each NAME+buggy.litmus of a folder, the dearest
/// ones by name.
void print_questions(const std::string& program, const std::string& folder);

}  // namespace ptxmc::bench
