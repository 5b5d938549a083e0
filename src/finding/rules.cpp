// SPDX-License-Identifier: Apache-2.0
#include "finding/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "support/check.h"
#include "support/nearest.h"
#include "support/refuse.h"

namespace ptxmc::finding {

namespace {

constexpr Severity kError = Severity::error, kWarning = Severity::warning, kNote = Severity::note;
constexpr bool kUndefined = true;

// Three lines a rule: what it is, the sentence, the fix.
// clang-format off
constexpr std::array<Rule, static_cast<std::size_t>(RuleId::own_flag)> kRules = {{
    {RuleId::absent_lane, "absent-lane", kWarning, Kind::misuse, false, {}, "9.7.8.6",
     "a shuffle takes its value from a thread that does not execute it, so the value is undefined",
     "let the source thread execute the shuffle and name it in the mask (CUDA: __shfl_sync(mask, ...)), or keep threads without a source out of it"},
    {RuleId::bad_operand, "bad-operand", kError, Kind::misuse, false, {}, "9.7",
     "an operand has a value that the manual forbids",
     "pass a size, a count or an address that the instruction accepts"},
    {RuleId::barrier_divergence, "barrier-divergence", kError, Kind::misuse, kUndefined, {}, "9.7.12.1",
     "only some threads of a warp execute a barrier or an instruction that all of them must execute together",
     "move it out of the branch, so that all threads of the warp execute it (CUDA: __syncwarp(mask) may stand in one; PTX: so may forms without .aligned)"},
    {RuleId::barrier_misuse, "barrier-misuse", kError, Kind::misuse, kUndefined, {}, "9.7.12.1",
     "the thread counts at a barrier differ, are no multiple of 32 or too small, its kinds of operation differ, or a thread arrives twice",
     "give all threads of a barrier one count and one kind of operation, and wait between two arrivals at a cluster barrier"},
    {RuleId::barrier_reuse, "barrier-reuse", kError, Kind::misuse, false, {}, "9.7.12.1",
     "a thread may arrive at a named barrier before its previous phase is complete",
     "let the thread wait at the barrier, or use another barrier"},
    {RuleId::before_grid_wait, "before-grid-wait", kWarning, Kind::misuse, false, {}, "9.7.12.13",
     "the access conflicts with the previous grid, and only the end of that grid orders them, as it launches no dependents",
     "call `cudaGridDependencySynchronize()` before the second access (PTX: griddepcontrol.wait)"},
    {RuleId::bulk_copy_to_own_cta, "bulk-copy-to-own-cta", kError, Kind::misuse, kUndefined, {}, "9.7.8.24.6",
     "a bulk copy to shared::cluster has the issuing CTA itself as its destination",
     "copy to a peer, or use loads and stores within the CTA"},
    {RuleId::cross_proxy_war, "cross-proxy-war", kWarning, Kind::race, false, RuleId::proxy_race, "8.6",
     "a write through another proxy follows a read, and no proxy fence stands between them",
     "add a proxy fence between the read and the write, unless the order of barriers is taken as enough"},
    {RuleId::declared_alignment, "declared-alignment", kWarning, Kind::misuse, false, {}, "5.4.5",
     "an access needs a larger alignment than the variable is declared with",
     "declare the variable with __align__(N), N the size of the access (PTX: .align N)"},
    {RuleId::depends_on_unknown, "depends-on-unknown", kNote, Kind::misuse, false, {}, "8.2.6",
     "the answer depends on values that are unknown",
     "give initial values"},
    {RuleId::equal_bytes, "equal-bytes", kNote, Kind::race, false, {}, "8.7.1",
     "nothing orders two writes of the same value",
     "nothing to do if they always write the same value; otherwise order them"},
    {RuleId::exit_in_flight, "exit-in-flight", kError, Kind::misuse, false, {}, "5.1.7",
     "the thread block may exit before an asynchronous operation has written its shared memory",
     "wait for the operation before the threads exit"},
    {RuleId::exit_in_flight_read, "exit-in-flight-read", kWarning, Kind::misuse, false, {}, "5.1.7",
     "the thread block may exit before an asynchronous operation has read its shared memory",
     "wait for the reads before the threads exit (CUDA: cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>()); PTX: cp.async.bulk.wait_group.read 0)"},
    {RuleId::exited_lane, "exited-lane", kWarning, Kind::misuse, false, {}, "9.7.8.6",
     "a mask names a thread that has exited",
     "pass the mask of the threads that execute it (CUDA: __syncwarp(mask), __shfl_sync(mask, ...)), or let all of them execute it before they exit"},
    {RuleId::fence_of_a_later_version, "fence-of-a-later-version", kError, Kind::misuse, false, {}, "9.7.12.4",
     "this version of PTX has no fence.acquire and no fence.release",
     "use fence.acq_rel, or a later version"},
    {RuleId::generic_address, "generic-address", kWarning, Kind::misuse, false, {}, "6.4.1.1",
     "a generic address stands where a shared-memory address must; hardware uses its low bits",
     "convert it with `__cvta_generic_to_shared()` (PTX: cvta.to.shared)"},
    {RuleId::hang, "hang", kError, Kind::hang, false, {}, "8.9.6",
     "a thread may wait forever",
     "make sure that what it waits for happens, and stays visible, in every schedule"},
    {RuleId::input, "input", kError, Kind::answer, false, {}, "",
     "the input cannot be read, or says something that ptxmc does not support",
     "see the message"},
    {RuleId::mbarrier_init_unfenced, "mbarrier-init-unfenced", kWarning, Kind::misuse, false, {}, "9.7.12.4",
     "the async proxy signals an mbarrier object, and no fence of the initialising thread publishes its mbarrier.init",
     "add `cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster)` or `cuda::ptx::fence_proxy_async()` after the init (PTX: fence.mbarrier_init.release.cluster, fence.proxy.async)"},
    {RuleId::mbarrier_invalidated, "mbarrier-invalidated", kError, Kind::misuse, false, {}, "9.7.12.15.10",
     "an operation on an mbarrier object is not ordered before its mbarrier.inval",
     "add a barrier of all threads that use the object before mbarrier.inval"},
    {RuleId::mbarrier_misuse, "mbarrier-misuse", kError, Kind::misuse, kUndefined, {}, "9.7.12.15",
     "other instructions access the bytes of a live mbarrier object, or its count is exceeded",
     "use only mbarrier instructions until mbarrier.inval, and arrive as often as the count says"},
    {RuleId::mbarrier_no_complete, "mbarrier-no-complete", kError, Kind::misuse, false, {}, "9.7.12.15.13",
     "an arrival with .noComplete may complete the phase: no other arrival of the phase comes after it",
     "use mbarrier.arrive without .noComplete"},
    {RuleId::mbarrier_uninitialised, "mbarrier-uninitialised", kError, Kind::misuse, kUndefined, {}, "9.7.12.15",
     "an mbarrier object may be used before its init",
     "call `__syncthreads()` after the init; in a cluster, `cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster)` and `cluster.sync()` (PTX: bar.sync 0; fence.mbarrier_init, barrier.cluster)"},
    {RuleId::mbarrier_unwaited, "mbarrier-unwaited", kWarning, Kind::misuse, false, {}, "9.7.12.15.4",
     "a thread arrives at an mbarrier object, and no wait has returned true for the phase before",
     "wait for each phase before the next one gets an arrival"},
    {RuleId::misaligned, "misaligned", kError, Kind::misuse, false, {}, "6.4.1",
     "the address is no multiple of the size of the access",
     "align the address"},
    {RuleId::missing_acquire, "missing-acquire", kError, Kind::race, false, {}, "8.8",
     "a relaxed read sees the release, and no acquire pattern follows",
     "read with `cuda::memory_order_acquire`, or add `__threadfence()` after the read (PTX: ld.acquire, fence.acq_rel)"},
    {RuleId::mixed_size_race, "mixed-size-race", kError, Kind::race, kUndefined, RuleId::race, "8.7.2",
     "unordered accesses overlap in part, so the axioms say nothing about them",
     "access the location in one size, or order the accesses"},
    {RuleId::not_in_membermask, "not-in-membermask", kError, Kind::misuse, kUndefined, {}, "9.7.8.6",
     "a thread executes an instruction whose mask does not name it",
     "name every thread that executes the instruction in the mask"},
    {RuleId::out_of_bounds, "out-of-bounds", kError, Kind::misuse, kUndefined, {}, "8.2",
     "the access is outside of every memory object",
     "allocate more, or correct the index"},
    {RuleId::phase_not_confluent, "phase-not-confluent", kNote, Kind::misuse, false, {}, "9.7.12.15.4",
     "an arrival is not ordered after the previous phase, so it may count to that one",
     "wait for the phase before arriving again"},
    {RuleId::proxy_race, "proxy-race", kError, Kind::race, false, RuleId::race, "8.6",
     "two accesses are ordered, but go through two proxies without a proxy fence between them",
     "add a proxy fence between them (CUDA: cuda::ptx::fence_proxy_async(); PTX: fence.proxy.async)"},
    {RuleId::race, "race", kError, Kind::race, false, {}, "8.7.1",
     "nothing orders two accesses, at least one is a write, and they are not morally strong",
     "order them: `__syncthreads()` in a block, a release and an acquire between blocks; or make both atomic, with scopes that include each other (CUDA: cuda::atomic_ref)"},
    {RuleId::read_only, "read-only", kError, Kind::misuse, false, {}, "5.1.3",
     "the write goes to constant memory or to a kernel parameter",
     "write to global memory instead"},
    {RuleId::remote_arrival, "remote-arrival", kWarning, Kind::race, false, {}, "9.7.12.15.13",
     "an arrival at the mbarrier object of another CTA, or the wait for it, has .cta scope, which does not include the other thread",
     "give the arrival and the wait .cluster scope"},
    {RuleId::scope_too_narrow, "scope-too-narrow", kError, Kind::race, false, {}, "8.5",
     "the scopes of a release and an acquire do not include each other",
     "widen the scope of both (CUDA: cuda::thread_scope_device; PTX: .gpu)"},
    {RuleId::setmaxnreg_unsynchronized, "setmaxnreg-unsynchronized", kError, Kind::misuse, false, {}, "9.7.17.5",
     "the second setmaxnreg is not ordered after the first one of every warp of the warpgroup",
     "add a barrier of the four warps between the two (PTX: bar.sync)"},
    {RuleId::shared_after_exit, "shared-after-exit", kError, Kind::misuse, false, {}, "5.1.7",
     "the thread block may exit before another one, or an operation, has used its shared memory",
     "wait for the operation, or call `cluster.sync()` after the last use (PTX: barrier.cluster.arrive, not .relaxed, and barrier.cluster.wait)"},
    {RuleId::shared_before_start, "shared-before-start", kError, Kind::misuse, false, {}, "2.2.2",
     "nothing shows that the other thread block of the cluster has started, so its shared memory may not be there yet",
     "call `cluster.sync()` before the first access (PTX: barrier.cluster.arrive.relaxed and barrier.cluster.wait)"},
    {RuleId::shfl_inactive_lane, "shfl-inactive-lane", kError, Kind::misuse, kUndefined, {}, "9.7.8.6",
     "a shuffle takes its value from a lane that is not active",
     "let the source lane execute the shuffle"},
    {RuleId::sparsity_metadata, "sparsity-metadata", kError, Kind::misuse, kUndefined, {}, "9.7.13.5.1",
     "the metadata of a sparse matrix select no two different elements, or its selector names no threads",
     "give each pair two different indices, and a selector that the shape has"},
    {RuleId::stale_poll, "stale-poll", kNote, Kind::misuse, false, {}, "9.7.12.15.16",
     "the wait is for a phase that is known to be over, so it returns at once",
     "wait for the parity of the phase that is meant"},
    {RuleId::stale_read, "stale-read", kWarning, Kind::misuse, false, {}, "8.8",
     "the accesses are strong and do not race, but the read may take an older value: a later release was seen and not acquired",
     "read the flag with `cuda::memory_order_acquire`, or add `__threadfence()` after that read, with a scope that includes both threads (PTX: ld.acquire, fence.acq_rel)"},
    {RuleId::tcgen05_fence, "tcgen05-fence", kError, Kind::race, false, {}, "9.7.16.6.3",
     "accesses of tensor memory are synchronized, but no tcgen05.fence stands after the synchronization",
     "call `cuda::ptx::tcgen05_fence_before_thread_sync()` before it and `cuda::ptx::tcgen05_fence_after_thread_sync()` after it (PTX: tcgen05.fence::before_thread_sync, tcgen05.fence::after_thread_sync)"},
    {RuleId::tcgen05_order, "tcgen05-order", kWarning, Kind::race, false, {}, "9.7.16.6.2",
     "one thread issues two tcgen05 operations that are no pipelined pair, so the second need not execute after the first",
     "add tcgen05.commit after the first, and before the second a wait for its phase and tcgen05.fence::after_thread_sync"},
    {RuleId::tensor_cta_group, "tensor-cta-group", kError, Kind::misuse, false, {}, "9.7.16.7.1",
     "tcgen05 instructions of one kernel differ in .cta_group",
     "use one .cta_group in all of them"},
    {RuleId::tensor_map, "tensor-map", kError, Kind::misuse, kUndefined, {}, "9.7.8.24.9",
     "the address is not that of a tensor map, or the map or its box does not fit the instruction or the memory",
     "pass a tensor map made by cuTensorMapEncode, for memory as large as it says"},
    {RuleId::tensor_memory_address, "tensor-memory-address", kError, Kind::misuse, kUndefined, {}, "9.7.16.1.2",
     "the address is outside of the allocated tensor memory",
     "use the columns that tcgen05.alloc returned"},
    {RuleId::tensor_memory_alloc, "tensor-memory-alloc", kError, Kind::misuse, false, {}, "9.7.16.7.1",
     "tensor memory is allocated after the permit was given up, or with more columns than before",
     "allocate the largest first, and relinquish the permit after the last tcgen05.alloc"},
    {RuleId::tensor_memory_dealloc, "tensor-memory-dealloc", kError, Kind::misuse, kUndefined, {}, "9.7.16.7.1",
     "tcgen05.dealloc frees columns that are not allocated",
     "free what tcgen05.alloc returned, once"},
    {RuleId::tensor_memory_lanes, "tensor-memory-lanes", kError, Kind::misuse, kUndefined, {}, "9.7.16.8.1",
     "a warp accesses lanes of tensor memory that belong to another warp",
     "access the quarter of the lanes that belongs to the warp"},
    {RuleId::tensor_memory_leak, "tensor-memory-leak", kError, Kind::misuse, false, {}, "9.7.16.7.1",
     "tensor memory is not freed before the kernel ends",
     "add a tcgen05.dealloc with the same number of columns after the last use"},
    {RuleId::tmem_free, "tmem-free", kError, Kind::misuse, false, {}, "9.7.16.7.1",
     "tensor memory may be used after it is freed",
     "put the tcgen05.dealloc after everything that uses the columns is complete"},
    {RuleId::tmem_misuse, "tmem-misuse", kError, Kind::misuse, false, {}, "9.7.16.1",
     "tensor memory is used that is not allocated, or that the warp cannot reach",
     "use what tcgen05.alloc returned, from the warps that may"},
    {RuleId::trap, "trap", kError, Kind::misuse, kUndefined, {}, "9.7.17.4",
     "trap aborts the kernel, and nothing is known of what it leaves",
     "correct what leads to the trap"},
    {RuleId::unknown, "unknown", kError, Kind::answer, false, {}, "",
     "a time limit, a memory limit, a bound or the solver left the answer open",
     "raise --timeout, --memory or --unroll"},
    {RuleId::verdict, "verdict", kError, Kind::answer, false, {}, "",
     "the file states a verdict that is not met",
     "correct the test or its verdict; `ptxmc explain` says why"},
    {RuleId::wait_overtaken, "wait-overtaken", kWarning, Kind::misuse, false, {}, "9.7.12.15.16",
     "the next phase may complete before the wait looks, which then waits for a parity or a state that has passed",
     "let the next phase have an arrival that comes after the wait, in this thread or one that it synchronizes with"},
    {RuleId::warp_exchange, "warp-exchange", kWarning, Kind::race, false, RuleId::race, "9.7.12.2",
     "only an exchange of values between threads of a warp (elect, shfl, vote, match, redux) stands between the accesses, and it orders no memory",
     "add `__syncwarp()` between them (PTX: bar.warp.sync)"},
    {RuleId::warp_lockstep, "warp-lockstep", kWarning, Kind::misuse, false, {}, "9.7.12.2",
     "threads of a warp exchange a value by volatile accesses that nothing orders: since Volta they do not execute in lockstep",
     "add `__syncwarp()` between the two (PTX: bar.warp.sync)"},
    {RuleId::wgmma_register_behind_fence, "wgmma-register-behind-fence", kWarning, Kind::misuse, false, {}, "9.7.14.7.1",
     "a register of a wgmma.mma_async is accessed after the wgmma.fence",
     "move the access before the wgmma.fence (CUDA: an empty asm volatile with the register as \"+f\" or \"+r\" keeps it there)"},
    {RuleId::wgmma_register_in_flight, "wgmma-register-in-flight", kError, Kind::misuse, kUndefined, {}, "9.7.14.7.3",
     "a register of a wgmma.mma_async is accessed before the operation is complete",
     "add wgmma.commit_group and wgmma.wait_group before the access"},
    {RuleId::wgmma_register_unfenced, "wgmma-register-unfenced", kError, Kind::misuse, kUndefined, {}, "9.7.14.7.1",
     "no wgmma.fence stands between an access of a register and the wgmma.mma_async that uses it",
     "add wgmma.fence between the access and the wgmma.mma_async"},
    {RuleId::wgmma_unfenced, "wgmma-unfenced", kError, Kind::misuse, kUndefined, {}, "9.7.14.7.1",
     "no wgmma.fence stands before the first wgmma.mma_async",
     "add wgmma.fence before the wgmma.mma_async"},
    {RuleId::wrong_space, "wrong-space", kError, Kind::misuse, false, {}, "6.4.1",
     "the address belongs to another state space",
     "convert the address with cvta, or access the space that it belongs to"},
}};
// clang-format on

constexpr Rule kOwnFlag = {RuleId::own_flag, "", kError, Kind::race, false, {}, "", "", ""};

/// A row for each id, at its place; names in order.
constexpr bool is_complete() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].id) != i || kRules[i].name.empty()) return false;
    if (i > 0 && kRules[i - 1].name >= kRules[i].name) return false;
  }
  return true;
}
static_assert(is_complete());

