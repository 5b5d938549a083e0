// SPDX-License-Identifier: Apache-2.0
// What a kernel draws for a round (harness_places.cpp), computed by the CPU: a test evaluates the kernel's
// text and compares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxmc::gpu {

/// What the numbers of draws stand for.
constexpr std::uint32_t kDrawDistance = 1, kDrawWarp = 2, kDrawStart = 3;
constexpr std::uint32_t kDrawVariable = 8;  ///< and the variable's number
constexpr std::uint32_t kDrawBase = 1024;   ///< and the actor's number
/// What rounds and numbers are multiplied with before they are mixed.
constexpr std::uint32_t kRoundMix = 0x9E3779B1, kDrawMix = 0x85EBCA77;
constexpr unsigned kWordBytes = 8;  ///< of a result

/// 32 bits that depend on seed, round and number: a multiply-xorshift hash.
std::uint32_t draw(std::uint32_t seed, std::uint32_t round, std::uint32_t number);
/// A draw's high bits, scaled to [0, bound).
std::uint32_t below(std::uint32_t drawn, std::uint32_t bound);

/// Shape of the memory of a launch.
struct MemoryShape {
  unsigned blocks = 1, instances = 1;  ///< instances a block, a power of two
  unsigned variables = 1;              ///< in global memory
  unsigned stride = 16;                ///< bytes
  bool moves = true;                   ///< where a variable of an instance lies is drawn each round
};

/// The instances of a launch, in host memory.
struct HostInstances {
  MemoryShape shape;
  unsigned char* memory = nullptr;  ///< of the variables
  std::size_t memory_bytes = 0;
  unsigned char* results = nullptr;
  unsigned rows = 1;  ///< of the results, the last: hung
};

/// Where instance `index` of a block has a variable in half `half` of the memory: bytes from its start.
std::size_t offset_of(const MemoryShape& shape, std::uint32_t drawn, unsigned variable, unsigned half,
                      unsigned block, unsigned index);

/// The bytes of the results from their start to an instance's word in a row.
std::size_t result_offset(const MemoryShape& shape, unsigned rows, unsigned half, unsigned row,
                          unsigned block, unsigned index);

}  // namespace ptxmc::gpu
