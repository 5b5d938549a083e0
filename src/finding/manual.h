// SPDX-License-Identifier: Apache-2.0
// Where the PTX manual is on the web. Anchors are names, which hold for all versions; numbers of sections do not.
#pragma once

#include <string>
#include <string_view>

namespace ptxmc::finding {

/// The address of a section that a rule cites; of the manual itself, if the section has no row.
std::string manual_url(std::string_view section);

}  // namespace ptxmc::finding
