// SPDX-License-Identifier: Apache-2.0
// Places in JSON, in the same words wherever they stand.
#pragma once

#include <nlohmann/json.hpp>

#include "support/origins.h"
#include "support/source.h"

namespace ptxmc::report {

/// "line" and "column"; and of a module that says what it was compiled from "source": "barrier.h:120", the innermost frame, and
/// "inlined_at": ["atomic.h:7", "sum.cu:9"], its callers, if it has some. Nothing of an unknown position.
void add_position(nlohmann::ordered_json& out, Position position, const Origin& origin);

}  // namespace ptxmc::report
