// SPDX-License-Identifier: Apache-2.0
// What tcgen05.mma and tcgen05.cp write, and what wgmma.mma_async makes of an operand that it reads, is a function of their operands that nobody knows. A condition speaks of it by what a thread of
// its own gets, in a CTA and at a location of its own, by the same instruction on equal operands.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generate/sketch.h"

namespace ptxmc::generate {

struct Products {
  Sketch sketch;                                             ///< with these threads behind its own
  std::map<std::pair<int, int>, std::size_t> threads = {};   ///< by location and value of an opaque write
  std::map<std::pair<int, int>, std::size_t> operands = {};  ///< by location and value of what wgmma reads
};
Products with_products(const Sketch& sketch);

/// "1", or what the thread that gets the product got.
std::string value_text(const Products& products, int location, int value);
/// What wgmma makes of an operand that holds the value.
std::string product_text(const Products& products, int location, int value);
/// Parts of a condition: a product is none of the other values of its location.
std::vector<std::string> products_differ(const Products& products);

}  // namespace ptxmc::generate
