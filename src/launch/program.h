// SPDX-License-Identifier: Apache-2.0
// A module and the launches of a plan as a program: each PTX thread is a thread, and the threads of a launch share a
// body.
#pragma once

#include "launch/launch.h"
#include "program/program.h"
#include "ptx/syntax.h"

namespace ptxmc::launch {

/// Threads of all launches together that a program is made of.
constexpr std::uint64_t kMaxThreads = 2048;

/// Throws InputError, in terms of the module's text or of the plan, for what does not fit together and for what the exact
/// engines cannot take.
program::Program make_program(const ptx::Module& module, const Plan& plan);

}  // namespace ptxmc::launch
