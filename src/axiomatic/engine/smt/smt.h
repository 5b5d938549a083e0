// SPDX-License-Identifier: Apache-2.0
// The SMT engine: encodes the program graph and the model for Z3. No Z3 type leaves this folder.
#pragma once

#include "axiomatic/engine/engine.h"

namespace ptxmc::engine::smt {

/// Throws InputError where this build is without the engine, or the system without Z3.
Result solve(const Query& query);
/// Is the engine in this build? (PTXMC_SMT)
bool is_built();

}  // namespace ptxmc::engine::smt
