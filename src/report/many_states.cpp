// SPDX-License-Identifier: Apache-2.0
#include "report/many_states.h"

#include <algorithm>
#include <cstdint>
#include <ostream>

#include "support/parallel.h"

namespace ptxmc::report {

namespace {

// Into `text`, whose memory is used again.
void put_together(const engine::PackedStates& states, const StatePieces& pieces, std::size_t begin,
                  std::size_t end, std::string& text) {
  text.clear();
  bool first = begin == 0;
  states.for_each(begin, end, [&](const std::vector<std::uint32_t>& codes, bool satisfied) {
    if (!first) text += pieces.separator;
    first = false;
    text += pieces.begin;
    for (std::size_t i = 0; i < codes.size(); ++i) text += pieces.values[i][codes[i]];
    text += satisfied ? pieces.satisfied : pieces.not_satisfied;
  });
}

}  // namespace

// In rounds: what the last one put together is written while the next is put together.
void write_states(std::ostream& out, const engine::PackedStates& states, const StatePieces& pieces,
                  std::size_t jobs) {
  constexpr std::size_t kBlock = 1 << 12;  // states
  const std::size_t blocks = (states.size() + kBlock - 1) / kBlock,
                    round = std::max<std::size_t>(1, jobs) * 4;
  std::vector<std::string> done, next;
  for (std::size_t from = 0; from < blocks || !done.empty(); from += round) {
    next.resize(from < blocks ? std::min(round, blocks - from) : 0);
    in_parallel(next.size() + 1, jobs, [&](std::size_t i) {
      if (i == 0) {
        for (const std::string& text : done)
          out.write(text.data(), static_cast<std::streamsize>(text.size()));
        return;
      }
      const std::size_t begin = (from + i - 1) * kBlock;
      put_together(states, pieces, begin, std::min(begin + kBlock, states.size()), next[i - 1]);
    });
    done.swap(next);
  }
}

}  // namespace ptxmc::report
