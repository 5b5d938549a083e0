// SPDX-License-Identifier: Apache-2.0
// What tcgen05.mma and tcgen05.cp write, and what they and wgmma.mma_async make of an operand that they read,
// is an unknown function of their operands. A condition speaks of it by what a thread of its own gets, in a
// CTA and at a location of its own, by the same instruction on equal operands.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "generate/sketch.h"

namespace ptxmc::generate {

struct Products {
  Sketch sketch;                                            ///< with these threads behind its own
  std::map<std::pair<int, int>, std::size_t> threads = {};  ///< by location and value of an opaque write
  /// By location and value of an operand, and what reads it.
  std::map<std::tuple<int, AccessKind, int>, std::size_t> operands = {};
};
Products with_products(const Sketch& sketch);

/// "1", or what the thread that gets the product got.
std::string value_text(const Products& products, int location, int value);
/// What a read makes of an operand that holds the value.
std::string product_text(const Products& products, const Operation& read, int value);
/// Parts of a condition: a product is none of the other values of its location.
std::vector<std::string> products_differ(const Products& products);

}  // namespace ptxmc::generate
