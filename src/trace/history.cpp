// SPDX-License-Identifier: Apache-2.0
#include "trace/history.h"

namespace ptxmc::trace {

// Order passes through an asynchronous access at its location, if it or what is behind it writes (8.9.1.1).
std::vector<Pair> History::relate(const std::vector<Entry>& entries, const Kind& kind, Thread thread) const {
  std::vector<Pair> pairs(entries.size());
  for (std::size_t i = entries.size(); i-- > 0;) {
    pairs[i] = order_.reach(entries[i].mark, kind, thread);
    for (std::size_t j = i + 1; j < entries.size() && pairs[i] != Pair::ordered; ++j) {
      const Kind& through = kinds_[entries[j].mark.kind];
      const bool passes = through.operation && (through.writes() || kind.writes());
      if (passes && pairs[j] == Pair::ordered && entries[j].before[i]) pairs[i] = Pair::ordered;
    }
  }
  return pairs;
}

}  // namespace ptxmc::trace
