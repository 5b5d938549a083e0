// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/canonical_trace.h"

#include <algorithm>

namespace ptxmc::explore {

using exec::ContendedAccess;

namespace {

/// The turns at one location, in some order of those that may change places.
bool begins_with(const std::vector<TurnBlock>& whole, const std::vector<const ContendedAccess*>& part) {
  std::size_t next = 0;
  for (const TurnBlock& block : whole) {
    std::vector<trace::Thread> threads;
    for (; next < part.size() && threads.size() < block.threads.size(); ++next) {
      if (part[next]->writes != block.writes) return false;
      threads.push_back(part[next]->thread);
    }
    std::sort(threads.begin(), threads.end());
    if (!std::includes(block.threads.begin(), block.threads.end(), threads.begin(), threads.end()))
      return false;
  }
  return next == part.size();
}

}  // namespace

CanonicalTrace canonical_trace_of(const std::vector<ContendedAccess>& turns,
                                  const std::vector<std::size_t>& of) {
  CanonicalTrace out;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const ContendedAccess& turn = turns[i];
    std::vector<TurnBlock>& blocks = out[turn.at];
    const bool alone = of.empty() || of[i] == i;
    if ((turn.writes && alone) || blocks.empty() || (blocks.back().writes && alone))
      blocks.push_back({turn.writes, {}});
    std::vector<trace::Thread>& threads = blocks.back().threads;
    threads.insert(std::upper_bound(threads.begin(), threads.end(), turn.thread), turn.thread);
  }
  return out;
}

bool begins_with(const CanonicalTrace& whole, const std::vector<ContendedAccess>& part) {
  std::map<trace::Address, std::vector<const ContendedAccess*>> at;
  for (const ContendedAccess& turn : part) at[turn.at].push_back(&turn);
  return std::all_of(at.begin(), at.end(), [&](const auto& one) {
    const auto found = whole.find(one.first);
    return found != whole.end() && begins_with(found->second, one.second);
  });
}

}  // namespace ptxmc::explore
