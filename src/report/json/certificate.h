// SPDX-License-Identifier: Apache-2.0
// A certificate of `conform` as JSON, one object on one line; what its fields are, schema.json says.
#pragma once

#include <string>

#include "observed/certificate.h"

namespace ptxmc::report {

/// `other`, what it is compared with, may be null. Ends with a line end.
std::string certificate_json(const observed::Certificate& certificate, const observed::Certificate* other);

}  // namespace ptxmc::report
