// SPDX-License-Identifier: Apache-2.0
// What reads observe at their location, and which threads come after a write for that (8.9.2, 8.9.5).
//
// A mark's `value` holds it. For a read, it holds whether that is ordered after all writes in its cell, and
// the write that it observes beside that. For an atomic, it holds whether that reads the newest of the writes
// in its cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "dynamic/shadow/order_cache.h"

namespace ptxmc::trace {

class Observed {
 public:
  Observed(const Kinds& kinds, const Order& order) : kinds_(kinds), order_(order) {}

  /// The bit of reads.
  static constexpr std::uint32_t kBehindWrites = 1;
  /// The bit of atomics.
  static constexpr std::uint32_t kReadsLast = 2;
  /// The bit of a strong write: it stands for those of its instruction and lane before it, too, and no thread
  /// is known to have observed each of these.
  static constexpr std::uint32_t kSeveral = 4;

  bool is_atomic(const ShadowAccess& mark) const { return kinds_[mark.kind].effect == Effect::update; }
  /// What a read's value says of the write that it observes; 0: none.
  static std::uint32_t of(const ShadowAccess& read) { return read.value & ~kBehindWrites; }
  /// The same of a read that observes the write. It is not known which one of a mark for several lanes that
  /// is: 0, if they are no atomics, which observe each other.
  std::uint32_t note(const ShadowAccess& write);
  /// What a read of this value observes, is one of these writes.
  bool is_among(std::uint32_t value, const std::vector<ShadowAccess>& marks) const;

  /// A thread that observes the later of two writes observes the earlier one: from there on all are atomics,
  /// each of which reads the one before. Here and below, marks of writes are in order.
  bool is_chain(const std::vector<ShadowAccess>& marks, std::size_t earlier, std::size_t later) const;
  /// The read, or atomic, observes the write, itself or through atomics.
  bool observes(const std::vector<ShadowAccess>& marks, const ShadowAccess& read,
                const ShadowAccess& write) const;
  /// The same of an atomic that happens now.
  bool observes_now(const std::vector<ShadowAccess>& marks, const ShadowAccess& write,
                    const ShadowAccess& now, const Kind& kind) const;

 private:
  using Write = std::tuple<KindId, std::uint32_t, std::uint32_t, Time>;
  std::uint32_t find(const ShadowAccess& write) const;
  bool is_several(const ShadowAccess& mark) const {
    return mark.value == kSeveral && !kinds_[mark.kind].operation && kinds_[mark.kind].strong();
  }

  const Kinds& kinds_;
  const Order& order_;
  std::map<Write, std::uint32_t> numbers_;  // of writes that were observed, from 1
};

}  // namespace ptxmc::trace
