// SPDX-License-Identifier: Apache-2.0
// A module as a list: what can be launched, and with what.
#pragma once

#include <string>

#include "ptx/syntax.h"

namespace ptxmc::launch {

/// Entries, their parameters, shared memory and required sizes, and for each a command line for `verb`, complete but
/// for what only the user knows.
std::string list(const ptx::Module& module, const std::string& verb);

}  // namespace ptxmc::launch
