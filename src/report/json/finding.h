// SPDX-License-Identifier: Apache-2.0
// A finding as JSON, for every verb.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "explain/finding.h"

namespace ptxmc::report {

/// The object "finding" of schema.json, without "execution". `file`: in which the places are.
nlohmann::ordered_json json_of(const explain::Finding& finding, const std::string& file);

}  // namespace ptxmc::report
