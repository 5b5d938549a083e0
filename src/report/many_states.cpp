// SPDX-License-Identifier: Apache-2.0
#include "report/many_states.h"

#include <cstdint>
#include <ostream>

namespace ptxmc::report {

void write_states(std::ostream& out, const engine::PackedStates& states, const StatePieces& pieces) {
  constexpr std::size_t kBlock = 1 << 16;
  std::string text;
  bool first = true;
  states.for_each([&](const std::vector<std::uint32_t>& codes, bool satisfied) {
    if (!first) text += pieces.separator;
    first = false;
    text += pieces.begin;
    for (std::size_t i = 0; i < codes.size(); ++i) text += pieces.values[i][codes[i]];
    text += satisfied ? pieces.satisfied : pieces.not_satisfied;
    if (text.size() < kBlock) return;
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  });
  out << text;
}

}  // namespace ptxmc::report
