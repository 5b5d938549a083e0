// SPDX-License-Identifier: Apache-2.0
// Who waits for others: a thread that waits forever where it runs alone. A change after which it does not has taken away what it
// waits for, and is no repair of a hang.
#pragma once

#include <optional>
#include <vector>

#include "input/litmus/test.h"
#include "session/analysis.h"
#include "support/budget.h"

namespace ptxmc::repair {

/// By thread; nothing: it is open, or not asked of threads of kernels. Threads of one body are asked together.
std::vector<std::optional<bool>> waits_for_others(const session::Session& session, const litmus::Test& test,
                                                  const Budget& budget);

}  // namespace ptxmc::repair
