// SPDX-License-Identifier: Apache-2.0
// The base relations of synchronization objects, and of the life of memory, each as the question whether it holds of one pair.
#include <algorithm>
#include <map>
#include <optional>

#include "axiomatic/event/barriers.h"
#include "axiomatic/recheck/naive_base.h"

namespace ptxmc::check {
namespace {

using event::CellId;
using event::Event;
using event::EventId;
using event::EventKind;
using event::kNoEvent;
using isa::Proxy;
using V = const BaseView&;

bool names_object(V v, EventId e) {
  return v.at(e).mbarrier && v.at(e).kind != EventKind::end;
}

bool mobj(V v, EventId a, EventId b) {
  if (a == b || !names_object(v, a) || !names_object(v, b)) return false;
  return v.at(a).mbarrier->owner == v.at(b).mbarrier->owner &&
         v.graph.exprs[v.at(a).mbarrier->object].constant == v.graph.exprs[v.at(b).mbarrier->object].constant;
}

bool one_exchange(const event::Barrier& a, const event::Barrier& b) {
  return a.exchange && b.exchange && !of_pair(a) && !of_pair(b) && a.instance == b.instance && a.id == b.id;
}

/// How often the thread met others at such an exchange before.
std::ptrdiff_t turn(V v, EventId e) {
  return std::count_if(v.graph.events.begin(), v.graph.events.begin() + e, [&](const Event& earlier) {
    return earlier.thread == v.at(e).thread && earlier.kind == v.at(e).kind && earlier.barrier &&
           one_exchange(*earlier.barrier, *v.at(e).barrier);
  });
}

bool lanes(V v, EventId a, EventId b) {
  if (v.at(a).kind != EventKind::arrival || v.at(b).kind != EventKind::wait) return false;
  if (!v.at(a).barrier || !v.at(b).barrier || !one_exchange(*v.at(a).barrier, *v.at(b).barrier)) return false;
  const bool one_warp = v.thread(a).warp && v.thread(a).warp == v.thread(b).warp && v.in_one_cta(a, b);
  return one_warp && turn(v, a) == turn(v, b);
}

bool begins_or_ends(V v, EventId e, event::MbarrierOp op) {
  return names_object(v, e) && v.at(e).mbarrier->op == op;
}

/// a is the initial write of memory that holds an object which is initialised before the start, and the
/// operation e is on that object.
bool initialises(V v, EventId a, EventId e) {
  if (!v.initial(a) || !names_object(v, e) || !listed(v.at(e).named, v.at(a).cell)) return false;
  return std::any_of(v.graph.mbarriers.begin(), v.graph.mbarriers.end(), [&](const auto& object) {
    return object.owner == v.at(e).mbarrier->owner &&
           object.object == v.graph.exprs[v.at(e).mbarrier->object].constant;
  });
}

bool mbmem(V v, EventId a, EventId b) {
  const auto inval = event::MbarrierOp::inval;
  const bool renews = begins_or_ends(v, a, event::MbarrierOp::init) || begins_or_ends(v, a, inval);
  const auto touches = [&](EventId e) {
    return v.access(b) && !v.initial(b) &&
           std::any_of(v.at(e).named.begin(), v.at(e).named.end(),
                       [&](CellId cell) { return listed(v.cells[b], cell); });
  };
  if (renews) return touches(a) || (begins_or_ends(v, b, inval) && mobj(v, a, b) && !v.at(a).named.empty());
  for (EventId e = 0; e < v.graph.size(); ++e) {
    if (!initialises(v, a, e)) continue;
    if (touches(e) || (begins_or_ends(v, b, inval) && (b == e || mobj(v, e, b)))) return true;
  }
  return false;
}

bool life(V v, EventId a, EventId b) {
  if (v.threadless(a) || v.threadless(b) || v.at(b).kind != EventKind::end || v.at(a).labels.allocates)
    return false;
  const bool hangs = std::any_of(v.graph.hangs.begin(), v.graph.hangs.end(),
                                 [&](const event::Hang& hang) { return hang.event == b; });
  std::optional<std::uint32_t> owner;
  if (v.access(a)) owner = v.graph.cells[v.cells[a].front()].cta;
  if (names_object(v, a)) owner = v.at(a).mbarrier->owner;
  const bool under_way = v.access(a) && v.at(a).issue != kNoEvent && !v.of_proxy(a, Proxy::tensor);
  return !hangs && owner && (under_way || *owner != v.thread(a).cta) && *owner == v.thread(b).cta;
}

bool spin(V v, EventId a, EventId b) {
  return std::any_of(v.graph.hangs.begin(), v.graph.hangs.end(), [&](const event::Hang& hang) {
    if (hang.kind != event::Hang::Kind::spin) return false;
    if (hang.event == a && listed(hang.reads, b)) return true;
    return std::any_of(hang.again.begin(), hang.again.end(), [&](const auto& turn) {
      return (a == hang.event && (b == turn.first || b == turn.second)) || turn == std::pair(a, b);
    });
  });
}

const std::map<std::string_view, NaiveRelated>& object_rows() {
  static const std::map<std::string_view, NaiveRelated> rows = {
      {"spin", spin}, {"mobj", mobj}, {"lanes", lanes}, {"mbmem", mbmem}, {"life", life}};
  return rows;
}

}  // namespace

NaiveRelated naive_object_relation(std::string_view name) {
  const auto found = object_rows().find(name);
  return found == object_rows().end() ? nullptr : found->second;
}

}  // namespace ptxmc::check
