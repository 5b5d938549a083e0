// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/nesting.h"

#include <algorithm>

namespace ptxmc::repair {

Nesting::Nesting(const flow::Code& code)
    : next_(flow::successors(flow::jumps_of(code).of)),
      dominator_(flow::dominators(next_, 0)),
      postdominator_(flow::postdominators(next_, next_.size() - 1)),
      loops_(flow::natural_loops(next_)) {}

std::vector<std::size_t> Nesting::branches(std::size_t index) const {
  std::vector<std::size_t> out;
  for (std::size_t at = dominator_[index]; at != flow::kNowhere; at = dominator_[at]) {
    if (next_[at].size() > 1 && !comes_after(index, at)) out.push_back(at);
  }
  return out;
}

bool Nesting::together(std::size_t first, std::size_t second) const {
  std::size_t at = second;
  while (at != flow::kNowhere && at != first) at = dominator_[at];
  const bool alike = std::all_of(loops_.begin(), loops_.end(), [&](const flow::NaturalLoop& loop) {
    return loop.holds[first] == loop.holds[second];
  });
  return at == first && comes_after(second, first) && alike;
}

/// All paths from the one come to the other.
bool Nesting::comes_after(std::size_t index, std::size_t from) const {
  std::size_t at = from;
  while (at != flow::kNowhere && at != index) at = postdominator_[at];
  return at == index;
}

std::size_t Nesting::loops(std::size_t index) const {
  return static_cast<std::size_t>(std::count_if(loops_.begin(), loops_.end(), [&](const auto& loop) {
    return index < loop.holds.size() && loop.holds[index];
  }));
}

}  // namespace ptxmc::repair
