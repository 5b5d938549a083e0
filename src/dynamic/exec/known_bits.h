// SPDX-License-Identifier: Apache-2.0
// Values of which some bits rest on contents that a launch leaves open, and others do not: a flag and data in one word. A bit
// is known if it is the same whatever these contents are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dynamic/exec/memory.h"
#include "dynamic/exec/warp.h"

namespace ptxmc::exec {

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

/// By lane, the known bits of what an instruction on registers reads: of its sources, and of a predicate beside them.
struct KnownSources {
  std::array<Row, kMostSources> of{};
  Row predicate{};
};

/// The registers that an instruction on registers writes.
std::vector<Slot> written_by(const Step& step);
/// The known bits of each of these. `rows` are the registers before the instruction, and are so again after
/// this.
std::vector<Row> known_results(std::vector<Row>& rows, const Step& step, LaneMask mask,
                               const KnownSources& known);
/// The known bits of a value from memory, in a register.
std::uint64_t known_extended(std::uint64_t known, std::uint32_t bits, bool is_signed);

/// The registers and the memory of a run.
class KnownBits {
 public:
  KnownBits(const std::vector<Code>& codes, const std::vector<Warp>& warps);

  /// The known bits of a register as it is now.
  std::uint64_t of(Warp& warp, Slot slot, unsigned lane) {
    return (warp.taint(slot).data >> lane & 1U) == 0 ? kAllBits : row(warp, slot)[lane];
  }
  void set(const Warp& warp, Slot slot, unsigned lane, std::uint64_t known) { row(warp, slot)[lane] = known; }
  /// Nothing is known of what an instruction gives to these lanes, but for what is set after this.
  void forget(const Warp& warp, const Step& step, LaneMask mask);

  /// What is known of the results of an instruction on registers that is about to be executed by these lanes.
  std::vector<Row> results(Warp& warp, const Step& step, LaneMask mask);
  /// It has been: results of which all is known rest on no contents.
  void keep(Warp& warp, const Step& step, LaneMask mask, const std::vector<Row>& results);

  /// The known bits of bytes in memory.
  static std::uint64_t in_memory(const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes);
  /// A value is stored of which this is known: bytes of which all is rest on no contents.
  static void store(const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes, Sources sources,
                    std::uint64_t known);

 private:
  Row& row(const Warp& warp, Slot slot) { return rows_[warp.number][slot]; }

  std::vector<std::vector<Row>> rows_;  // by warp; of registers that rest on no contents they say nothing
  std::unordered_map<const Step*, std::vector<Slot>> written_;
};

}  // namespace ptxmc::exec
