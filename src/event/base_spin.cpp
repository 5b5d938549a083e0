// SPDX-License-Identifier: Apache-2.0
// The base relation of liveness: which reads a thread repeats for ever. Empty unless the program was lowered
// for liveness.
#include "event/base_rows.h"

namespace ptxmc::event::relations {

relation::BitMatrix spin(const Groups& groups) {
  relation::BitMatrix out(groups.n);
  for (const Hang& hang : groups.graph.hangs) {
    if (hang.kind != Hang::Kind::spin) continue;
    for (const EventId read : hang.reads) out.set(hang.event, read);
  }
  return out;
}

}  // namespace ptxmc::event::relations
