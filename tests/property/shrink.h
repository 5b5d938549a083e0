// SPDX-License-Identifier: Apache-2.0
// Shrinking a failing test: the smallest test, by local steps, that still fails in the same way.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "input/litmus/test.h"

namespace ptxmc::testing {

/// Every test that is one step simpler: a thread, an instruction, a guard, a variable or an observed name
/// less; weaker semantics, wider scope, plainer placement, a smaller condition. Not all of them are valid
/// tests.
std::vector<litmus::Test> simpler(const litmus::Test& test);

/// `fails` gets candidates as text (it has to parse them, and answer false when they do not) and says whether
/// the candidate still shows the failure. Returns the text of a test that no single step shrinks further.
std::string shrink(const litmus::Test& test, const std::function<bool(const std::string& text)>& fails);

}  // namespace ptxmc::testing
