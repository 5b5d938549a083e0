// SPDX-License-Identifier: Apache-2.0
// Larger members of the scaling families of atomics and locks than are published.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::bench {

struct FamilyMember {
  std::string folder;  ///< "", "all-states" or "count" (find_scaling_tests)
  std::string name;    ///< "AtomInc-128"
  std::string test;
};
std::vector<FamilyMember> family_members();

}  // namespace ptxmc::bench
