// SPDX-License-Identifier: Apache-2.0
#include "explain/words/runs.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "support/check.h"

namespace ptxmc::explain {

namespace {

/// What is missing: why the two are unordered, and what to do.
struct RaceWords {
  trace::Missing missing;
  std::string_view cause, advice, section;
};
constexpr std::array<RaceWords, 13> kRaceWords = {{
    {trace::Missing::synchronization, "nothing orders them",
     "a barrier between them, or a release behind the first and an acquire before the second", "8.9.5"},
    {trace::Missing::wait, "nothing waits for its completion",
     "wait for the mbarrier phase or the group before the second access", "9.7.8.24.1"},
    {trace::Missing::proxy_fence,
     "they are ordered, but go through two proxies, and no proxy fence stands between them",
     "a fence.proxy.{proxy} behind the first access, before what orders it", "8.6"},
    {trace::Missing::scope, "the scopes of release and acquire do not include each other",
     "give both a scope that includes the two threads", "8.5"},
    {trace::Missing::acquire, "no acquire pattern follows the read that sees the release",
     "an acquire, or a fence behind the read", "8.8"},
    {trace::Missing::release, "what is waited for between them releases nothing of the first",
     "a release at what is waited for, or a fence before it, and an acquire where it is waited for", "8.8"},
    {trace::Missing::sequential_fence,
     "no fence.sc follows the read that comes behind the fence.sc of the first",
     "a fence.sc behind the read (in CUDA, __threadfence()), before what orders the second access", "8.9.3"},
    {trace::Missing::warp_sync, "only an exchange of values between the lanes stands between them",
     "bar.warp.sync orders memory, too", "9.7.12.2"},
    {trace::Missing::tensor_fence,
     "the first is known to be complete, or issued before, but no tcgen05.fence stands behind what tells it",
     "tcgen05.fence::after_thread_sync behind the wait, before the second access, and "
     "fence::before_thread_sync "
     "behind the first where another thread is told",
     "9.7.16.6.3"},
    {trace::Missing::wgmma_fence,
     "a wgmma.mma_async starts at the wgmma.fence in front of it, and what orders the two comes behind that "
     "fence",
     "wgmma.fence before the wgmma.mma_async, behind the wait or barrier that tells of the first access",
     "8.9.1.1"},
    {trace::Missing::init_fence, "no fence follows the init that makes it visible to the async proxy",
     "fence.mbarrier_init or fence.proxy.async behind the init", "9.7.12.15"},
    {trace::Missing::mutual_scope, "both are strong, but the scope of one does not include the other thread",
     "give both a scope that includes the two threads, or order them", "8.7.1"},
    {trace::Missing::one_access,
     "the read that sees the release is another element of the same vector, and these are read in no order",
     "a read of the data by itself, behind an acquire of the flag", "8.2.4"},
}};

/// The same, where the first access is one of tensor memory.
constexpr RaceWords kTensorWait = {
    trace::Missing::wait, "nothing waits for its completion",
    "tcgen05.wait::ld or wait::st behind it, or tcgen05.commit and a wait for its "
    "phase, before the second access",
    "9.7.16.6.2.1"};

/// The same of one that is complete.
constexpr RaceWords kTensorSignal = {
    trace::Missing::synchronization,
    "the first is known to be complete where it was issued, and nothing tells the thread of the second of "
    "that",
    "tcgen05.fence::before_thread_sync behind the wait for the first, a signal to the other thread, and "
    "tcgen05.fence::after_thread_sync behind that, before the second access",
    "9.7.16.6.4.4"};

constexpr Waited
    kByPhase =
        {"a wait for the phase that its bytes count to (it ends early where expect_tx announces fewer than "
         "its "
         "copies bring)",
         "9.7.8.24.1"},
    kByTensorCommit = {"tcgen05.commit behind it and a wait for the phase that it arrives at",
                       "9.7.16.6.2.1"},
    kByProducts =
        {"wgmma.commit_group behind it and a wgmma.wait_group whose count does not leave its group open",
         "9.7.14.7.3"},
    kByCopies =
        {"cp.async.commit_group behind it and a cp.async.wait_group, by the same thread, whose count does "
         "not leave its group open (or cp.async.mbarrier.arrive and a wait for its phase)",
         "9.7.8.24.3", true},
    kByBulk =
        {"cp.async.bulk.commit_group behind it and a cp.async.bulk.wait_group, by the same thread, "
         "whose count does not leave its group open",
         "9.7.8.24.3", true},
    kByBulkRead = {
        "cp.async.bulk.commit_group behind it and a cp.async.bulk.wait_group.read, by the same "
        "thread, whose count does not leave its group open",
        "9.7.8.24.3", true};

/// Rules that say more than what is missing.
struct RuleWords {
  trace::Rule rule;
  std::string_view cause, advice, section;
};
constexpr std::array<RuleWords, 21> kRuleWords = {{
    {trace::Rule::shared_before_start,
     "nothing shows that the other thread block of the cluster has started, so its shared memory may not be "
     "there yet",
     "cluster.sync() before the first access (PTX: barrier.cluster.arrive.relaxed and barrier.cluster.wait)",
     "2.2.2"},
    {trace::Rule::registers_unsynchronized,
     "the second setmaxnreg is not ordered after the first one of every warp of the warpgroup",
     "a barrier of the four warps between the two (PTX: bar.sync)", "9.7.17.5"},
    {trace::Rule::before_grid_wait,
     "only the end of the grid before orders them, as that grid launches no dependents: no "
     "griddepcontrol.wait "
     "stands before the second access",
     "griddepcontrol.wait (CUDA: cudaGridDependencySynchronize()) before the second access", "9.7.12.13"},
    {trace::Rule::equal_bytes, "nothing orders them, and both write the same value", "", "8.7.1"},
    {trace::Rule::tensor_freed, "the tensor memory may be deallocated before it is used",
     "tcgen05.dealloc behind the completion of all that uses the columns", "9.7.16.7.1"},
    {trace::Rule::tensor_order,
     "one thread issues them in this order, but they are no pair that executes in the order of issue",
     "tcgen05.commit behind the first, a wait for its phase and tcgen05.fence::after_thread_sync, before the "
     "second",
     "9.7.16.6.2"},
    {trace::Rule::remote_arrival,
     "an arrival at the mbarrier object of another CTA, or the wait for it, has .cta scope, which does not "
     "include "
     "the other thread",
     "give the arrival and the wait .cluster scope", "9.7.12.15.13"},
    {trace::Rule::mbarrier_uninitialised,
     "nothing orders the operation behind the init of its mbarrier object",
     "a barrier behind mbarrier.init, and fence.mbarrier_init before one at which arrivals are relaxed",
     "9.7.12.15"},
    {trace::Rule::mbarrier_misuse, "the bytes belong to a live mbarrier object",
     "mbarrier.inval before they hold something else", "9.7.12.15"},
    {trace::Rule::phase_not_confluent,
     "nothing orders the arrival behind the phase before: it may count to that one", "", "9.7.12.15.4"},
    {trace::Rule::wait_overtaken,
     "the next phase may complete before the wait looks, which then waits for a parity or a state that has "
     "gone by",
     "an arrival at the next phase that comes after the wait, of this thread or of one that it synchronizes "
     "with",
     "9.7.12.15.16"},
    {trace::Rule::mbarrier_no_complete,
     "no other arrival of the phase comes after it: it may be the one that completes the phase",
     "mbarrier.arrive without .noComplete", "9.7.12.15.13"},
    {trace::Rule::mbarrier_invalidated,
     "nothing orders it before mbarrier.inval: it may find no object any more",
     "a barrier of all threads that use the object, before mbarrier.inval", "9.7.12.15.10"},
    {trace::Rule::stale_poll, "it waits for a phase that is known to be over, and returns at once", "",
     "9.7.12.15.16"},
    {trace::Rule::barrier_reuse, "nothing orders the arrival behind the barrier's phase before",
     "another barrier, or one that all its threads wait at", "9.7.12.1"},
    {trace::Rule::exit_in_flight, "the CTA may exit before the operation has written its shared memory",
     "wait for it before the exit", "5.1.7"},
    {trace::Rule::shared_after_exit, "the CTA may exit before another has used its shared memory",
     "cluster.sync() behind the last use, before the exit (PTX: barrier.cluster.arrive, not .relaxed, and "
     "barrier.cluster.wait)",
     "5.1.7"},
    {trace::Rule::exit_in_flight_read, "the CTA may exit before the operation has read its shared memory",
     "cp.async.bulk.wait_group.read 0 before the exit", "5.1.7"},
    {trace::Rule::stale_read,
     "both are strong, so this is no race, but the read may take an older value: what was released behind "
     "the write was "
     "seen, and not acquired",
     "an acquire, or a fence, behind the read that sees the release, of a scope that includes both threads",
     "8.8"},
    {trace::Rule::lost_value,
     "what the loop waits for may be overwritten before it is read, and then it waits for ever",
     "whoever overwrites it must know that the loop has been left", "8.9.6"},
    {trace::Rule::warp_lockstep,
     "threads of a warp exchange a value by volatile accesses that nothing orders: since Volta they do not "
     "execute in lockstep, and the read may take the value before or after the write",
     "__syncwarp() between the two (PTX: bar.warp.sync)", "9.7.12.2"},
}};

/// Of a stale read, where nothing was released that a loop or an atomic saw.
constexpr RuleWords kToldAlone = {
    trace::Rule::stale_read,
    "both are strong, so this is no race, but the read may take an older value: what a loop waited for, or "
    "an atomic "
    "went by, was written behind the write, and no release and acquire pattern stands between",
    "a release, or a fence, before the write that is waited for or gone by, and an acquire, or a fence, "
    "behind the read "
    "that sees it, of scopes that include both threads",
    "8.8"};

/// The same, of an element of the vector that the loop reads.
constexpr RuleWords kBesideFlag = {trace::Rule::stale_read,
                                   "both are strong, so this is no race, but a vector is read element by "
                                   "element, in no order: this one may be "
                                   "older than the one that the loop waits for",
                                   "flag and data in one scalar, of 64 bits or .b128, or a read of the data "
                                   "behind the loop, and an acquire, or a "
                                   "fence, in front of it",
                                   "8.2.4"};

/// What to do about a fault, where its own sentence does not say.
struct FaultWords {
  kernel::FaultKind kind;
  std::string_view advice, section;
};
constexpr FaultWords kFaultWords[] = {
    {kernel::FaultKind::wgmma_register_in_flight, "wgmma.commit_group and wgmma.wait_group before the access",
     "9.7.14.7.3"},
    {kernel::FaultKind::wgmma_register_unfenced, "wgmma.fence between the access and the wgmma.mma_async",
     "9.7.14.7.1"},
    {kernel::FaultKind::wgmma_register_behind_fence,
     "the access in front of the wgmma.fence: in CUDA, an empty asm volatile with the register as \"+f\" or "
     "\"+r\" keeps "
     "it there",
     "9.7.14.7.1"},
    {kernel::FaultKind::wgmma_unfenced, "wgmma.fence before the wgmma.mma_async", "9.7.14.7.1"},
    {kernel::FaultKind::absent_lane,
     "the lane in the membermask, and the shuffle executed by it, unless nothing uses the value", "9.7.8.6"},
};

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
  if (finding.rule == trace::Rule::stale_read && missing == trace::Missing::synchronization)
    return {kToldAlone.cause, kToldAlone.advice, kToldAlone.section};
  if (finding.rule == trace::Rule::stale_read && missing == trace::Missing::one_access)
    return {kBesideFlag.cause, kBesideFlag.advice, kBesideFlag.section};
  const bool tensor = finding.first.operation && finding.first.proxy == isa::Proxy::tensor;
  for (const RuleWords& words : kRuleWords) {
    if (words.rule == finding.rule) return {words.cause, words.advice, words.section};
  }
  if (tensor && (missing == trace::Missing::wait || missing == trace::Missing::synchronization)) {
    const RaceWords& words = missing == trace::Missing::wait ? kTensorWait : kTensorSignal;
    return {words.cause, words.advice, words.section};
  }
  const auto* found = std::find_if(kRaceWords.begin(), kRaceWords.end(),
                                   [&](const RaceWords& words) { return words.missing == missing; });
  PTXMC_CHECK(found != kRaceWords.end(), "a cause has no words");
  return {found->cause, found->advice, found->section};
}

RunWords words_of(kernel::FaultKind kind) {
  const auto* found = std::find_if(std::begin(kFaultWords), std::end(kFaultWords),
                                   [&](const FaultWords& words) { return words.kind == kind; });
  if (found == std::end(kFaultWords)) return {};
  return {{}, found->advice, found->section};
}

}  // namespace ptxmc::explain