constexpr std::array<FormerName, 7> kFormer = {{
    {"data-race", RuleId::race},
    {"divergent", RuleId::barrier_divergence},
    {"hangs", RuleId::hang},
    {"invalid-tensor-map", RuleId::tensor_map},
    {"shared-source-after-exit", RuleId::exit_in_flight_read},
    {"tensor-memory-freed", RuleId::tmem_free},
    {"warp-race", RuleId::warp_exchange},
}};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

const Rule& rule(RuleId id) {
  return id == RuleId::own_flag ? kOwnFlag : kRules.at(static_cast<std::size_t>(id));
}

std::string_view name_of(RuleId id) {
  return rule(id).name;
}

Severity severity_of(RuleId id) {
  return rule(id).severity;
}

bool is_race(RuleId id) {
  return rule(id).kind == Kind::race;
}

std::span<const FormerName> former_names() {
  return kFormer;
}

std::string_view current_name(std::string_view name) {
  const auto* found =
      std::find_if(kFormer.begin(), kFormer.end(), [&](const FormerName& row) { return row.former == name; });
  return found == kFormer.end() ? name : name_of(found->id);
}

const Rule* find_rule(std::string_view name) {
  const std::string_view current = current_name(name);
  const auto* row = std::lower_bound(kRules.begin(), kRules.end(), current,
                                     [](const Rule& rule, std::string_view n) { return rule.name < n; });
  return row != kRules.end() && row->name == current ? row : nullptr;
}

const Rule& rule_named(std::string_view name) {
  const Rule* found = find_rule(name);
  PTXMC_CHECK(found != nullptr, "no row in finding/rules.cpp for `" + std::string(name) + "`");
  return *found;
}

std::optional<std::string> nearest_rule(const std::string& name) {
  std::vector<std::string> known;
  for (const Rule& rule : kRules) known.emplace_back(rule.name);
  return nearest(name, known);
}

void check_rule_name(const std::string& option, const std::string& name) {
  if (find_rule(name) != nullptr) return;
  const auto near = nearest_rule(name);
  refuse(fmt::format("{}: there is no rule `{}`{}", option, name,
                     near ? fmt::format("; did you mean `{}`?", *near) : ""));
}

}  // namespace ptxmc::finding
