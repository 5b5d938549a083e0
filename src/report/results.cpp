// SPDX-License-Identifier: Apache-2.0
#include "report/results.h"

#include <fmt/format.h>

namespace ptxmc::report {

std::string VerifyResult::Finding::text() const {
  return fmt::format("{}: {}{}{}", severity, rule, place.empty() ? "" : " at ", place);
}

std::string VerifyResult::bounded() const {
  if (limits.empty()) return "the claim is bounded";
  const std::size_t more = limits.size() - 1;
  return limits.front() +
         (more == 0 ? "" : fmt::format(", and {} reason{} more", more, more == 1 ? "" : "s"));
}

}  // namespace ptxmc::report
