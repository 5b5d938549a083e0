// SPDX-License-Identifier: Apache-2.0
// All small programs: the evidence that a clause of the model is redundant.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ptxmc::testing {

/// Calls visit(text) for every program of two threads with at most `size` instructions in all, at most half
/// of them (rounded up) in one thread and at least one access in each, over two locations and an alphabet of
/// weak and strong accesses, fences, atomics, an alias, an alias fence and a barrier, placed in one CTA or in
/// two; up to exchanging the locations and the threads. Threads that share no location are left out.
void for_each_small_program(std::size_t size, const std::function<void(const std::string& text)>& visit);

}  // namespace ptxmc::testing
