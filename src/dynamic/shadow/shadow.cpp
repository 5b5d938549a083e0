// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/shadow.h"

namespace ptxmc::trace {

std::uint32_t Shadow::allocate(std::uint8_t shift) {
  std::vector<std::uint32_t>& free = free_[shift];
  if (!free.empty()) {
    const std::uint32_t first = free.back();
    free.pop_back();
    return first;
  }
  const std::uint32_t first = next_;
  next_ += static_cast<std::uint32_t>(kGranule >> shift);
  while (blocks_.size() * kBlock < next_) blocks_.push_back(std::make_unique<Cell[]>(kBlock));
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
      this->cell(granule.first + cell * parts + part) = this->cell(before.first + cell);
    this->cell(before.first + cell) = Cell();
  }
  free_[before.shift].push_back(before.first);
}

}  // namespace ptxmc::trace
