// SPDX-License-Identifier: Apache-2.0
// A verified launch as text.
#pragma once

#include <string>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::report {

/// Text for people, several lines. `quiet`: findings and the claim alone.
std::string verify_text(const claim::VerifyResult& verified, bool quiet);

}  // namespace ptxmc::report
