// SPDX-License-Identifier: Apache-2.0
// Two threads and an mbarrier object between them.
#pragma once

#include "scenario.h"

namespace ptxmc::testing {

constexpr Strength kRelaxedCta = strong(Semantics::relaxed, Scope::cta);
constexpr Strength kAcquireCta = strong(Semantics::acquire, Scope::cta);

/// An object that thread 0 makes and publishes, and a barrier of both.
struct WithObject : Scenario {
  explicit WithObject(bool fence = true, std::uint32_t cta = 0, bool inits_reach = true)
      : Scenario({cta, cta}, reading_of(inits_reach)) {
    detector.mbarrier_init(++line, thread(0), kObject, 1);
    if (fence) detector.mbarrier_init_fence(++line, lane_of(thread(0)));
    bar({0, 1});
  }

 private:
  static Options reading_of(bool inits_reach) {
    Options out = together();
    out.readings.inits_reach = inits_reach;
    return out;
  }
};

}  // namespace ptxmc::testing
