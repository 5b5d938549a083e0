// SPDX-License-Identifier: Apache-2.0
#include "support/check.h"

#include <fmt/format.h>

namespace ptxmc {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(fmt::format("{}:{}: {}: {}", file, line, condition, message));
}

}  // namespace ptxmc
