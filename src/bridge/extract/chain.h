// SPDX-License-Identifier: Apache-2.0
// The shortest chain of synchronization from one entry to a later one: whatever could order them if its scopes, its
// semantics and its proxies were right.
#pragma once

#include <cstddef>
#include <vector>

#include "bridge/extract/log.h"

namespace ptxmc::extract {

/// The threads that it goes through, the two ends' too; empty: there is none. Fewest changes of thread.
std::vector<trace::Thread> chain(const Log& log, std::size_t first, std::size_t second);

}  // namespace ptxmc::extract
