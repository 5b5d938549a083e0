// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/paths.h"

#include <algorithm>

namespace ptxmc::exec {

PathConditions::Path PathConditions::longer(Path path, Condition condition) {
  nodes_.push_back({path, condition});
  return static_cast<Path>(nodes_.size() - 1);
}

std::uint32_t PathConditions::number() {
  if (std::all_of(now.begin(), now.end(), [](Path path) { return path == 0; })) return 0;
  const auto [known, fresh] = numbers_.try_emplace(now, static_cast<std::uint32_t>(numbered_.size()));
  if (fresh) numbered_.push_back(now);
  return known->second;
}

bool PathConditions::exclude(At first, At second) {
  if (some_meet_) return false;
  const Path a = numbered_[first.number][first.lane], b = numbered_[second.number][second.lane];
  const auto [known, fresh] = known_.try_emplace(std::minmax(a, b), false);
  if (fresh) known->second = ask(a, b);
  some_meet_ = !known->second;
  return known->second;
}

void PathConditions::add(Path path, std::vector<Condition>& all) const {
  for (; path != 0; path = nodes_[path].before) {
    if (nodes_[path].condition.guard != kNoTerm) all.push_back(nodes_[path].condition);
  }
}

bool PathConditions::ask(Path first, Path second) {
  std::vector<Condition> all;
  for (const Path path : {first, second}) add(path, all);
  return !all.empty() && judge_->exclude(terms_, all);
}

ConditionJudge::Numbers PathConditions::numbers(Path path, Term term, unsigned bits) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;  // numbers that one run asks for
  if (term == kNoTerm || some_meet_) return std::nullopt;
  std::vector<Condition> all;
  add(path, all);
  ConditionJudge::Numbers out = judge_->numbers(terms_, term, bits, all);
  if (!out || places_ + out->size() > kMost) return std::nullopt;
  places_ += out->size();
  return out;
}

}  // namespace ptxmc::exec
