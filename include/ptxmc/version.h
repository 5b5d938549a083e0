// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which ptxmc this is.
#pragma once

#include <string_view>

#include "ptxmc/export.h"

namespace ptxmc::api {

/// The version of the library that runs, "0.1.0": major, minor, patch. While the major number is 0, a new
/// minor version may change this interface and the soname of the library.
PTXMC_EXPORT std::string_view version();

}  // namespace ptxmc::api
