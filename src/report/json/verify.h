// SPDX-License-Identifier: Apache-2.0
// The JSON of a run, one object a launch, on one line; what its fields are, schema.json says.
#pragma once

#include <string>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::report {

/// A line of JSON.
std::string verify_json(const claim::VerifyResult& verified);

}  // namespace ptxmc::report
