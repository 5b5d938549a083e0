// SPDX-License-Identifier: Apache-2.0
// Lifetimes of the local variables that functions declare (5.1.5): each call of the function has its own, with any contents, and
// they end when it returns. That of a kernel lasts as long as its thread. Where the variable of one call lies says nothing of where
// that of the next one does: each has addresses of its own (places.h).
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class LocalVariables : public Unit {
 public:
  using Unit::Unit;

  void begin(Warp& warp, const Step& step, LaneMask mask);
  void end(Warp& warp, const Step& step, LaneMask mask);
  /// Has the call returned, in this thread, whose variable the address is of?
  bool has_ended(std::uint32_t thread, const Places::Bounds& bounds) const {
    if (calls_.empty()) return false;
    const auto known = calls_.find({thread, bounds.object.begin});
    return known != calls_.end() && known->second.live != bounds.of_object;
  }

 private:
  struct Calls {
    std::size_t begun = 0;
    /// The object of the call that has not returned (Places::Bounds::of_object).
    std::optional<std::uint32_t> live;
  };

  Calls* calls_of(const Warp& warp, const Step& step, unsigned lane);
  Form address_in_call(const Places::Object& object, std::size_t call);
  static void set_addresses(Warp& warp, unsigned lane, Slot slot, Form form);

  /// By thread, and variable in its window.
  std::map<std::pair<std::uint32_t, Address>, Calls> calls_;
  /// By variable, and which call of a thread.
  std::map<std::pair<Address, std::size_t>, Form> later_addresses_;
};

}  // namespace ptxmc::exec
