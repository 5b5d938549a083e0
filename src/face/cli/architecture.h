// SPDX-License-Identifier: Apache-2.0
// Architectures of GPUs as options name them.
#pragma once

#include <string>

namespace ptxmc::cli {

/// "sm_90a"
struct Architecture {
  unsigned number = 90;      ///< 90: sm_90
  std::string suffix = "a";  ///< "a", "f" or nothing

  std::string name() const { return "sm_" + std::to_string(number) + suffix; }
};

/// `sm_90a`, `compute_90a` or `90a`. Throws InputError; `option` as the user wrote it.
Architecture read_architecture(const std::string& option, const std::string& text);

}  // namespace ptxmc::cli
