// SPDX-License-Identifier: Apache-2.0
#include "report/sarif/characters.h"

#include <algorithm>

namespace ptxmc::report {

int character_column(std::string_view line, int column) {
  const auto before = line.substr(0, static_cast<std::size_t>(std::max(column - 1, 0)));
  const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  return column - static_cast<int>(std::count_if(before.begin(), before.end(), goes_on));
}

int Characters::column(const std::string& file, int line, int column) const {
  const auto [place, fresh] = known_.try_emplace(file);
  if (fresh && read_) place->second = read_(file);
  if (place->second == nullptr || line < 1) return column;
  return character_column(place->second->line(static_cast<std::uint32_t>(line)), column);
}

}  // namespace ptxmc::report
