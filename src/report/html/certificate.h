// SPDX-License-Identifier: Apache-2.0
// A certificate of `conform` as a page.
#pragma once

#include <string>

#include "observed/certificate.h"

namespace ptxmc::report {

/// Tables of all axes, a heat table of all tests, and why what was seen is forbidden. `other` may be null.
std::string certificate_html(const observed::Certificate& certificate, const observed::Certificate* other);

}  // namespace ptxmc::report
