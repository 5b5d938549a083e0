// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/history.h"

#include "support/check.h"

namespace ptxmc::trace {

/// Something rests on how the two are ordered.
bool History::is_asked_for(const Byte& all, const Entry& entry, const Kind& kind, Thread thread) const {
  if (all.operation || passes_through(kind) || (all.sees && entry.observed != kNone)) return true;
  const bool conflicts = kinds_[entry.mark.kind].writes() || kind.writes();
  return conflicts && !order_.never_race(entry.mark, kind, thread);
}

// Order passes through an asynchronous access at its location, if it or what comes after it writes (8.9.1.1); through any access
// behind fences with .sync_restrict (9.7.12.4), as others are in program order.
std::vector<Pair> History::relate(const Byte& all, const Kind& kind, Thread thread) const {
  const std::vector<Entry>& entries = all.entries;
  const bool tensor = kind.proxy == isa::Proxy::tensor;  // order passes through any access there (9.7.16.6.4)
  const bool restricted = order_.has_restricted_fences();
  PTXMC_CHECK(any_passes_ || !restricted,
              "no fence of the program is of one state space, and one was executed");
  std::vector<Pair> pairs(entries.size());
  for (std::size_t i = entries.size(); i-- > 0;) {
    if (!is_asked_for(all, entries[i], kind, thread)) continue;  // harmless
    pairs[i] = order_.reach(entries[i].mark, kind, thread);
    if (!tensor && !restricted && !all.operation) continue;
    for (std::size_t j = i + 1; j < entries.size() && pairs[i] != Pair::ordered; ++j) {
      const Kind& through = kinds_[entries[j].mark.kind];
      const bool steps = through.operation || restricted;
      const bool passes = tensor || (steps && (through.writes() || kind.writes()));
      if (passes && pairs[j] == Pair::ordered && i < entries[j].before.size() && entries[j].before[i])
        pairs[i] = Pair::ordered;
    }
  }
  return pairs;
}

// The last write, if the two are morally strong; through an atomic, what that observed.
std::size_t History::observed(const std::vector<Entry>& entries, const Kind& kind, Thread thread) const {
  if (kind.effect == Effect::write || !kind.strong()) return kNone;
  std::size_t last = entries.size();
  while (last-- > 0) {
    if (kinds_[entries[last].mark.kind].writes()) break;
  }
  return last < entries.size() && order_.morally_strong(entries[last].mark, kind, thread) ? last : kNone;
}

bool History::observes(const std::vector<Entry>& entries, const Entry& read, std::size_t write) {
  std::size_t seen = read.observed;
  while (seen != kNone && seen > write) seen = entries[seen].observed;  // newest first
  return seen == write;
}

// 8.9.5: causality is base causality after an observation, too.
bool History::observed_before(const std::vector<Entry>& entries, std::size_t write,
                              const std::vector<Pair>& pairs) const {
  for (std::size_t i = write + 1; i < entries.size(); ++i) {
    const bool sees = pairs[i] == Pair::ordered && kinds_[entries[i].mark.kind].decides;
    if (sees && observes(entries, entries[i], write)) return true;
  }
  return false;
}

}  // namespace ptxmc::trace
