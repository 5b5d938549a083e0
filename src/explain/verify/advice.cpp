// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/advice.h"

#include <fmt/format.h>

#include <array>

#include "explain/verify/findings.h"
#include "explain/words/runs.h"
#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

constexpr std::string_view kOutOfBranch =
    "call `__syncthreads()` where every thread of the block executes it: outside of the branch, and before any early return (PTX: "
    "bar.sync 0)";
constexpr std::string_view kAsyncFence =
    "add `cuda::ptx::fence_proxy_async()` after the first access, before the barrier, arrival or flag that orders the two (PTX: "
    "fence.proxy.async)";

/// In the order of exec::Misuse. Sections are those that say more than the rule's.
constexpr std::array<MisuseWords, 20> kMisuses = {{
    {""},
    {"initialize the object before its first use, and synchronize the threads that use it (CUDA: init(); PTX: mbarrier.init)"},
    {"wait in the block that has the object; threads of other blocks only arrive, without a result (PTX: mbarrier.arrive with `_`)"},
    {"give the object 8 aligned bytes of shared memory (CUDA: __shared__ uint64_t, or cuda::barrier)"},
    {"initialize the object with the number of arrivals of a phase, 1 to 1048575 (to 511, with .layout::v1)"},
    {"initialize the object once, by one thread; invalidate it before its memory is used again (PTX: mbarrier.inval)"},
    {"let each phase expect at most 1048575 bytes, and only those of its own copies"},
    {"wait for the phase before the next arrival, or initialize the object with as many arrivals as a phase gets (CUDA: cuda::ptx::mbarrier_init(&bar, count))"},
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

}  // namespace

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

void advise_divergence(const claim::VerifyResult& of, const exec::Fault& fault, Finding& out) {
  const isa::Opcode opcode = of.run->instruction(fault.site).opcode;
  const bool of_block =
      opcode == isa::Opcode::bar_sync || opcode == isa::Opcode::bar_arrive || opcode == isa::Opcode::bar_red;
  if (of_block) out.advice = {std::string(kOutOfBranch)};
}

void advise_proxy(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out) {
  if (finding.cause.missing != trace::Missing::proxy_fence) return;
  if (finding.cause.proxy == isa::Proxy::async) out.advice = {std::string(kAsyncFence)};
  for (const trace::Site site : {finding.first.site, finding.second.site}) {
    const isa::Modifiers& m = of.run->instruction(site).modifiers;
    if (m.non_coherent || m.read_only || m.uniform) out.advice = {std::string(kOrdinaryLoad)};
  }
}

}  // namespace ptxmc::explain
