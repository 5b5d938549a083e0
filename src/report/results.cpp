// SPDX-License-Identifier: Apache-2.0
#include "report/results.h"

#include <fmt/format.h>

namespace ptxmc::report {

std::string VerifyResult::Finding::text() const {
  return fmt::format("{}: {}{}{}", severity, rule, place.empty() ? "" : " at ", place);
}

}  // namespace ptxmc::report
