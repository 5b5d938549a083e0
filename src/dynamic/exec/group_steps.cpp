// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/group_steps.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::exec {

GroupSteps::Compared GroupSteps::execute(std::size_t member, std::size_t members, const Code& code,
                                         const Step& step, const Descriptors& matrices) {
  last_ = &step;
  if (differs_) return {};
  PTXMC_CHECK(member < members && members <= kGroupWarps, "a warp of the group");
  const std::uint64_t number = count_[member]++ - base_;
  PTXMC_CHECK(number <= executed_.size(), "what some warp has not executed is remembered");
  if (number == executed_.size()) {
    executed_.push_back({&code, &step, matrices});
    if (members > 1) return {};
  }
  const Executed other = executed_[number];
  const std::uint64_t least = *std::min_element(count_.begin(), count_.begin() + members);
  for (; base_ < least; ++base_) executed_.pop_front();
  const bool is_same = other.step->instruction->text == step.instruction->text;
  if (is_same && other.matrices != matrices) return {Match::other_matrices, other.step};
  // Threads of a litmus test that have code of their own can but execute copies.
  if (other.step == &step || (other.code != &code && is_same)) return {};
  if (is_same) return {Match::another_place, other.step};
  differs_ = true;
  return {Match::another, other.step};
}

const Step* GroupSteps::missing(std::size_t member) const {
  const std::uint64_t number = count_[member] - base_;
  return differs_ || number >= executed_.size() ? nullptr : executed_[number].step;
}

}  // namespace ptxmc::exec
