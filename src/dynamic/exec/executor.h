// SPDX-License-Identifier: Apache-2.0
// One instruction of a warp: which lanes execute it, where they go on, what it computes in registers.
#pragma once

#include "dynamic/exec/address_forms.h"
#include "dynamic/exec/flow.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// Gives each instruction to the part that does it, by `Act`.
class Executor : public Unit {
 public:
  using Unit::Unit;

  /// What the step does beside what it computes in registers; it has an Act.
  void act(Warp& warp, const Step& step, LaneMask mask);
  void compare_branch(Warp&, const Step&, LaneMask);
  void pass_time(Warp&, const Step&, LaneMask);
  void nothing(Warp&, const Step&, LaneMask) {}
  void execute(Warp& warp, const Step& step);
  LaneMask guarded(Warp& warp, const Step& step);
  void compute(Warp& warp, const Step& step, LaneMask mask);

 private:
  void branch(Warp& warp, const Step& step, LaneMask taken);
  void check_uniform(Warp& warp, const Step& step, LaneMask rest);
  LaneMask divide(Warp& warp, const Step& step, LaneMask mask, LaneMask known);
  void multiply(const Warp& warp, const Step& step, LaneMask known);
  void check_limit(Warp& warp, const Step& step, LaneMask mask);
  void write_opposites(Warp& warp, const Step& step, LaneMask mask);
  static LaneMask not_numbers(const Step& step, const Row& row, LaneMask mask);
  void check_watched(Warp& warp, const Step& step, LaneMask mask);
  bool avoids_trap(const Warp& warp, const Step& step, LaneMask taken);
  static bool idles(Warp& warp, const Step& step);
  static void idle(Warp& warp, const Step& step, LaneMask lanes);
  void control(Warp& warp, const Step& step, LaneMask taken);

  Partings partings_;
  Followed followed_;
};

}  // namespace ptxmc::exec
