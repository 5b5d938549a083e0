// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/loops.h"

#include <algorithm>

#include "dynamic/exec/flow.h"

namespace ptxmc::exec {

std::optional<std::vector<trace::Site>> loops_around(const Code& code, trace::Site site) {
  std::vector<std::pair<std::ptrdiff_t, trace::Site>> found;  // by size
  for (const flow::NaturalLoop& loop : flow::natural_loops(successors(code))) {
    if (!loop.holds[site - code.first]) continue;
    if (!loop.has_one_entry) return std::nullopt;
    found.emplace_back(std::count(loop.holds.begin(), loop.holds.end(), true), code.first + loop.header);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<trace::Site> out;
  for (const auto& [size, head] : found) out.push_back(head);
  return out;
}

}  // namespace ptxmc::exec
