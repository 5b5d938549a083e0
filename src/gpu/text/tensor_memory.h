// SPDX-License-Identifier: Apache-2.0
// Tensor memory in a module: the .tensor variables of a test are columns of one allocation, made by the first
// warp of each CTA before the threads of the test run, and freed when they are done. A variable is a register
// with the address of its first column. Initial values are not stored: a module alone has no four warps to do
// it; the comment at its head says so.
#pragma once

#include <string>
#include <vector>

#include "gpu/text/facts.h"

namespace ptxmc::gpu {

/// The register that holds the address of a .tensor variable.
std::string tensor_register(const std::string& variable);
/// Nothing in these where the test declares no .tensor variable.
std::vector<std::string> tensor_declarations(const Facts& facts,
                                             const std::string& prefix);  ///< of the module
std::vector<std::string> tensor_registers(const Facts& facts);            ///< of an entry
/// All threads of the CTA run both; the first 32 are the warp that allocates.
std::vector<std::string> tensor_prologue(const Facts& facts, const std::string& prefix);
std::vector<std::string> tensor_epilogue(const Facts& facts, const std::string& prefix);

}  // namespace ptxmc::gpu
