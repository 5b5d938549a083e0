// SPDX-License-Identifier: Apache-2.0
// Membership in the base sets: a question about one event's labels each.
#include "axiomatic/event/base_rows.h"

namespace ptxmc::event::sets {
namespace {

using isa::Proxy;
using isa::Semantics;

bool is_fence(const Event& e, Semantics semantics) {
  return fences(e) && e.labels.semantics == semantics;
}

bool plain_barrier(const Event& e) {
  return barriers(e) && e.labels.semantics == Semantics::relaxed;
}

bool strong_access(const Event& e) {
  return (e.is_read() || e.kind == EventKind::write) && e.labels.semantics != Semantics::weak;
}

bool through(const Event& e, Proxy proxy) {
  return e.is_access() && e.kind != EventKind::initial_write && e.labels.proxy == proxy;
}

}  // namespace

bool reads(const Event& e) {
  return e.is_read();
}
bool writes(const Event& e) {
  return e.is_write();
}
bool accesses(const Event& e) {
  return e.is_access();
}
bool initial(const Event& e) {
  return e.kind == EventKind::initial_write;
}

bool acquire(const Event& e) {
  if (waits(e)) return !plain_barrier(e);
  return e.is_read() &&
         (e.labels.semantics == Semantics::acquire || e.labels.semantics == Semantics::acq_rel);
}

// An asynchronous operation that releases does so by its issue event too: what precedes that.
bool release(const Event& e) {
  if (e.kind == EventKind::signal) return true;
  if (arrivals(e)) return !plain_barrier(e);
  if (e.kind == EventKind::issue) return e.labels.semantics == Semantics::release;
  return e.kind == EventKind::write &&
         (e.labels.semantics == Semantics::release || e.labels.semantics == Semantics::acq_rel);
}

// relaxed, volatile, mmio; the half of an atomic that its semantics leave plain; .relaxed barrier operations
bool relaxed(const Event& e) {
  return plain_barrier(e) || (strong_access(e) && !acquire(e) && !release(e));
}

bool weak(const Event& e) {
  return e.is_access() && e.kind != EventKind::initial_write && e.labels.semantics == Semantics::weak;
}

bool no_return_reads(const Event& e) {
  return e.is_read() && e.labels.no_return;
}
bool atomics(const Event& e) {
  return e.labels.atomic;
}

bool fences(const Event& e) {
  return e.kind == EventKind::fence && !e.labels.init_only;
}
bool fence_sc(const Event& e) {
  return is_fence(e, Semantics::sc);
}
bool fence_acq_rel(const Event& e) {
  return is_fence(e, Semantics::acq_rel);
}
// 9.7.12.4: those with .sync_restrict name a state space.
bool is_restricted(const Event& e) {
  return e.kind == EventKind::fence && e.labels.space != isa::Space::generic;
}
bool fence_release(const Event& e) {
  return is_fence(e, Semantics::release) && !is_restricted(e);
}
bool fence_acquire(const Event& e) {
  return is_fence(e, Semantics::acquire) && !is_restricted(e);
}
bool restricted_release(const Event& e) {
  return is_fence(e, Semantics::release) && is_restricted(e);
}
bool restricted_acquire(const Event& e) {
  return is_fence(e, Semantics::acquire) && is_restricted(e);
}
bool launches(const Event& e) {
  return e.labels.launches;
}
bool acq_rel(const Event& e) {
  return e.labels.semantics == Semantics::acq_rel;
}

bool arrivals(const Event& e) {
  return e.kind == EventKind::arrival;
}
bool waits(const Event& e) {
  return e.kind == EventKind::wait;
}
bool barriers(const Event& e) {
  return arrivals(e) || waits(e);
}

bool init_fences(const Event& e) {
  return e.kind == EventKind::fence && e.labels.init_only;
}
// The end of a thread that waits forever carries the operands of the wait.
bool mbarrier_operations(const Event& e) {
  return e.mbarrier && e.kind != EventKind::end;
}
bool mbarrier_inits(const Event& e) {
  return mbarrier_operations(e) && e.mbarrier->op == MbarrierOp::init;
}
bool mbarrier_invals(const Event& e) {
  return mbarrier_operations(e) && e.mbarrier->op == MbarrierOp::inval;
}

// Where a kernel begins or ends, memory is consistent whatever the proxy (R78).
bool api(const Event& e) {
  return e.kind == EventKind::api;
}
bool proxy_fences(const Event& e) {
  return (e.kind == EventKind::proxy_fence && e.labels.semantics == Semantics::weak) || api(e);
}
bool proxy_releases(const Event& e) {
  return e.kind == EventKind::proxy_fence && e.labels.semantics == Semantics::release &&
         !e.labels.reads_only && e.labels.proxy != Proxy::alias;
}
bool proxy_releases_of_reads(const Event& e) {
  return e.kind == EventKind::proxy_fence && e.labels.reads_only;
}
bool proxy_acquires(const Event& e) {
  return e.kind == EventKind::proxy_fence && e.labels.semantics == Semantics::acquire &&
         e.labels.proxy != Proxy::alias;
}
bool is_alias_fence(const Event& e, Semantics semantics) {
  return e.kind == EventKind::proxy_fence && e.labels.proxy == Proxy::alias &&
         e.labels.semantics == semantics;
}
bool alias_fences(const Event& e) {
  return api(e) || is_alias_fence(e, Semantics::weak);
}
bool alias_releases(const Event& e) {
  return is_alias_fence(e, Semantics::release);
}
bool alias_acquires(const Event& e) {
  return is_alias_fence(e, Semantics::acquire);
}

bool generic(const Event& e) {
  return !e.is_access() || initial(e) || e.labels.proxy == Proxy::generic;
}
bool async(const Event& e) {
  return through(e, Proxy::async);
}
bool issues(const Event& e) {
  return e.kind == EventKind::issue;
}
bool wgmma_issues(const Event& e) {
  return issues(e) && e.labels.wgmma;
}
bool wgmma_fences(const Event& e) {
  return e.kind == EventKind::group && e.labels.wgmma;
}
// alloc and dealloc are synchronous, though what they do to tensor memory is beside program order (R253)
bool asynchronous(const Event& e) {
  return e.issue != kNoEvent && !e.labels.allocates;
}
bool tensor(const Event& e) {
  return through(e, Proxy::tensor);
}
bool tensor_issues(const Event& e) {
  return e.tensor.op >= TensorOp::mma && e.tensor.op <= TensorOp::st;
}
bool tensor_allocations(const Event& e) {
  return e.tensor.op == TensorOp::alloc || e.tensor.op == TensorOp::dealloc;
}
bool tensor_allocs(const Event& e) {
  return e.tensor.op == TensorOp::alloc;
}
bool tensor_frees(const Event& e) {
  return e.is_write() && e.labels.frees;
}
bool tensor_before(const Event& e) {
  return e.tensor.op == TensorOp::before;
}
bool tensor_after(const Event& e) {
  return e.tensor.op == TensorOp::after;
}
bool constant(const Event& e) {
  return through(e, Proxy::constant);
}
bool texture(const Event& e) {
  return through(e, Proxy::texture);
}
bool surface(const Event& e) {
  return through(e, Proxy::surface);
}

}  // namespace ptxmc::event::sets
