// SPDX-License-Identifier: Apache-2.0
// Programs without orders: which operations of which locations in which threads, and where the threads are.
#pragma once

#include <functional>
#include <vector>

#include "generate/orders.h"
#include "generate/sketch.h"

namespace ptxmc::generate {

/// Calls visit(skeleton) once for every program of so many operations (loads, stores, atomic exchanges, fences), up to symmetry, that a
/// minimal test may have. Left out is what has a part that no outcome can need:
///  - a location that no thread writes, or that one of several threads alone accesses: what a thread does
///    there is ordered by program order, no other thread can tell, and it carries no pattern of 8.8 to any;
///  - a fence before or after all accesses of its thread, which orders nothing;
///  - threads that share no location with the others, even through others: each part would be forbidden alone, or is not.
/// Orders are the weakest. Threads are apart as the scopes can tell: in one CTA or several, on one GPU or several.
void for_each_skeleton(std::size_t size, const Alphabet& alphabet,
                       const std::function<void(const Sketch&)>& visit);

}  // namespace ptxmc::generate
