// SPDX-License-Identifier: Apache-2.0
#include "explain/rule_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "support/nearest.h"
#include "support/refuse.h"

namespace ptxmc::explain {

namespace {

constexpr RuleText kTexts[] = {
    {"absent-lane", "a shuffle takes a value from a lane that takes no part",
     "Let the source lane take part, or do not use the value", "9.7.8.6"},
    {"bad-operand", "an operand has a value that the manual forbids",
     "Pass a size, a count or an address that the instruction takes", "9.7"},
    {"barrier-divergence", "a part of a warp is at an aligned barrier or instruction",
     "Let all lanes of the warp get there together, or use the form that is not aligned", "9.7.12.1"},
    {"barrier-misuse",
     "a barrier is used with counts that differ, are no multiple of 32, or are too small; barrier.red meets "
     "another kind of barrier operation; or a thread arrives at a cluster barrier twice without a wait",
     "Give all threads of a barrier one count, no more threads than that, and one kind of operation; wait "
     "between two arrivals at a cluster barrier",
     "9.7.12.1, 9.7.12.3"},
    {"barrier-reuse", "an arrival at a named barrier that nothing orders behind the phase before",
     "Wait at the barrier, or use another one", "9.7.12.1"},
    {"before-grid-wait",
     "a grid uses what the one before accessed, and does not wait for it by griddepcontrol.wait",
     "Put griddepcontrol.wait before it", "9.7.12.13"},
    {"bulk-copy-to-own-cta", "a bulk copy to shared::cluster has the CTA itself for its destination",
     "Copy to a peer, or within the CTA by loads and stores", "9.7.8.24.3"},
    {"cross-proxy-war", "a write by another proxy follows a read, and no proxy fence stands between",
     "Put a proxy fence between the read and the write, if the manual's order is not taken for enough",
     "8.6"},
    {"data-race", "two accesses, one of them a write, that nothing orders and that are not morally strong",
     "Order them by a release and an acquire, or a barrier; or make both strong, with scopes that include "
     "each other",
     "8.7.1"},
    {"depends-on-unknown", "the answer differs with values that are unknown", "Give initial values", "8.2.6"},
    {"divergent", "lanes of a warp that must execute one instruction together do not",
     "Let all lanes that the instruction names get there", "9.7.8.6"},
    {"equal-bytes", "two writes of the same value that nothing orders",
     "Nothing, if they do write the same; else order them", "8.7.1"},
    {"exit-in-flight", "an asynchronous operation writes shared memory after its CTA has ended",
     "Wait for the operation before the threads end", "9.7.8.24.1"},
    {"exit-in-flight-read", "an asynchronous operation reads shared memory after its CTA has ended",
     "Wait for its reads before the threads end", "9.7.8.24.1"},
    {"exited-lane", "a membermask names a lane that has exited",
     "Name only lanes that execute the instruction, or let the lane exit after it", "9.7.8.6"},
    {"fence-of-a-later-version", "this version of PTX has no such fence",
     "Use fence.acq_rel, or a later version", "9.7.12.4"},
    {"generic-address",
     "an operand of shared memory is a generic address, of which hardware takes the low bits",
     "Convert it by cvta.to.shared (CUDA: __cvta_generic_to_shared)", "9.7.8.20"},
    {"hang", "somebody waits for ever", "Let what is waited for happen in every schedule", "8.10"},
    {"hangs", "somebody may wait for ever under the given scheduling",
     "Let what is waited for happen in every execution", "8.10"},
    {"input", "the input cannot be read, or says something that ptxmc does not support", "See the message",
     ""},
    {"invalid-tensor-map", "a tensor map that is none, or that does not fit the instruction",
     "Pass the address of a tensor map that cuTensorMapEncode made", "9.7.8.24.3"},
    {"mbarrier-init-unfenced", "the async proxy signals an mbarrier object whose init no fence publishes",
     "Put a fence.mbarrier_init.release.cluster or a fence.proxy.async behind the mbarrier.init",
     "9.7.12.15"},
    {"mbarrier-invalidated", "an operation on an mbarrier object that nothing orders before mbarrier.inval",
     "Synchronize before mbarrier.inval", "9.7.12.15"},
    {"mbarrier-misuse",
     "bytes of a live mbarrier object are accessed by other instructions, or its count is exceeded",
     "Use mbarrier instructions alone until mbarrier.inval; arrive as often as the count says", "9.7.12.15"},
    {"mbarrier-no-complete", "an arrival that must not complete the phase is its last one",
     "Arrive without .noComplete last", "9.7.12.15.13"},
    {"mbarrier-uninitialised", "an mbarrier object may be used before its init",
     "Synchronize behind mbarrier.init", "9.7.12.15"},
    {"mbarrier-unwaited", "an arrival at an mbarrier, and no wait has returned true for the phase before",
     "Wait for each phase before the next one has an arrival", "9.7.12.15.4"},
    {"misaligned", "an address is no multiple of the size of the access", "Align the address", "6.4.1"},
    {"missing-acquire", "a relaxed read saw the release, and no acquire pattern follows",
     "Acquire, by the read itself or by a fence behind it", "8.8"},
    {"mixed-size-race", "a race between accesses that overlap in part: the axioms say nothing",
     "Access the location in one size, or order the accesses", "8.7.2"},
    {"not-in-membermask", "a lane executes an instruction whose mask does not name it",
     "Name every lane that executes it in the mask", "9.7.8.6"},
    {"out-of-bounds", "an access outside of every memory object",
     "Give the object that size, or mend the index", "8.2"},
    {"phase-not-confluent", "an arrival that nothing orders behind the phase before may count to that one",
     "Wait for the phase before arriving again", "9.7.12.15"},
    {"proxy-race", "two accesses that would be ordered, were it not for their proxies",
     "Put a proxy fence between them", "8.6"},
    {"race", "two accesses, one of them a write, that nothing orders in some schedule",
     "Put a barrier, or a release and an acquire, between them", "8.9.5"},
    {"read-only", "a write to constant memory, or to a parameter of the kernel",
     "Write to global memory instead", "5.1.4"},
    {"remote-arrival",
     "an arrival at another CTA's mbarrier object, or the wait for it, has a scope that does not include the "
     "other",
     "Arrive and wait with .cluster scope", "8.5"},
    {"scope-too-narrow", "a release and an acquire whose scopes do not include each other",
     "Widen the scope of both", "8.5"},
    {"setmaxnreg-unsynchronized",
     "a setmaxnreg, and nothing orders it behind the one before of each warp of the warpgroup",
     "Put a barrier of the four warps between the two", "9.7.17.5"},
    {"shared-after-exit", "shared memory of a CTA may be used after its threads have ended",
     "Let them wait first, for the operation or by barrier.cluster", "5.1.7"},
    {"shared-before-start",
     "shared memory of another thread block of the cluster is used, and nothing shows that the block has "
     "started",
     "Call cluster.sync() before the first access (PTX: barrier.cluster)", "2.2.2"},
    {"shared-source-after-exit",
     "an asynchronous operation may read shared memory of a CTA whose threads have ended",
     "Wait for its reads first", "5.1.7"},
    {"shfl-inactive-lane", "a shuffle takes a value from a lane that is not active",
     "Let the source lane take part", "9.7.8.6"},
    {"sparsity-metadata", "metadata of a sparse matrix that select no two elements",
     "Give each pair two different indices", "9.7.13"},
    {"stale-poll", "a wait for a phase that is known to be over",
     "Wait for the parity of the phase that is meant", "9.7.12.15.16"},
    {"stale-read", "a strong read may take an older value than one whose release its thread has seen",
     "Acquire, by the read that sees the release or by a fence behind it", "8.8"},
    {"tcgen05-fence",
     "tensor memory is accessed in order, but no tcgen05.fence stands behind the synchronization",
     "Put tcgen05.fence::after_thread_sync behind it, and ::before_thread_sync before it", "9.7.16.6.3"},
    {"tcgen05-order",
     "one thread issues two operations in tensor memory in order, but they are no pipelined pair",
     "Commit the first, and wait for it before the second", "9.7.16.6.2"},
    {"tensor-cta-group", "tcgen05 instructions of a kernel differ in .cta_group",
     "Write the same in all of them", "9.7.16"},
    {"tensor-map", "an address of no tensor map, or a box that leaves the memory",
     "Pass a tensor map, and a memory as large as it says", "9.7.8.24.3"},
    {"tensor-memory-address", "an address outside of the tensor memory that is allocated",
     "Use the columns that tcgen05.alloc has given", "9.7.16"},
    {"tensor-memory-alloc", "tensor memory is allocated behind the permit, or more than before",
     "Allocate the largest first, and relinquish behind the last tcgen05.alloc", "9.7.16.7.1"},
    {"tensor-memory-dealloc", "tcgen05.dealloc of what is not allocated",
     "Free what tcgen05.alloc has given, once", "9.7.16.7.1"},
    {"tensor-memory-freed", "columns are used that have been freed",
     "Put the tcgen05.dealloc behind their last use", "9.7.16.7.1"},
    {"tensor-memory-lanes", "a warp accesses lanes of tensor memory that are not its own",
     "Access the quarter of the lanes that belongs to the warp", "9.7.16"},
    {"tensor-memory-leak", "tensor memory is not freed before the kernel ends",
     "Put a tcgen05.dealloc behind its last use", "9.7.16.7.1"},
    {"tmem-free", "tensor memory is used that is freed, or may be",
     "Put the tcgen05.dealloc behind the last use", "9.7.16.7.1"},
    {"tmem-misuse", "tensor memory that is not allocated, or that the warp cannot reach",
     "Use what tcgen05.alloc has given, from the warps that may", "9.7.16"},
    {"trap", "trap aborts the kernel", "Nothing is known of what it leaves behind: mend what leads there",
     "9.7.17.4"},
    {"unknown", "an answer that a limit, a bound or the solver left open",
     "Raise --timeout, --memory or --unroll", ""},
    {"verdict", "the file states a verdict that is not met",
     "Mend the test or its verdict: `ptxmc explain` says why", ""},
    {"wait-overtaken", "the end of the next phase may come before the wait looks, and flips the parity again",
     "Let the next phase end only behind the wait", "9.7.12.15.16"},
    {"warp-exchange", "only exchanges of values between lanes order the accesses",
     "Put a bar.warp.sync between them", "9.7.8.6"},
    {"warp-lockstep", "threads of a warp exchange values by volatile accesses that nothing orders",
     "Put __syncwarp() between the write and the read (PTX: bar.warp.sync)", "9.7.12.2"},
    {"warp-race", "lanes that exchange values meet, but that orders no memory",
     "Put a bar.warp.sync between them", "9.7.8.6"},
    {"wgmma-register-behind-fence", "a register of a wgmma.mma_async is accessed behind the wgmma.fence",
     "Put the wgmma.fence behind the access", "9.7.14.7.1"},
    {"wgmma-register-in-flight", "a register of a wgmma.mma_async that is under way is accessed",
     "Wait for the group first, by wgmma.wait_group", "9.7.14.7.3"},
    {"wgmma-register-unfenced",
     "no wgmma.fence stands between an access of a register and its use by wgmma.mma_async",
     "Put a wgmma.fence between them", "9.7.14.7.1"},
    {"wgmma-unfenced", "no wgmma.fence stands before the first wgmma.mma_async",
     "Put a wgmma.fence before it", "9.7.14.7.1"},
    {"wrong-space", "an address of another state space",
     "Convert the address by cvta, or access the space that it belongs to", "6.4.1"},
};

constexpr bool in_order() {
  for (std::size_t i = 1; i < std::size(kTexts); ++i) {
    if (kTexts[i - 1].name >= kTexts[i].name) return false;
  }
  return true;
}
static_assert(in_order(), "rows are in the order of their names");

}  // namespace

std::span<const RuleText> rule_texts() {
  return kTexts;
}

const RuleText* find_rule_text(std::string_view name) {
  const auto* row = std::lower_bound(std::begin(kTexts), std::end(kTexts), name,
                                     [](const RuleText& text, std::string_view n) { return text.name < n; });
  return row != std::end(kTexts) && row->name == name ? row : nullptr;
}

void check_rule_name(const std::string& option, const std::string& name) {
  if (find_rule_text(name) != nullptr) return;
  std::vector<std::string> known;
  for (const RuleText& text : kTexts) known.emplace_back(text.name);
  const auto near = nearest(name, known);
  refuse(fmt::format("{}: there is no rule `{}`{}", option, name,
                     near ? fmt::format("; did you mean `{}`?", *near) : ""));
}

}  // namespace ptxmc::explain
