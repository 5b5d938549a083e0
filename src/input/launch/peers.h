// SPDX-License-Identifier: Apache-2.0
// Writers outside of a launch, on another GPU, as one thread of it.
#pragma once

#include "input/launch/launch.h"
#include "ptx/program/program.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

/// Adds a thread, in a CTA of its own on another GPU, that does what the peers do, one after the other: each writes 1 into
/// each word of its buffer. What it executes stands in no line of the module.
void add_peers(const Plan& plan, program::Program& out, Diagnostics& of_plan);

}  // namespace ptxmc::launch
