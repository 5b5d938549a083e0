// SPDX-License-Identifier: Apache-2.0
// The minimal tests of a size: forbidden, and allowed as soon as anything of them is weaker (relax.h).
//
// Orders of a program form a lattice, and what is forbidden stays so where orders are stronger. So the minimal ones of a program
// and a condition are found from above: from the strongest orders down to a minimal element, then below each of the greatest
// elements that are not above it, and so on (as maximal independent sets are enumerated); what follows from an answer about weaker or
// stronger orders is not asked. Each of them is then asked of each of
// its relaxations, so that a test that is listed is minimal, whatever the model; that none is missing rests on what is
// forbidden staying so, which tests compare with an enumeration of all tests of small sizes.
#pragma once

#include <vector>

#include "generate/oracle.h"
#include "generate/orders.h"
#include "generate/sketch.h"

namespace ptxmc::generate {

/// All of so many operations, up to symmetry, in the order of their encodings, named.
std::vector<Sketch> minimal_tests(std::size_t size, const Alphabet& alphabet, const session::Session& session,
                                  const Budget& budget, unsigned jobs);

/// Tests that one model allows and the other forbids.
struct Difference {
  Sketch test;
  bool first_forbids = false;  ///< else the second one does
};
/// The tests of so many operations, up to symmetry, that are minimal to the model that forbids them: a test
/// that tells the models apart and is not minimal has relaxations that are still forbidden by the one, and
/// allowed by the other all the more. With Alphabet::sc_apart that holds of models in which a fence.sc is no
/// fence.acq_rel, too.
std::vector<Difference> differences(std::size_t size, const Alphabet& alphabet, const session::Session& first,
                                    const session::Session& second, const Budget& budget, unsigned jobs);

}  // namespace ptxmc::generate
