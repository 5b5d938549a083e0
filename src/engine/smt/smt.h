// SPDX-License-Identifier: Apache-2.0
// The SMT engine: encodes the program graph and the model for Z3. No Z3 type leaves this folder.
#pragma once

#include "engine/engine.h"

namespace ptxmc::engine::smt {

Result solve(const Query& query);

}  // namespace ptxmc::engine::smt
