// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/warp.h"

#include <algorithm>

namespace ptxmc::exec {

/// The lanes that are left stand after the instruction, and may be joined by those that waited there.
void Warp::step_over() {
  ++at;
  park();
  active = 0;
}

/// The active lanes stand elsewhere: whom they meet next.
void Warp::regroup_at() {
  limit = kNoPlace;
  for_lanes(ready & ~active, [&](unsigned lane) {
    if (place[lane] >= at) limit = std::min(limit, place[lane]);
  });
}

/// Says of each of the active lanes where it stands.
void Warp::park() {
  for_lanes(active & ready, [&](unsigned lane) { place[lane] = at; });
}

void Warp::block(const Step& step, LaneMask lanes, Wait why) {
  for_lanes(lanes, [&](unsigned lane) {
    place[lane] = step.site + 1;
    wait[lane] = why;
    waits_at[lane] = &step;
  });
  ready &= ~lanes;
  active &= ~lanes;
}

void Warp::release(LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) { wait[lane] = Wait::nothing; });
  ready |= lanes;
  // They may stand where the others of their warp come to.
  if (active != 0) {
    for_lanes(lanes, [&](unsigned lane) {
      if (place[lane] > at) limit = std::min(limit, place[lane]);
    });
  }
}

}  // namespace ptxmc::exec
