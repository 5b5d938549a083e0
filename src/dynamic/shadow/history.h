// SPDX-License-Identifier: Apache-2.0
// Every access of every byte, where all racing pairs are asked for and not one a cell: for small programs, and to replay
// what a finding is about.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {

class History {
 public:
  History(const Order& order, const Kinds& kinds) : order_(order), kinds_(kinds) {}

  /// Calls report(mark, pair) for the accesses of a byte that race with this one.
  template <typename Report>
  void touch(Address byte, const ShadowAccess& mark, Thread thread, Report&& report) {
    std::vector<Entry>& entries = bytes_[byte];
    const std::vector<Pair> pairs = relate(entries, kinds_[mark.kind], thread);
    const Kind& kind = kinds_[mark.kind];
    Entry entry{mark, {}, observed(entries, kind, thread)};
    const bool sees = kind.effect == Effect::update && kind.decides && !kind.keeps;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entry.before.push_back(pairs[i] == Pair::ordered);
      if (pairs[i] == Pair::ordered || pairs[i] == Pair::freed ||
          (!kinds_[entries[i].mark.kind].writes() && !kind.writes()))
        continue;
      if (order_.never_race(entries[i].mark, kind, thread)) continue;
      // What an atomic writes comes after what it observes.
      if (sees && std::find(entry.observed.begin(), entry.observed.end(), i) != entry.observed.end())
        continue;
      if (!observed_before(entries, i, pairs)) report(entries[i].mark, pairs[i]);
    }
    entries.push_back(std::move(entry));
  }

 private:
  struct Entry {
    ShadowAccess mark;
    std::vector<bool> before;           // which of the entries before are ordered before it
    std::vector<std::size_t> observed;  // writes that it observes in all schedules (8.9.2)
  };
  std::vector<std::size_t> observed(const std::vector<Entry>& entries, const Kind& kind, Thread thread) const;
  bool observed_before(const std::vector<Entry>& entries, std::size_t write,
                       const std::vector<Pair>& pairs) const;
  std::vector<Pair> relate(const std::vector<Entry>& entries, const Kind& kind, Thread thread) const;

  const Order& order_;
  const Kinds& kinds_;
  std::unordered_map<Address, std::vector<Entry>> bytes_;
};

}  // namespace ptxmc::trace
