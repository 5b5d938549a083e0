// SPDX-License-Identifier: Apache-2.0
// fence.release.sync_restrict::shared::cta and fence.acquire.sync_restrict::shared::cluster order operations on objects
// of these state spaces alone. Where a program accesses no other memory that threads share, they are the fences without
// .sync_restrict; where it does, the answer is none. mbarrier objects, at which threads meet, may be anywhere.
#include <algorithm>

#include "axiomatic/lower/finish/finish.h"

namespace ptxmc::lower {

namespace {

using event::Event;

/// Does the fence order this access?
bool covers(const event::ProgramGraph& graph, const Event& fence, const Event& access) {
  switch (access.labels.space) {
    case isa::Space::const_:
    case isa::Space::param:
    case isa::Space::local:
      return true;  // no other thread writes it
    default:
      break;
  }
  const auto owner = graph.cells[access.cell].cta;
  if (fence.labels.space == isa::Space::shared_cluster) return owner.has_value();
  return owner == graph.threads[fence.thread].cta;
}

}  // namespace

void check_restricted_fences(const Unit& unit) {
  const event::ProgramGraph& graph = unit.graph;
  for (const Event& fence : graph.events) {
    if (fence.kind != event::EventKind::fence || fence.labels.space == isa::Space::generic) continue;
    const auto other = std::find_if(graph.events.begin(), graph.events.end(), [&](const Event& access) {
      return (access.is_read() || access.is_write()) && access.thread != event::kNoThread &&
             !covers(graph, fence, access);
    });
    if (other == graph.events.end()) continue;
    unit.errors.unsupported(
        fence.position,
        "`" + fence.text + "` beside an access that it does not order: `" + other->text + "`");
  }
}

}  // namespace ptxmc::lower
