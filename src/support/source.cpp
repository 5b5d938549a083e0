// SPDX-License-Identifier: Apache-2.0
#include "support/source.h"

namespace ptxmc {

std::string_view Source::line(std::uint32_t number) const {
  std::string_view rest = text;
  for (std::uint32_t current = 1; number != 0; ++current) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (current == number) {
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      return line;
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace ptxmc
