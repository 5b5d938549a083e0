// SPDX-License-Identifier: Apache-2.0
// What reads observe at their location, and who is behind a write for that (8.9.2, 8.9.5).
//
// A mark's `value` holds it. Of a read: whether it is ordered behind all writes in its cell, and the write that it observes
// beside that. Of an atomic: whether it reads the newest of the writes in its cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "dynamic/shadow/reached.h"

namespace ptxmc::trace {

class Observed {
 public:
  Observed(const Kinds& kinds, const Order& order) : kinds_(kinds), order_(order) {}

  /// Of reads.
  static constexpr std::uint32_t kBehindWrites = 1;
  /// Of atomics.
  static constexpr std::uint32_t kReadsLast = 2;
  /// Of a strong write: it stands for those of its instruction and lane before it, too, of which nobody is known to have
  /// observed each.
  static constexpr std::uint32_t kSeveral = 4;

  bool is_atomic(const Mark& mark) const { return kinds_[mark.kind].effect == Effect::update; }
  /// What a read's value says of the write that it observes; 0: none.
  static std::uint32_t of(const Mark& read) { return read.value & ~kBehindWrites; }
  /// The same of a read that observes the write. Of a mark for several lanes nobody knows which one that is: 0, if they
  /// are no atomics, which observe each other.
  std::uint32_t note(const Mark& write);
  /// What a read of this value observes, is one of these writes.
  bool is_among(std::uint32_t value, const std::vector<Mark>& marks) const;

  /// Whoever observes the later of two writes observes the earlier one: from there on all are atomics, each of which reads
  /// the one before. Here and below, marks of writes are in order.
  bool is_chain(const std::vector<Mark>& marks, std::size_t earlier, std::size_t later) const;
  /// The read, or atomic, observes the write, itself or through atomics.
  bool observes(const std::vector<Mark>& marks, const Mark& read, const Mark& write) const;
  /// The same of an atomic that happens now.
  bool observes_now(const std::vector<Mark>& marks, const Mark& write, const Mark& now,
                    const Kind& kind) const;

 private:
  using Write = std::tuple<KindId, std::uint32_t, std::uint32_t, Time>;
  std::uint32_t find(const Mark& write) const;
  bool is_several(const Mark& mark) const {
    return mark.value == kSeveral && !kinds_[mark.kind].operation && kinds_[mark.kind].strong();
  }

  const Kinds& kinds_;
  const Order& order_;
  std::map<Write, std::uint32_t> numbers_;  // of writes that were observed, from 1
};

}  // namespace ptxmc::trace
