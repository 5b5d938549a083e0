// SPDX-License-Identifier: Apache-2.0
// All tests of a size.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "generate/orders.h"
#include "generate/sketch.h"
#include "support/budget.h"

namespace ptxmc::generate {

/// Calls visit(test) once for each test of so many operations, up to symmetry: every skeleton (skeletons.h), with every order that
/// `semantics` has (empty: all there are) in the alphabet's scopes, and every condition on it. A condition says of one observable at
/// least, and of the others or not, what it is: of a read any value of its location but its own, of a location that is written
/// twice or more the last one. The minimal tests (minimal.h) are among them. Throws OutOfTime.
void for_each_test(std::size_t size, const Alphabet& alphabet, const std::vector<isa::Semantics>& semantics,
                   const Budget& budget, const std::function<void(const Sketch&)>& visit);

}  // namespace ptxmc::generate
