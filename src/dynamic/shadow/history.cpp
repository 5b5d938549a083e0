// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/history.h"

#include <algorithm>

namespace ptxmc::trace {

// Order passes through an asynchronous access at its location, if it or what comes after it writes (8.9.1.1); through any access
// behind fences with .sync_restrict (9.7.12.4), as others are in program order.
std::vector<Pair> History::relate(const std::vector<Entry>& entries, const Kind& kind, Thread thread) const {
  std::vector<Pair> pairs(entries.size());
  for (std::size_t i = entries.size(); i-- > 0;) {
    pairs[i] = order_.reach(entries[i].mark, kind, thread);
    for (std::size_t j = i + 1; j < entries.size() && pairs[i] != Pair::ordered; ++j) {
      const Kind& through = kinds_[entries[j].mark.kind];
      const bool tensor = kind.proxy == isa::Proxy::tensor;  // of any of its accesses (9.7.16.6.4)
      const bool steps = through.operation || order_.has_restricted_fences();
      const bool passes = tensor || (steps && (through.writes() || kind.writes()));
      if (passes && pairs[j] == Pair::ordered && entries[j].before[i]) pairs[i] = Pair::ordered;
    }
  }
  return pairs;
}

// The last write, if the two are morally strong; through an atomic, what that observed.
std::vector<std::size_t> History::observed(const std::vector<Entry>& entries, const Kind& kind,
                                           Thread thread) const {
  if (kind.effect == Effect::write || !kind.strong()) return {};
  std::size_t last = entries.size();
  while (last-- > 0) {
    if (kinds_[entries[last].mark.kind].writes()) break;
  }
  if (last >= entries.size() || !order_.morally_strong(entries[last].mark, kind, thread)) return {};
  std::vector<std::size_t> out = entries[last].observed;
  out.push_back(last);
  return out;
}

// 8.9.5: causality is base causality after an observation, too.
bool History::observed_before(const std::vector<Entry>& entries, std::size_t write,
                              const std::vector<Pair>& pairs) const {
  for (std::size_t i = write + 1; i < entries.size(); ++i) {
    const std::vector<std::size_t>& observed = entries[i].observed;
    const bool sees = kinds_[entries[i].mark.kind].decides &&
                      std::find(observed.begin(), observed.end(), write) != observed.end();
    if (sees && pairs[i] == Pair::ordered) return true;
  }
  return false;
}

}  // namespace ptxmc::trace
