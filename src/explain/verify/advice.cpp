// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/advice.h"

#include <fmt/format.h>

#include <array>

#include "explain/verify/findings.h"
#include "explain/verify/kernels.h"
#include "explain/words/runs.h"
#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

constexpr const char* kWithinWarp = "add `__syncwarp()` between the two accesses (PTX: bar.warp.sync)";
constexpr const char* kWithinBlock =
    "add `__syncthreads()` between the two accesses, where every thread of the block executes it (PTX: bar.sync 0)";
constexpr const char* kWithinCluster =
    "call `cluster.sync()` between the two accesses (PTX: barrier.cluster.arrive and barrier.cluster.wait)";
constexpr const char* kPublish =
    "publish the first access with a flag: store it with `cuda::memory_order_release`, load it with "
    "`cuda::memory_order_acquire` before the second, at `cuda::thread_scope_device` (PTX: st.release.gpu, "
    "ld.acquire.gpu)";
constexpr const char* kSplit =
    "or move the second access to a later kernel: blocks of a grid share no barrier";

/// In the order of exec::Misuse. Sections are those that say more than the rule's.
constexpr std::array<MisuseWords, 20> kMisuses = {{
    {""},
    {"initialize the object before its first use, and synchronize the threads that use it (CUDA: init(); PTX: mbarrier.init)"},
    {"wait in the block that has the object; threads of other blocks only arrive, without a result (PTX: mbarrier.arrive with `_`)"},
    {"give the object 8 aligned bytes of shared memory (CUDA: __shared__ uint64_t, or cuda::barrier)"},
    {"initialize the object with the number of arrivals of a phase, 1 to 1048575 (to 511, with .layout::v1)"},
    {"initialize the object once, by one thread; invalidate it before its memory is used again (PTX: mbarrier.inval)"},
    {"let each phase expect at most 1048575 bytes, and only those of its own copies"},
    {"initialize the object with as many arrivals as a phase gets, or let a thread arrive less often"},
    {"wait with the state that an arrival at this object returned"},
    {"return the value, or let the caller pass memory of its own"},
    {"compute the operand from what all lanes of the warp share, or read lane 0's with `__shfl_sync()`"},
    {"compute the operand from what all warps of the warpgroup share"},
    {"stop asking once `is_canceled` was false (CUDA: leave the loop)"},
    {"pass as many coordinates as the map has dimensions (CUDA: the rank of cuTensorMapEncodeTiled)"},
    {"choose another reduction, or encode the map with an element type that has this one"},
    {"give each row bytes of its own: a stride of 0, or one smaller than a row, makes rows overlap"},
    {"let the function end its threads (PTX: exit), or leave out .noreturn (CUDA: [[noreturn]])", "11.4.6"},
    {"set the function pointer before the call, to a function of the called type that the call may mean",
     "9.7.11.5"},
    {"check the index before the switch (PTX: brx.idx)", "9.7.11.4"},
    {"correct what the assertion checks (CUDA: assert)"},
}};

static_assert(kMisuses.size() == static_cast<std::size_t>(exec::Misuse::assertion) + 1,
              "a row for each misuse");

/// Else other instances of a finding may be of two warps.
bool has_one_warp(const claim::VerifyResult& of) {
  if (!of.shape) return false;
  const auto& block = of.shape->block;
  return std::uint64_t{block[0]} * block[1] * block[2] <= trace::kLanes;
}

}  // namespace

std::vector<std::string> order_advice(const claim::VerifyResult& of, const trace::Finding& finding) {
  const bool plain = of.launched && finding.rule == finding::RuleId::race &&
                     finding.cause.missing == trace::Missing::synchronization && !finding.first.operation &&
                     !finding.second.operation && finding.first.thread != finding.second.thread;
  if (!plain || are_of_two_kernels(of, finding)) return {};
  const program::Thread &first = of.run->thread(finding.first.thread),
                        &second = of.run->thread(finding.second.thread);
  if (!first.position.known() || !second.position.known()) return {};  // a writer outside of the launch
  const program::Placement &a = first.placement, &b = second.placement;
  if (a.cta == b.cta) return {has_one_warp(of) ? kWithinWarp : kWithinBlock};
  if (a.cluster && a.cluster == b.cluster) return {kWithinCluster};
  return {kPublish, kSplit};
}

