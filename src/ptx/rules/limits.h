// SPDX-License-Identifier: Apache-2.0
// Bounds that the manual sets to the values of operands. The exact engines ask them of expressions, `verify` of the values of a run, the
// readers of what is written.
#pragma once

#include <cstdint>

namespace ptxmc::rules {

/// R163: of a CTA, by number from 0 on.
constexpr std::int64_t kBarriers = 16;
/// R163: a count of threads at such a barrier is a multiple of this, but of the short forms that name an instance.
constexpr std::int64_t kBarrierCountUnit = 32;

/// R195: of the expected and the pending count of an mbarrier object; the tx-count is as large at most, and as small below 0.
constexpr std::int64_t kLargestMbarrierCount = (1 << 20) - 1;
/// The same where an object has layout v1 (PTX ISA 9.3): 9 bits.
constexpr std::int64_t largest_mbarrier_count(bool small_counts) {
  return small_counts ? (1 << 9) - 1 : kLargestMbarrierCount;
}
/// R192: an mbarrier.init is for one thread at least.
constexpr bool is_mbarrier_count(std::int64_t count, bool small_counts = false) {
  return count >= 1 && count <= largest_mbarrier_count(small_counts);
}
/// 9.7.12.15.16: the parity of a phase.
constexpr bool is_parity(std::int64_t value) {
  return value == 0 || value == 1;
}

/// 9.7.8.24.6: bytes; addresses and sizes of bulk copies are multiples of it.
constexpr std::uint32_t kBulkAlignment = 16;
/// 9.7.8.25: bytes; of a tensor map.
constexpr std::uint32_t kMapAlignment = 64;

/// 9.7.16.7.1: of an allocation in tensor memory, a power of two of them.
constexpr std::int64_t kFewestColumns = 32, kMostColumns = 512;
constexpr bool is_column_count(std::int64_t columns) {
  return columns >= kFewestColumns && columns <= kMostColumns && (columns & (columns - 1)) == 0;
}

/// PTX ISA 9.4, 9.7.18.7.1: of an exclusive one any multiple of the fewest. (The 576 of sm_107 are not modelled.)
constexpr bool is_column_count(std::int64_t columns, bool exclusive) {
  return exclusive ? columns >= kFewestColumns && columns <= kMostColumns && columns % kFewestColumns == 0
                   : is_column_count(columns);
}
constexpr const char* kColumnCounts = "a power of two from 32 to 512";
constexpr const char* kExclusiveColumnCounts = "a multiple of 32 up to 512";

/// 9.7.17.5: of the registers of a thread that setmaxnreg names.
constexpr std::uint32_t kFewestRegisters = 24, kMostRegisters = 256, kRegisterUnit = 8;
constexpr bool is_register_count(std::uint32_t count) {
  return count >= kFewestRegisters && count <= kMostRegisters && count % kRegisterUnit == 0;
}

}  // namespace ptxmc::rules
