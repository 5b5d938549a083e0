// SPDX-License-Identifier: Apache-2.0
// The relations that a run follows by clocks, one kind each, and what each is in ptx.cat. A thread knows an agent up to a time for each
// kind: its accesses up to then are in that relation to what the thread does next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptxmc::trace {

/// `base` is base causality (8.9.5); the kind of a proxy holds what a fence of that proxy stood after on the path; `exchange` also what
/// only exchanges of values order (D22).
enum class OrderKind : std::uint8_t {
  base,
  alias,
  boundary,  ///< of the constant, texture and surface proxies: by the ends of tasks (proxy_fences.h has the rest)
  async,         ///< of global memory
  async_shared,  ///< of shared memory: a fence may be for one state space
  directed,      ///< one-directional proxy fences in front of a signal of any strength (proxy_fences.h)
  init_release,  ///< inits of mbarrier objects after which is a fence.mbarrier_init (D24)
  execution,     ///< phases of mbarrier objects that are over, whatever synchronization tells of it
  passed,  ///< waits that are over, also where exchanges of values tell of it, in front of what `execution` does
  remote,  ///< also what arrivals at objects of other CTAs order, were their scope, and that of waits, .cluster (A7)
  shared,      ///< base, for accesses of shared memory: through acquire fences with .sync_restrict (9.7.12.4)
  restricted,  ///< release fences with .sync_restrict that came before (restricted_fences.h)
  ended,       ///< also after the ends of grids that nothing waited for, as they launch no dependents (R233)
  observed,    ///< also after one observation, of whatever strength: for fence.sc (8.9.3)
  told,        ///< also what loops tell that are left, whatever the strength (execution_knowledge.h)
  exchange,
  // Tensor memory (9.7.16.6), by agents of its own: operations that are complete; those in front of a fence::before_thread_sync;
  // allocations, which are synchronous.
  tensor_done,
  tensor_issued,
  tensor_sync,
  tensor_remote,  ///< complete, as arrivals at objects of other CTAs tell, were the scopes .cluster (A7)
};

struct OrderKindRow {
  OrderKind kind = OrderKind::base;
  std::string_view relation;  ///< a name that ptx.cat binds, of which this is the part that a run needs
};

constexpr std::array kOrderKindRows = {
    OrderKindRow{OrderKind::base, "bc"},
    OrderKindRow{OrderKind::alias, "enter"},
    OrderKindRow{OrderKind::boundary, "enter"},
    OrderKindRow{OrderKind::async, "enter"},
    OrderKindRow{OrderKind::async_shared, "enter"},
    OrderKindRow{OrderKind::directed, "one-way"},
    OrderKindRow{OrderKind::init_release, "ready"},
    OrderKindRow{OrderKind::execution, "exec"},
    OrderKindRow{OrderKind::passed, "past"},
    OrderKindRow{OrderKind::remote, "remote"},
    OrderKindRow{OrderKind::shared, "bc-some"},
    OrderKindRow{OrderKind::restricted, "told"},
    OrderKindRow{OrderKind::ended, "outof"},
    OrderKindRow{OrderKind::observed, "obs"},
    OrderKindRow{OrderKind::told, "cause"},
    OrderKindRow{OrderKind::exchange, "exchanged"},
    OrderKindRow{OrderKind::tensor_done, "fin"},
    OrderKindRow{OrderKind::tensor_issued, "across"},
    OrderKindRow{OrderKind::tensor_sync, "bct"},
    OrderKindRow{OrderKind::tensor_remote, "remote"},
};
constexpr std::size_t kOrderKinds = kOrderKindRows.size();

constexpr bool order_kinds_in_order() {
  for (std::size_t i = 0; i < kOrderKinds; ++i) {
    if (kOrderKindRows[i].kind != static_cast<OrderKind>(i)) return false;
  }
  return kOrderKinds == static_cast<std::size_t>(OrderKind::tensor_remote) + 1;
}
static_assert(order_kinds_in_order(), "a row for each OrderKind, in their order");

}  // namespace ptxmc::trace
