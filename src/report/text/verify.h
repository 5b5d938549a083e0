// SPDX-License-Identifier: Apache-2.0
// A verified launch as text.
#pragma once

#include <string>

#include "explain/verify/verified.h"

namespace ptxmc::report {

/// Text for people, several lines. `quiet`: findings and the claim alone.
std::string verify_text(const explain::Verified& verified, bool quiet);

}  // namespace ptxmc::report
