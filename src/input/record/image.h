// SPDX-License-Identifier: Apache-2.0
// The PTX of what a program hands to the driver: a fat binary, text, or an object file, which has none itself.
#pragma once

#include <string_view>

#include "input/record/folders.h"

namespace ptxmc::record {

using Ptx = PtxFolders::Found;

/// The PTX that a device of this architecture (90: sm_90) would compile. Throws InputError: there is none, with what to do
/// about it; or it is damaged.
Ptx ptx_of(std::string_view image, unsigned architecture, const PtxFolders& folders);

}  // namespace ptxmc::record
