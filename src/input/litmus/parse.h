// SPDX-License-Identifier: Apache-2.0
// Reading litmus tests.
#pragma once

#include "input/litmus/test.h"
#include "support/diagnostic.h"

namespace ptxmc::litmus {

/// Parses one test. On any error throws InputError that carries all errors of the file (never crashes, on any
/// bytes). Likely slips that leave it a test (check_uses.cpp) go to `warnings`, where there is one.
Test parse(SourcePtr source, std::vector<Diagnostic>* warnings = nullptr);

}  // namespace ptxmc::litmus
