// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/target.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::isa {

Target both(const Target& a, const Target& b) {
  Target result = a.sm > b.sm || (a.sm == b.sm && a.specific) ? a : b;
  result.version = std::max(a.version, b.version);
  return result;
}

bool lacks(const Target& have, const Target& need) {
  if (have.version < need.version || have.sm < need.sm) return true;
  return need.specific && (!have.specific || have.sm != need.sm);
}

std::string version_name(const Target& target) {
  return fmt::format("{}.{}", target.version / 10, target.version % 10);
}

std::string sm_name(const Target& target) {
  return fmt::format("sm_{}{}", target.sm, target.specific ? "a" : "");
}

}  // namespace ptxmc::isa
