// SPDX-License-Identifier: Apache-2.0
// Tests that differ by the numbers of their threads, locations, CTAs, GPUs and values alone are one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "generate/sketch.h"

namespace ptxmc::generate {

/// Everything but names, as it is: equal texts are of equal tests.
std::string write(const Sketch& sketch);
/// The same with numbers in the order of their first occurrence. Longer threads come first.
std::string encode(const Sketch& sketch);
/// With numbers in the order of their first occurrence.
Sketch renumbered(const Sketch& sketch);
/// The test with the least encoding among those that are one with this one.
Sketch canonical(const Sketch& sketch);
bool is_canonical(const Sketch& sketch);

/// The sketch with its threads in the given order, and numbers in the order of their first occurrence.
Sketch arranged(const Sketch& sketch, const std::vector<std::size_t>& order);
/// The orders of its threads, but for the one they have, in which a sketch is the same again.
std::vector<std::vector<std::size_t>> symmetries(const Sketch& sketch);

}  // namespace ptxmc::generate
