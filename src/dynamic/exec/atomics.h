// SPDX-License-Identifier: Apache-2.0
// What atomics compute (9.7.12.5, 9.7.12.6).
#pragma once

#include <cstdint>
#include <optional>

#include "dynamic/exec/accesses.h"
#include "dynamic/exec/unit.h"
#include "ptx/isa/isa.h"

namespace ptxmc::exec {

/// Not 0: what it leaves after others with this number is the same in all orders of them. Such are sums, bitwise operations and
/// extrema of integers.
std::uint8_t commuting(const isa::Modifiers& m);

/// The value that an atomic writes; nothing: it is not evaluated.
std::optional<std::uint64_t> combined(const isa::Modifiers& m, std::uint64_t old, std::uint64_t value,
                                      std::uint64_t comparand);

/// atom and red (9.7.12.5, 9.7.12.6).
class Atomics : public Unit {
 public:
  using Unit::Unit;

  void atomic(Warp&, const Step&, LaneMask);

 private:
  struct Updated {
    LaneMask tainted = 0, failed = 0;  // values that are not the same in all schedules; swaps that fail
    LaneMask open = 0;                 // lanes of swaps that fail here, and may succeed for other contents
    bool evaluated = true;
  };
  /// What an atomic finds in memory and leaves there (places.h).
  struct Forms {
    Form before = 0, now = 0;
    bool lost = false;
  };
  void wide_atomic(Warp&, const Step&, LaneMask);
  Forms swapped_forms(Warp& warp, const Step& step, unsigned lane, const Stored& of, Address at, Slot value);
  Updated update(Warp& warp, const Step& step, LaneMask mask, const Row& at, const ReachedBytes& reached);
  void observe_swaps(Warp& warp, const Step& step, LaneMask mask, const Row& at, const Updated& done,
                     std::span<const std::uint64_t> written, const trace::Rewrites* rewrites);

  std::array<std::uint64_t, kScratchWords> written_{};  // by one instruction
};

}  // namespace ptxmc::exec
