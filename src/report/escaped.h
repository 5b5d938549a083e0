// SPDX-License-Identifier: Apache-2.0
// Text within HTML, SVG and XML.
#pragma once

#include <string>
#include <string_view>

namespace ptxmc::report {

/// The characters that markup is made of, as entities; in text as in attributes.
std::string escaped(std::string_view text);

}  // namespace ptxmc::report
