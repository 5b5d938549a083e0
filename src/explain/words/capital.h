// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxmc::explain {

/// With a capital letter in front: a sentence begins with it.
inline std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace ptxmc::explain
