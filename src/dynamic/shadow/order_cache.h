// SPDX-License-Identifier: Apache-2.0
// Which marks the lanes of one instruction come after. While they learn nothing, what is so for one byte is so for all:
// each mark that is met is looked up in the clocks once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {

class OrderCache {
 public:
  OrderCache(const Threads& threads, const Kinds& kinds, const Order& order)
      : threads_(threads), kinds_(kinds), order_(order) {}

  /// An instruction of these lanes follows; or they may have learnt something.
  void begin(Lanes lanes, KindId kind, bool anew) {
    if (!anew && turn_ != 0 && kind == id_ && lanes == lanes_ && version_ == threads_.version()) return;
    lanes_ = lanes;
    id_ = kind;
    kind_ = kinds_[kind];
    version_ = threads_.version();
    shared_.reset();
    ++turn_;
  }
  /// They are asked about other memory.
  void forget() { ++turn_; }
  /// The mark is ordered before the lanes of `now`, which are some of the instruction's.
  bool ordered(const ShadowAccess& before, const ShadowAccess& now) {
    if (before.warp == now.warp && before.mask == now.mask && (now.mask & (now.mask - 1)) == 0 &&
        plain(before))
      return true;  // program order
    Entry& entry = entries_[(before.warp * 5 + before.kind * 3 + before.time) % kEntries];
    if (entry.turn != turn_ || entry.warp != before.warp || entry.kind != before.kind ||
        entry.time != before.time)
      entry = {turn_, before.warp, before.kind, before.time, find(before)};
    return entry.lanes == Which::some ? exactly(before, now) : entry.lanes == Which::all;
  }
  /// Before each lane of `now` some lane of the mark.
  bool some_ordered(const ShadowAccess& before, const ShadowAccess& now) {
    return ordered(before, now) || some_exactly(before, now);
  }

 private:
  enum class Which : std::uint8_t { all, none, some };
  struct Entry {
    std::uint64_t turn = 0;
    std::uint32_t warp = 0;
    KindId kind = 0;
    Time time = 0;
    Which lanes = Which::some;
  };
  static constexpr std::size_t kEntries = 64;

  /// Both accesses are a thread's own, by the generic proxy.
  bool plain(const ShadowAccess& before) const {
    const Kind& first = kinds_[before.kind];
    return first.agent == Agent::thread && first.proxy == isa::Proxy::generic &&
           kind_.agent == Agent::thread && kind_.proxy == isa::Proxy::generic;
  }
  bool shared() const {
    if (!shared_) shared_ = threads_.share_clock(lanes_);
    return *shared_;
  }
  Which find(const ShadowAccess& before) const;
  bool exactly(const ShadowAccess& before, const ShadowAccess& now) const;
  bool some_exactly(const ShadowAccess& before, const ShadowAccess& now) const;

  const Threads& threads_;
  const Kinds& kinds_;
  const Order& order_;
  Lanes lanes_;
  KindId id_ = 0;
  Kind kind_;
  std::uint64_t version_ = 0;
  mutable std::optional<bool> shared_;  // the lanes know the same of other warps
  std::uint64_t turn_ = 0;              // 0: nothing yet
  std::array<Entry, kEntries> entries_{};
};

}  // namespace ptxmc::trace
