// SPDX-License-Identifier: Apache-2.0
// Lifetimes of the local variables that functions declare (5.1.5): each call of the function has its own, with any contents, and
// they end when it returns. That of a kernel lasts as long as its thread.
#pragma once

#include <set>
#include <utility>

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class LocalVariables : public Unit {
 public:
  using Unit::Unit;

  void begin(Warp& warp, const Step& step, LaneMask mask);
  void end(Warp& warp, const Step& step, LaneMask mask);
  /// Has the function returned, in this thread, whose variable is the object?
  bool has_ended(std::uint32_t thread, const Places::Object& object) const {
    return !ended_.empty() && ended_.contains({thread, object.begin});
  }

 private:
  template <typename Function>
  void for_variables(const Warp& warp, const Step& step, LaneMask mask, Function&& function);

  std::set<std::pair<std::uint32_t, Address>> ended_;  // threads, and variables in their windows
};

}  // namespace ptxmc::exec
