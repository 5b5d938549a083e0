// SPDX-License-Identifier: Apache-2.0
// What the cause of a finding asks for, beside what the extracted test is repaired by.
#pragma once

#include <string>
#include <vector>

#include "repair/kernel/candidates.h"
#include "repair/kernel/module_changes.h"

namespace ptxmc::repair {

/// Changes that are made together.
using Way = std::vector<Option>;

/// Precondition of both: the finding is a pair of accesses.
std::vector<Way> advised(const Asking& asking, const ModuleChanges& changes);
/// An instruction at each of the points between the two accesses, those of one code.
std::vector<Way> meetings(const Asking& asking, const ModuleChanges& changes, const std::string& instruction);

}  // namespace ptxmc::repair
