// SPDX-License-Identifier: Apache-2.0
#include "dynamic/claim/hangs.h"

#include <algorithm>
#include <array>

#include "finding/rules.h"

namespace ptxmc::claim {

bool was_left_out(const VerifyResult& verified) {
  using enum finding::RuleId;
  constexpr std::array kLeavesOut = {out_of_bounds, misaligned,  wrong_space, mbarrier_misuse,
                                     tensor_map,    tmem_misuse, bad_operand, bulk_copy_to_own_cta};
  return std::any_of(verified.outcome.faults.begin(), verified.outcome.faults.end(), [&](const auto& fault) {
    return std::find(kLeavesOut.begin(), kLeavesOut.end(), fault.rule) != kLeavesOut.end();
  });
}

bool is_guessed(const std::vector<exec::Waiting>& waiting) {
  return std::any_of(waiting.begin(), waiting.end(), [](const auto& one) { return one.guessed; }) &&
         std::all_of(waiting.begin(), waiting.end(),
                     [](const auto& one) { return one.guessed || !one.polls; });
}

namespace {

bool is_hang(const VerifyResult& verified, const std::vector<exec::Waiting>& all) {
  const auto polls = [](const exec::Waiting& waiting) { return waiting.polls; };
  return (!verified.partial() && !verified.peers && !was_left_out(verified)) ||
         std::none_of(all.begin(), all.end(), polls);
}

}  // namespace

bool hangs(const VerifyResult& verified) {
  return verified.outcome.end == exec::End::deadlock && is_hang(verified, verified.outcome.waiting);
}

bool hangs_elsewhere(const VerifyResult& verified) {
  return verified.elected.hang && is_hang(verified, verified.elected.hang->waiting);
}

}  // namespace ptxmc::claim
