// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/smt.h"

#include "support/refuse.h"

namespace ptxmc::engine::smt {

Result solve(const Query&) {
  refuse("the SMT engine is not in this build (PTXMC_SMT=OFF); the explicit engine is");
}

bool is_built() {
  return false;
}

}  // namespace ptxmc::engine::smt