void advise_bounds(const claim::VerifyResult& of, const exec::Fault& fault, Finding& out) {
  if (fault.what.ends_with(", which was freed")) {
    out.advice = {"free it after the last access"};
    return;
  }
  if (fault.object.empty()) {
    out.advice = {
        "pass an address in a buffer: is a number passed where the kernel takes an address, or a field not set?"};
    return;
  }
  out.cause.back() += fmt::format(", {}{} too far", out.instances > 1 ? "up to " : "",
                                  plural(fault.enough - fault.bytes, "byte"));
  if (const auto size = of.sizes.find(fault.object); size != of.sizes.end())
    out.advice = {
        fmt::format("correct the index, or allocate more: {}{} at least", size->second, fault.enough)};
}

void advise_trap(const claim::VerifyResult& of, Finding& out) {
  const auto is_of_machine = [](const exec::Decision& decision) {
    return decision.what == exec::Decided::control && (decision.sources & bit(exec::Source::machine)) != 0;
  };
  const auto& decisions = of.outcome.decisions;
  if (of.cooperation.empty() || std::none_of(decisions.begin(), decisions.end(), is_of_machine)) return;
  out.cause.emplace_back("grid.sync() traps in a launch that is not cooperative");
  out.advice = {
      fmt::format("make the launch cooperative: {}; CUDA: cudaLaunchCooperativeKernel()", of.cooperation)};
}

const MisuseWords& words_of(exec::Misuse misuse) {
  return kMisuses.at(static_cast<std::size_t>(misuse));
}

void advise_stale_wait(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out) {
  if (finding.rule != finding::RuleId::stale_poll || !finding.phase) return;
  const trace::Phase phase = finding.phase->phase;
  const std::string object = of.run->name_of(finding.phase->object);
  out.cause.push_back(
      phase == 0 ? fmt::format("no phase of {} is complete, and the wait is not for phase 0", object)
                 : fmt::format("phase {} of {} is complete; the wait is for it, and not for phase {}",
                               phase - 1, object, phase));
  if (of.run->instruction(finding.second.site).modifiers.parity)
    out.advice = {fmt::format("wait for parity {} if phase {} is meant", phase & 1U, phase)};
}

void advise_plain_load(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out) {
  if (finding.cause.missing != trace::Missing::proxy_fence) return;
  for (const trace::Site site : {finding.first.site, finding.second.site}) {
    const isa::Modifiers& m = of.run->instruction(site).modifiers;
    if (m.non_coherent || m.read_only || m.uniform) out.advice = {std::string(kOrdinaryLoad)};
  }
}

void advise_waiting(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out) {
  const bool of_exit =
      finding.rule == finding::RuleId::exit_in_flight || finding.rule == finding::RuleId::exit_in_flight_read;
  const bool of_wait = finding::is_race(finding.rule) && finding.cause.missing == trace::Missing::wait &&
                       finding.first.proxy != isa::Proxy::tensor;
  if (!finding.first.operation || (!of_exit && !of_wait)) return;
  const Waited waited = waited_by(of.run->instruction(finding.first.site), finding.first.effect);
  // Groups are of one thread.
  const bool tells = of_wait && waited.in_group && finding.first.thread != finding.second.thread;
  out.advice = {fmt::format("{}, {}before {}", waited.how, tells ? "then a barrier of the two threads, " : "",
                            of_exit ? "the exit" : "the second access")};
  if (of_wait) out.section = waited.section;
}

}  // namespace ptxmc::explain
