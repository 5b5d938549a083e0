// SPDX-License-Identifier: Apache-2.0
// Lines of the language that a module was compiled from, by `.loc` and `.file` (11.5).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ptx/syntax.h"

namespace ptxmc::launch {

/// Of each instruction that has one, by its line in the module: "kernel.cu:88", the file without its folder.
std::map<std::uint32_t, std::string> source_lines(const ptx::Module& module);

}  // namespace ptxmc::launch
