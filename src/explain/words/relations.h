// SPDX-License-Identifier: Apache-2.0
// The manual's words for the names that a PTX model text uses. A name without a row speaks for itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxmc::explain {

/// How a relation is drawn and told.
enum class Role : std::uint8_t {
  edge,    ///< an edge of its own
  path,    ///< a path: shown by the edges that it is made of
  silent,  ///< as a condition not worth a word
};
Role role_of(const std::string& name);

/// "release pattern" for `relpat`; the name itself where there is no better.
std::string words_of(const std::string& name);

/// The first number of a section list: "8.9.5" of "8.9.5, D10".
std::string first_section(const std::string& section);

}  // namespace ptxmc::explain
