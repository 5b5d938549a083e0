// SPDX-License-Identifier: Apache-2.0
#include "trace/finding.h"

#include <array>

namespace ptxmc::trace {
namespace {

struct RuleRow {
  Rule rule;
  std::string_view name;
  Severity severity;
  bool race;
};

constexpr std::array<RuleRow, kRules> kTable = {{
    {Rule::race, "race", Severity::error, true},
    {Rule::proxy_race, "proxy-race", Severity::error, true},
    {Rule::cross_proxy_war, "cross-proxy-war", Severity::warning, true},
    {Rule::scope_too_narrow, "scope-too-narrow", Severity::error, true},
    {Rule::remote_arrival, "remote-arrival", Severity::warning, true},
    {Rule::missing_acquire, "missing-acquire", Severity::error, true},
    {Rule::warp_exchange, "warp-exchange", Severity::warning, true},
    {Rule::equal_bytes, "equal-bytes", Severity::note, true},
    {Rule::mbarrier_uninitialised, "mbarrier-uninitialised", Severity::error, false},
    {Rule::mbarrier_init_unfenced, "mbarrier-init-unfenced", Severity::warning, false},
    {Rule::mbarrier_misuse, "mbarrier-misuse", Severity::error, false},
    {Rule::phase_not_confluent, "phase-not-confluent", Severity::note, false},
    {Rule::wait_overtaken, "wait-overtaken", Severity::warning, false},
    {Rule::mbarrier_no_complete, "mbarrier-no-complete", Severity::error, false},
    {Rule::mbarrier_invalidated, "mbarrier-invalidated", Severity::error, false},
    {Rule::stale_poll, "stale-poll", Severity::note, false},
    {Rule::barrier_reuse, "barrier-reuse", Severity::error, false},
    {Rule::exit_in_flight, "exit-in-flight", Severity::error, false},
    {Rule::shared_after_exit, "shared-after-exit", Severity::error, false},
    {Rule::exit_in_flight_read, "exit-in-flight-read", Severity::warning, false},
    {Rule::tensor_fence, "tcgen05-fence", Severity::error, true},
    {Rule::tensor_order, "tcgen05-order", Severity::warning, true},
    {Rule::tensor_freed, "tmem-free", Severity::error, false},
    {Rule::lost_value, "hang", Severity::error, false},
    {Rule::stale_read, "stale-read", Severity::warning, false},
    {Rule::warp_lockstep, "warp-lockstep", Severity::warning, false},
    {Rule::shared_before_start, "shared-before-start", Severity::error, false},
    {Rule::registers_unsynchronized, "setmaxnreg-unsynchronized", Severity::error, false},
    {Rule::before_grid_wait, "before-grid-wait", Severity::warning, false},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].rule) != i) return false;
  }
  return true;
}
static_assert(in_order(), "a row a rule, in the order of the enumeration");

const RuleRow& row(Rule rule) {
  return kTable[static_cast<std::size_t>(rule)];
}

}  // namespace

std::string_view name_of(Rule rule) {
  return row(rule).name;
}
Severity severity_of(Rule rule) {
  return row(rule).severity;
}
bool is_race(Rule rule) {
  return row(rule).race;
}

std::size_t Findings::add(const Finding& finding) {
  const Key key{finding.rule, finding.first.site, finding.second.site, finding.cause};
  const auto [at, fresh] = by_cause_.try_emplace(key, findings_.size());
  if (fresh) {
    findings_.push_back(finding);
  } else {
    findings_[at->second].instances += finding.instances;
    findings_[at->second].alone = findings_[at->second].alone && finding.alone;
  }
  return at->second;
}

}  // namespace ptxmc::trace
