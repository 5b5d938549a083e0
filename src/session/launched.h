// SPDX-License-Identifier: Apache-2.0
// Launches of a module as what is checked.
#pragma once

#include "input/launch/program.h"
#include "input/litmus/test.h"
#include "support/source.h"

namespace ptxmc::session {

/// The program of the launches, with the lines of the language after it; named after the kernel. Throws
/// InputError, as the readers of `ptx` and `launch` do. `beside` may be null.
litmus::Test launched(const SourcePtr& module, const launch::Plan& plan, const launch::Choice& choice = {},
                      launch::Beside* beside = nullptr);

}  // namespace ptxmc::session
