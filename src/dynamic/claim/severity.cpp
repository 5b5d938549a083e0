// SPDX-License-Identifier: Apache-2.0
#include "dynamic/claim/severity.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "dynamic/claim/hangs.h"
#include "finding/rules.h"

namespace ptxmc::claim {

namespace {

struct RuleIdiom {
  finding::RuleId rule;
  Idiom idiom;
};
constexpr std::array<RuleIdiom, 4> kRuleIdioms = {{
    {finding::RuleId::mbarrier_init_unfenced,
     {"init-unfenced",
      "copies complete on an mbarrier object after a barrier, without a fence after its init",
      "the init has been performed when the barrier completes"}},
    {finding::RuleId::cross_proxy_war,
     {"generic-to-async-reuse", "copies refill a buffer after its readers arrived, without a proxy fence",
      "a read has its value before its thread arrives"}},
    {finding::RuleId::remote_arrival,
     {"default-scope", "arrivals at objects of other CTAs, or waits for them, leave out .cluster",
      "the object is in one place, and all arrive there"}},
    {finding::RuleId::tcgen05_order,
     {"tcgen05-issue-order", "one thread issues tcgen05 operations that are no pipelined pair",
      "one tensor core executes them in the order of issue"}},
}};
constexpr Idiom kMultimem = {
    "multimem-alias",
    "threads read at its own address what multimem instructions wrote, or the other way "
    "round, without fence.proxy.alias",
    "multimem accesses go to the memory that the addresses name"};
constexpr Idiom kWgmmaRegister = {
    "wgmma-register", "a register is accessed after wgmma.fence and before the wgmma.mma_async that uses it",
    "compilers move such accesses, and assemblers wait for them"};

constexpr Idiom kElected = {"elected-lane", "code is right only where elect.sync elects the lowest lane",
                            "hardware elects the lowest lane"};

bool is_multimem(const VerifyResult& of, const trace::Place& place) {
  return isa::is_multimem(of.run->instruction(place.site).opcode);
}

Severity moved(const VerifyResult& of, Severity severity, const Idiom* idiom) {
  if (of.severities.practice && idiom != nullptr) return Severity::note;
  return of.severities.strict && severity == Severity::warning ? Severity::error : severity;
}

}  // namespace

const Idiom* idiom_of(const VerifyResult& verified, const trace::Finding& finding) {
  if (finding.elected) return &kElected;
  const bool alias = finding.rule == finding::RuleId::proxy_race && finding.cause.proxy == isa::Proxy::alias;
  if (alias && (is_multimem(verified, finding.first) || is_multimem(verified, finding.second)))
    return &kMultimem;
  const auto* found = std::find_if(kRuleIdioms.begin(), kRuleIdioms.end(),
                                   [&](const RuleIdiom& row) { return row.rule == finding.rule; });
  return found == kRuleIdioms.end() ? nullptr : &found->idiom;
}

const Idiom* idiom_of(const exec::Fault& fault) {
  if (fault.elected) return &kElected;
  return fault.rule == finding::RuleId::wgmma_register_behind_fence ? &kWgmmaRegister : nullptr;
}

Severity severity_of(const VerifyResult& verified, const trace::Finding& finding) {
  const Severity severity = finding::severity_of(finding.rule);
  return moved(verified, finding.elected ? std::min(severity, Severity::warning) : severity,
               idiom_of(verified, finding));
}

Severity severity_of(const VerifyResult& verified, const exec::Fault& fault) {
  if (fault.guessed) return Severity::warning;  // no option makes certain that it happens
  return moved(verified, fault.is_error() ? Severity::error : Severity::warning, idiom_of(fault));
}

Severity severity_of_hang(const VerifyResult& verified) {
  return is_guessed(verified.outcome.waiting) ? Severity::warning : Severity::error;
}

const Idiom& idiom_of_elected_hang() {
  return kElected;
}

Severity severity_of_elected_hang(const VerifyResult& verified) {
  return moved(verified, Severity::warning, &kElected);
}

std::vector<const Idiom*> waived(const VerifyResult& verified) {
  std::vector<const Idiom*> out;
  if (!verified.severities.practice) return out;
  const auto add = [&](const Idiom* idiom) {
    if (idiom != nullptr && std::find(out.begin(), out.end(), idiom) == out.end()) out.push_back(idiom);
  };
  for (const trace::Finding& finding : verified.findings) add(idiom_of(verified, finding));
  for (const exec::Fault& fault : verified.outcome.faults) add(idiom_of(fault));
  if (hangs_elsewhere(verified)) add(&kElected);
  return out;
}

}  // namespace ptxmc::claim
