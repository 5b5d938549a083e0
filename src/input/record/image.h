// SPDX-License-Identifier: Apache-2.0
// The PTX of what a program hands to the driver: a fat binary, text, or an object file, which has none itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/record/container.h"
#include "input/record/folders.h"

namespace ptxmc::record {

using Ptx = PtxFolders::Found;

/// The PTX that a device of this architecture (90: sm_90) would compile. Throws InputError: there is none, with what to do
/// about it; or it is damaged.
Ptx ptx_of(std::string_view image, unsigned architecture, const PtxFolders& folders);

/// Its part of PTX: the newest that is not newer than the device. Null: there is none.
const Part* best_ptx(const std::vector<Part>& parts, unsigned architecture);
/// Text ends at its first zero, if it has one.
std::string module_text(std::string_view bytes);

}  // namespace ptxmc::record
