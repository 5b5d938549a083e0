// SPDX-License-Identifier: Apache-2.0
// What asynchronous writes took the place of. Where nothing orders such a write and an access that happened later, the
// access may be for what was there before: then the write came too early, and not the access.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {

class BufferReuse {
 public:
  struct Refill {
    ShadowAccess write;          // the refill itself
    ShadowAccess before;         // the write of its kind that was there; mask 0: there was none
    std::vector<Lanes> readers;  // who had read that before the refill, in all schedules
    std::vector<Lanes> takers;   // who was to read the refill, and did not wait for it
  };

  /// Notes what was in a cell at a write by an asynchronous operation.
  void note(const ShadowAccess& write, const ShadowAccess& before);
  void note_reader(const ShadowAccess& write, Lanes lanes);
  void note_taker(const ShadowAccess& write, Lanes lanes);
  /// What the write took the place of, unless the thread has read that. Nothing: it has, or that is not known, as it is of
  /// operations long ago.
  std::optional<ShadowAccess> yet_to_read(const ShadowAccess& write, Thread thread) const;

 private:
  static constexpr std::size_t kKept = 4096;
  static std::size_t place_of(const ShadowAccess& write);
  Refill& refill_of(const ShadowAccess& write);
  const Refill* find(const ShadowAccess& write) const;
  std::vector<Refill> kept_;
};

}  // namespace ptxmc::trace
