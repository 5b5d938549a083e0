// SPDX-License-Identifier: Apache-2.0
// Where the PTX manual is on the web, and which of its editions the numbers of sections are of. Anchors are names, which hold for all
// editions; numbers do not.
#pragma once

#include <string>
#include <string_view>

namespace ptxmc::finding {

/// The address of a section that a rule cites; of the manual itself, if the section has no row.
std::string manual_url(std::string_view section);

/// "PTX ISA 8.4, 9.7.12.1": the sections, and the edition whose numbers these are. `sections`: one or several, "8.8, 9.7.12.4, D16".
std::string citation(std::string_view sections);

}  // namespace ptxmc::finding
