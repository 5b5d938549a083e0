// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/draw.h"

namespace ptxmc::gpu {

std::uint32_t draw(std::uint32_t seed, std::uint32_t round, std::uint32_t number) {
  std::uint32_t h = round * kRoundMix + seed + number * kDrawMix;
  h ^= h >> 16;
  h *= 0x7feb352d;
  h ^= h >> 15;
  h *= 0x846ca68b;
  h ^= h >> 16;
  return h;
}

std::uint32_t below(std::uint32_t drawn, std::uint32_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{drawn} * bound) >> 32);
}

std::size_t offset_of(const MemoryShape& shape, std::uint32_t drawn, unsigned variable, unsigned half,
                      unsigned block, unsigned index) {
  if (!shape.moves) drawn = 0;
  std::size_t slot = std::size_t{block} + below(drawn, shape.blocks);
  if (slot >= shape.blocks) slot -= shape.blocks;
  slot = slot * shape.instances + (index ^ (drawn & (shape.instances - 1)));
  const std::size_t all = std::size_t{shape.blocks} * shape.instances;
  return ((std::size_t{half} * shape.variables + variable) * all + slot) * shape.stride;
}

std::size_t result_offset(const MemoryShape& shape, unsigned rows, unsigned half, unsigned row,
                          unsigned block, unsigned index) {
  const std::size_t all = std::size_t{shape.blocks} * shape.instances;
  return ((std::size_t{half} * rows + row) * all + std::size_t{block} * shape.instances + index) * kWordBytes;
}

}  // namespace ptxmc::gpu
