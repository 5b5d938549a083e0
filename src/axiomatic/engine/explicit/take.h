// SPDX-License-Identifier: Apache-2.0
// Where states go, one after the other.
#pragma once

#include <functional>

#include "axiomatic/engine/engine.h"

namespace ptxmc::engine::explicit_ {

/// May move from the state; its witness is empty where it has none.
using Take = std::function<void(State&)>;

}  // namespace ptxmc::engine::explicit_
