// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

namespace ptxmc::testing {

/// Shows the text when the part is not in it.
inline bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("got: " << text);
  return found;
}

}  // namespace ptxmc::testing
