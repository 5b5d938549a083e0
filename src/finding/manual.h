// SPDX-License-Identifier: Apache-2.0
// Where the PTX manual is on the web, and which of its editions the numbers of sections are of. Anchors are names, which hold for all
// editions; numbers do not.
#pragma once

#include <string>
#include <string_view>

namespace ptxmc::finding {

/// The address of a section that a rule cites; of the manual itself, if the section has no row.
std::string manual_url(std::string_view section);

/// "PTX ISA 9.4, 9.7.15.1": the sections by the numbers of the newest edition. `sections`: one or several, by those of the sources,
/// "8.8, 9.7.12.1, D16": of PTX ISA 8.4, 9.7.16 of 8.7.
std::string citation(std::string_view sections);

}  // namespace ptxmc::finding
