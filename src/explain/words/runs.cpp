// SPDX-License-Identifier: Apache-2.0
#include "explain/words/runs.h"

#include <algorithm>
#include <array>

#include "support/check.h"

namespace ptxmc::explain {

namespace {

using finding::RuleId;

/// What is missing: why the two are unordered, and what to do.
struct RaceWords {
  trace::Missing missing;
  std::string_view cause, fix, section;
};
constexpr std::array<RaceWords, 14> kRaceWords = {{
    {trace::Missing::synchronization, "nothing orders them",
     "order them: by `__syncthreads()` in one block, else by a release after the first and an acquire before the second (CUDA: cuda::atomic_ref; PTX: bar.sync, or st.release and ld.acquire)",
     "8.9.5"},
    {trace::Missing::wait, "nothing waits for its completion",
     "wait for its mbarrier phase or its group before the second access", "9.7.8.24.1"},
    {trace::Missing::proxy_fence,
     "they are ordered, but go through two proxies, and no proxy fence stands between them",
     "add fence.proxy.{proxy} after the first access, before the barrier, arrival or flag that orders the two",
     "8.6"},
    {trace::Missing::scope, "the scopes of release and acquire do not include each other",
     "give both a scope that includes the two threads (CUDA: cuda::thread_scope_device; PTX: .gpu)", "8.5"},
    {trace::Missing::state_space,
     "a fence between the two orders accesses of shared memory alone (.sync_restrict), a release those of its own block",
     "use the fence without .sync_restrict (CUDA: cuda::ptx::fence(sem, cuda::ptx::scope_cluster))",
     "9.7.12.4"},
    {trace::Missing::acquire, "no acquire pattern follows the read that sees the release",
     "add `__threadfence()` after the read, or load with `cuda::memory_order_acquire` (PTX: fence.acq_rel, ld.acquire)",
     "8.8"},
    {trace::Missing::release, "the write that is waited for between them does not release the first access",
     "add `__threadfence()` before that write, or store with `cuda::memory_order_release`; and acquire where it is waited for (PTX: fence.acq_rel, st.release, ld.acquire)",
     "8.8"},
    {trace::Missing::sequential_fence,
     "no fence.sc follows the read that comes after the fence.sc of the first",
     "add `__threadfence()` after the read, before what orders the second access (PTX: fence.sc)", "8.9.3"},
    {trace::Missing::warp_sync, "only an exchange of values between the lanes stands between them",
     "add `__syncwarp()`, which orders memory (PTX: bar.warp.sync)", "9.7.12.2"},
    {trace::Missing::tensor_fence,
     "the first is known to be complete, or was issued before, but no tcgen05.fence stands after what tells it",
     "add `cuda::ptx::tcgen05_fence_after_thread_sync()` after the wait, before the second access; if another thread issues the second, also `cuda::ptx::tcgen05_fence_before_thread_sync()` after the first (PTX: tcgen05.fence::after_thread_sync, tcgen05.fence::before_thread_sync)",
     "9.7.16.6.3"},
    {trace::Missing::wgmma_fence,
     "a wgmma.mma_async starts at the wgmma.fence before it, and what orders the two comes after that fence",
     "add wgmma.fence before the wgmma.mma_async, after the wait or barrier that tells of the first access",
     "8.9.1.1"},
    {trace::Missing::init_fence, "no fence after the init makes it visible to the async proxy",
     "add `cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster)` or `cuda::ptx::fence_proxy_async()` after the init (PTX: fence.mbarrier_init.release.cluster, fence.proxy.async)",
     "9.7.12.4"},
    {trace::Missing::mutual_scope, "both are strong, but the scope of one does not include the other thread",
     "give both a scope that includes the two threads (CUDA: cuda::thread_scope_device; PTX: .gpu), or order them",
     "8.7.1"},
    {trace::Missing::one_access,
     "the read that sees the release is another element of the same vector, and elements are read in no order",
     "read the data on its own, after an acquire of the flag", "8.2.4"},
}};

/// The same, where the first access is one of tensor memory.
constexpr RaceWords kTensorWait = {
    trace::Missing::wait, "nothing waits for its completion",
    "add `cuda::ptx::tcgen05_wait_ld()` or `cuda::ptx::tcgen05_wait_st()` after it, or `cuda::ptx::tcgen05_commit(...)` and a wait for its phase, before the second access (PTX: tcgen05.wait::ld, tcgen05.wait::st, tcgen05.commit)",
    "9.7.16.6.2.1"};

/// The same of one that is complete.
constexpr RaceWords kTensorSignal = {
    trace::Missing::synchronization,
    "the first is known to be complete where it was issued, and nothing tells the thread of the second",
    "add `cuda::ptx::tcgen05_fence_before_thread_sync()` after the wait for the first, a signal to the other thread, and `cuda::ptx::tcgen05_fence_after_thread_sync()` before the second access (PTX: tcgen05.fence::before_thread_sync, tcgen05.fence::after_thread_sync)",
    "9.7.16.6.4.4"};

constexpr Waited
    kByPhase = {WaitedBy::phase, "", "9.7.8.24.1"},
    kByTensorCommit =
        {WaitedBy::tensor_commit,
         "add `cuda::ptx::tcgen05_commit(...)` after it and wait for the phase that it arrives at (PTX: tcgen05.commit, mbarrier.try_wait)",
         "9.7.16.6.2.1.1"},
    kByProducts =
        {WaitedBy::products,
         "add wgmma.commit_group after it and a wgmma.wait_group whose count does not leave its group open",
         "9.7.14.7.3"},
    kByCopies = {WaitedBy::copies, "", "9.7.8.24.3"}, kByBulk = {WaitedBy::bulk, "", "9.7.8.24.13"},
    kByBulkRead = {WaitedBy::bulk_read, "", "9.7.8.24.13"};

/// Rules that are broken without a pair of unordered accesses, or that say more of one than what is missing.
bool speaks_for_itself(RuleId rule) {
  switch (rule) {
    case RuleId::race:
    case RuleId::proxy_race:
    case RuleId::cross_proxy_war:
    case RuleId::scope_too_narrow:
    case RuleId::missing_acquire:
    case RuleId::warp_exchange:
    case RuleId::mbarrier_init_unfenced:
    case RuleId::tcgen05_fence:
      return false;
    default:
      return true;
  }
}

/// A stale read, where nothing was released that a loop or an atomic saw.
constexpr RunWords kToldAlone = {
    "the accesses are strong and do not race, but the read may take an older value: the flag was written after the data, without release and acquire",
    "write the flag with `cuda::memory_order_release` and read it with `cuda::memory_order_acquire`, at `cuda::thread_scope_device`; or add `__threadfence()` before the write and after the read (PTX: st.release.gpu, ld.acquire.gpu, fence.acq_rel.gpu)",
    "8.8"};

/// A stale read of an element of the vector that the loop reads.
constexpr RunWords kBesideFlag = {
    "the accesses are strong and do not race, but a vector is read element by element in no order: this one may be older than the flag",
    "put flag and data in one scalar of 64 bits or .b128, or read the data after the loop and an acquire",
    "8.2.4"};

/// A flag that a loop polls.
constexpr RunWords kLostValue = {
    "what the loop waits for may be overwritten before it is read, and then it waits forever",
    "overwrite it only after the waiting thread has said that its loop has exited", "8.9.6"};

}  // namespace

Waited waited_by(const program::Instruction& instruction, trace::Effect effect) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (instruction.opcode == isa::Opcode::wgmma_mma) return kByProducts;
  if (instruction.opcode == isa::Opcode::cp_async) return kByCopies;
  if (traits.family == isa::Family::tensor) return kByTensorCommit;
  const bool bulk = instruction.opcode == isa::Opcode::cp_async_bulk ||
                    instruction.opcode == isa::Opcode::cp_reduce_async_bulk ||
                    instruction.opcode == isa::Opcode::cp_async_bulk_tensor ||
                    instruction.opcode == isa::Opcode::cp_reduce_async_bulk_tensor;
  if (!bulk || instruction.modifiers.space != isa::Space::global) return kByPhase;
  return effect == trace::Effect::read ? kByBulkRead : kByBulk;
}

RunWords words_of(const trace::Finding& finding) {
  const auto missing = finding.cause.missing;
  if (finding.rule == RuleId::stale_read && missing == trace::Missing::synchronization) return kToldAlone;
  if (finding.rule == RuleId::stale_read && missing == trace::Missing::one_access) return kBesideFlag;
  if (finding.rule == RuleId::hang) return kLostValue;
  if (speaks_for_itself(finding.rule)) return words_of(finding.rule);
  const bool tensor = finding.first.operation && finding.first.proxy == isa::Proxy::tensor;
  if (tensor && (missing == trace::Missing::wait || missing == trace::Missing::synchronization)) {
    const RaceWords& words = missing == trace::Missing::wait ? kTensorWait : kTensorSignal;
    return {words.cause, words.fix, words.section};
  }
  const auto* found = std::find_if(kRaceWords.begin(), kRaceWords.end(),
                                   [&](const RaceWords& words) { return words.missing == missing; });
  PTXMC_CHECK(found != kRaceWords.end(), "a cause has no words");
  return {found->cause, found->fix, found->section};
}

RunWords words_of(RuleId id) {
  const finding::Rule& rule = finding::rule(id);
  return {rule.summary, rule.fix, rule.section};
}

}  // namespace ptxmc::explain
