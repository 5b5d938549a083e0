// SPDX-License-Identifier: Apache-2.0
// Every access of every byte, where all racing pairs are asked for and not one a cell: for small programs, and to replay
// what a finding is about.
#pragma once

#include <unordered_map>
#include <vector>

#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {

class History {
 public:
  /// `any_passes`: some fence may be of one state space, so that order passes through any access.
  History(const Order& order, const Kinds& kinds, bool any_passes)
      : order_(order), kinds_(kinds), any_passes_(any_passes) {}

  /// Calls report(mark, pair) for the accesses of a byte that race with this one.
  template <typename Report>
  void touch(Address byte, const ShadowAccess& mark, Thread thread, Report&& report) {
    Byte& all = bytes_[byte];
    std::vector<Entry>& entries = all.entries;
    const Kind& kind = kinds_[mark.kind];
    const std::vector<Pair> pairs = relate(all, kind, thread);
    Entry entry{mark, {}, observed(entries, kind, thread)};
    const bool passes = passes_through(kind);
    if (passes) entry.before.reserve(entries.size());
    const bool sees = kind.effect == Effect::update && kind.decides && !kind.keeps;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (passes) entry.before.push_back(pairs[i] == Pair::ordered);
      if (pairs[i] == Pair::ordered || pairs[i] == Pair::freed ||
          (!kinds_[entries[i].mark.kind].writes() && !kind.writes()))
        continue;
      if (order_.never_race(entries[i].mark, kind, thread)) continue;
      // What an atomic writes comes after what it observes.
      if (sees && observes(entries, entry, i)) continue;
      if (!all.sees || !observed_before(entries, i, pairs)) report(entries[i].mark, pairs[i]);
    }
    all.operation = all.operation || kind.operation;
    all.sees = all.sees || (kind.decides && entry.observed != kNone);
    entries.push_back(std::move(entry));
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Entry {
    ShadowAccess mark;
    /// Which of the entries before are ordered before it, where order passes through it.
    std::vector<bool> before;
    // the newest write that it observes in all schedules (8.9.2); it observes what that observes, too
    std::size_t observed = kNone;
  };
  struct Byte {
    std::vector<Entry> entries;
    bool operation = false;  // some are of asynchronous operations
    bool sees = false;       // some observe a write, and others go on with what they read
  };
  std::size_t observed(const std::vector<Entry>& entries, const Kind& kind, Thread thread) const;
  static bool observes(const std::vector<Entry>& entries, const Entry& read, std::size_t write);
  bool observed_before(const std::vector<Entry>& entries, std::size_t write,
                       const std::vector<Pair>& pairs) const;
  /// Order may pass through such an access, so that what comes before it is asked for.
  bool passes_through(const Kind& kind) const {
    return any_passes_ || kind.operation || kind.proxy == isa::Proxy::tensor;
  }
  bool is_asked_for(const Byte& all, const Entry& entry, const Kind& kind, Thread thread) const;
  std::vector<Pair> relate(const Byte& all, const Kind& kind, Thread thread) const;

  const Order& order_;
  const Kinds& kinds_;
  bool any_passes_ = true;
  std::unordered_map<Address, Byte> bytes_;
};

}  // namespace ptxmc::trace
