// SPDX-License-Identifier: Apache-2.0
// Tries whose results let a thread skip a wait (try_results.h).
#pragma once

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class TriedWaits : public Unit {
 public:
  using Unit::Unit;

  void give_token(Warp& warp, const Step& step, const trace::Wait& look, LaneMask ready);
  bool has_skipped(Warp& warp, const trace::Wait& wait);
  static void pass_tokens(Warp& warp, const Step& step, LaneMask mask);
  LaneMask wait_by_token(Warp& warp, const Step& step, LaneMask taken);
  void rest_on_guard(Warp& warp, const Step& step, LaneMask lanes);

 private:
  std::vector<TryResult> try_results_;
};

}  // namespace ptxmc::exec
