// SPDX-License-Identifier: Apache-2.0
// Pairs that a relation may have in some execution of a path: an upper bound, beside the lower bounds that the
// evaluator gives (evaluator.h).
#pragma once

#include "axiomatic/engine/explicit/evaluator.h"

namespace ptxmc::engine::explicit_ {

/// Contains every pair that r has in an execution of the path. The evaluator keeps what holds whatever is chosen
/// (Evaluator::keep_as_base): such pairs on the right of a difference are out.
relation::BitMatrix possible_pairs(const Evaluator& evaluator, relation::Rel r);

}  // namespace ptxmc::engine::explicit_
