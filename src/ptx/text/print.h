// SPDX-License-Identifier: Apache-2.0
// A module as PTX text, of which parse_module() makes the same tree again.
#pragma once

#include <string>

#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

std::string print(const Module& module);

}  // namespace ptxmc::ptx
