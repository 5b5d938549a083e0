// SPDX-License-Identifier: Apache-2.0
// The base relation of liveness: which reads and fences a thread repeats forever. Empty unless the program
// was lowered for liveness.
#include "axiomatic/event/base_rows.h"

namespace ptxmc::event::relations {

relation::BitMatrix spin(const Groups& groups) {
  relation::BitMatrix out(groups.n);
  for (const Hang& hang : groups.graph.hangs) {
    if (hang.kind != Hang::Kind::spin) continue;
    for (const EventId read : hang.reads) out.set(hang.event, read);
    for (const auto& [once, again] : hang.again) {
      out.set(hang.event, once);
      out.set(hang.event, again);
      out.set(once, again);
    }
  }
  return out;
}

}  // namespace ptxmc::event::relations
