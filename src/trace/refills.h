// SPDX-License-Identifier: Apache-2.0
// What asynchronous writes took the place of. Where nothing orders such a write and an access that happened later, the
// access may be for what was there before: then the write came too early, and not the access.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/mark.h"

namespace ptxmc::trace {

class Refills {
 public:
  struct Refill {
    Mark write;                  // the refill itself
    Mark before;                 // the write of its kind that was there; mask 0: there was none
    std::vector<Lanes> readers;  // who had read that before the refill, in all schedules
    bool has_reader(Thread thread) const;
  };

  /// Of a write by an asynchronous operation: what was in a cell.
  void note(const Mark& write, const Mark& before);
  void note_reader(const Mark& write, Lanes lanes);
  /// Null: not known, as it is of operations long ago.
  const Refill* find(const Mark& write) const;

 private:
  static constexpr std::size_t kKept = 4096;
  static std::size_t place_of(const Mark& write);
  Refill& refill_of(const Mark& write);
  std::vector<Refill> kept_;
};

}  // namespace ptxmc::trace
