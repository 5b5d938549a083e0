// SPDX-License-Identifier: Apache-2.0
#include "trace/shadow.h"

namespace ptxmc::trace {

std::uint32_t Shadow::allocate(std::uint8_t shift) {
  std::vector<std::uint32_t>& free = free_[shift];
  if (!free.empty()) {
    const std::uint32_t first = free.back();
    free.pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(cells_.size());
  cells_.resize(cells_.size() + (kGranule >> shift));
  return first;
}

void Shadow::divide(Granule& granule, std::uint8_t shift) {
  const Granule before = granule;
  if (before.first == kNone) {
    granule = {allocate(shift), shift};
    return;
  }
  granule = {allocate(shift), shift};
  const std::uint32_t parts = 1U << (before.shift - shift);
  const std::uint32_t old = static_cast<std::uint32_t>(kGranule >> before.shift);
  for (std::uint32_t cell = 0; cell < old; ++cell) {
    for (std::uint32_t part = 0; part < parts; ++part)
      cells_[granule.first + cell * parts + part] = cells_[before.first + cell];
    cells_[before.first + cell] = Cell();
  }
  free_[before.shift].push_back(before.first);
}

}  // namespace ptxmc::trace
