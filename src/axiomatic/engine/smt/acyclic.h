// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/engine/smt/relations.h"

namespace ptxmc::engine::smt {

/// Adds clauses that allow no cycle of r.
void encode_acyclic(Relations& relations, relation::Rel r);

}  // namespace ptxmc::engine::smt
