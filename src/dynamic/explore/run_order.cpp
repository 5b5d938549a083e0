// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/run_order.h"

#include <map>
#include <utility>

namespace ptxmc::explore {

std::set<trace::Address> shared_in(const std::vector<exec::ContendedAccess>& turns) {
  std::map<trace::Address, trace::Thread> first;
  std::set<trace::Address> out;
  for (const exec::ContendedAccess& turn : turns) {
    if (first.emplace(turn.at, turn.thread).first->second != turn.thread) out.insert(turn.at);
  }
  return out;
}

RunTurns turns_of(const Waits::Result& result) {
  RunTurns out;
  out.turns = result.verified.outcome.turns;
  out.signature = canonical_trace_of(out.turns);
  out.before.resize(out.turns.size());
  out.known = true;
  out.passes_polls = result.detector->passes_polls();
  const std::set<trace::Address> shared = shared_in(out.turns);
  std::map<trace::Address, std::vector<std::size_t>> at;
  for (std::size_t i = 0; i < out.turns.size(); ++i) at[out.turns[i].at].push_back(i);
  std::map<std::size_t, std::size_t> turns;  // by their numbers among all
  std::vector<std::pair<std::size_t, std::vector<bool>>> behind;
  for (const auto& [place, numbers] : at) {
    const auto before = result.detector->before(place);
    const auto among_all = result.detector->numbered(place);
    if (!before || !among_all || before->size() != numbers.size()) {
      // Those of one thread are in its order.
      const bool alone = !shared.contains(place) && result.detector->turns_at(place) == numbers.size();
      out.known = out.known && alone;
      continue;
    }
    for (std::size_t later = 0; later < numbers.size(); ++later) {
      turns[(*among_all)[later].number] = numbers[later];
      behind.emplace_back(numbers[later], (*among_all)[later].behind);
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        if ((*before)[later][earlier]) out.before[numbers[later]].insert(numbers[earlier]);
      }
    }
  }
  for (const auto& [later, all] : behind) {
    for (const auto& [number, earlier] : turns) {
      if (number < all.size() && all[number]) out.before[later].insert(earlier);
    }
  }
  return out;
}

}  // namespace ptxmc::explore
