// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/schedules.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "finding/rules.h"

namespace ptxmc::explore {

namespace {

constexpr std::size_t kRunsOfSchedules = 16;  // unless the user says another number
constexpr std::uint32_t kMostHeld = 4;        // warps of a kind that run after all others, a run each

/// An arrival that may count to another phase.
bool is_of_phases(const trace::Finding& finding) {
  return finding.rule == finding::RuleId::phase_not_confluent ||
         finding.rule == finding::RuleId::barrier_reuse;
}

/// A wait beside which no thread continues that would have to come first.
bool is_overtaken_alone(const trace::Finding& finding) {
  return finding.rule == finding::RuleId::wait_overtaken && finding.alone;
}

/// A hang at a wait that has been overtaken is what the warning of it says; shipped code has them, of threads
/// that wait beside the one that goes on, and would have to lag by whole rounds.
bool is_said(const std::vector<exec::Waiting>& waiting, const std::vector<trace::Finding>& findings) {
  if (std::any_of(findings.begin(), findings.end(), is_of_phases)) return false;
  return std::any_of(findings.begin(), findings.end(), [&](const trace::Finding& finding) {
    return finding.rule == finding::RuleId::wait_overtaken && !finding.alone &&
           std::any_of(waiting.begin(), waiting.end(),
                       [&](const exec::Waiting& one) { return one.site == finding.first.site; });
  });
}

bool may_differ(const claim::VerifyResult& verified) {
  const auto open = [&](const exec::Decision& decision) {
    const bool timing = (decision.sources & bit(exec::Source::timing)) != 0;
    return timing && (decision.what != exec::Decided::waiting || !verified.waits_settled);
  };
  const auto& findings = verified.findings;  // what that leads to is to be shown
  if (std::any_of(findings.begin(), findings.end(), is_of_phases) ||
      std::any_of(findings.begin(), findings.end(), is_overtaken_alone))
    return true;
  const auto& decisions = verified.outcome.decisions;
  const bool other_turns = verified.turns.taken != 0 && !verified.turns.all;
  return other_turns || std::any_of(decisions.begin(), decisions.end(), open);
}

/// Those that are in findings of phases; of the launch the first and the last ones.
std::vector<std::uint32_t> some_warps(const claim::VerifyResult& verified) {
  std::vector<std::uint32_t> out;
  const auto add = [&](std::uint32_t warp) {
    if (std::find(out.begin(), out.end(), warp) == out.end()) out.push_back(warp);
  };
  for (const trace::Finding& finding : verified.findings) {
    if (out.size() >= kMostHeld) continue;
    if (is_overtaken_alone(finding)) add(finding.first.thread / trace::kLanes);
    if (!is_of_phases(finding)) continue;
    add(finding.first.thread / trace::kLanes);
    add(finding.second.thread / trace::kLanes);
  }
  const std::uint32_t count = verified.run->warps();
  for (std::uint32_t i = 0; i < std::min(kMostHeld, count); ++i) {
    const std::uint32_t half = kMostHeld / 2;
    add(i < half || count <= kMostHeld ? i : count - kMostHeld + i);
  }
  return out;
}

/// What it says of the other lanes of a warp is any of them (R230).
bool asks_who_is_active(const claim::VerifyResult& verified) {
  for (trace::Site site = 0; site < verified.run->sites(); ++site) {
    if (verified.outcome.executed[site] != 0 &&
        verified.run->instruction(site).opcode == isa::Opcode::active_mask)
      return true;
  }
  return false;
}

/// Those that differ much from the plain one first.
std::vector<exec::Schedule> schedules_of(const claim::VerifyResult& verified, std::size_t count) {
  std::vector<exec::Schedule> out(5);
  out[0].reversed = true;
  out[1].length = 1;
  out[2].reversed = true;
  out[2].length = 1;
  out[3].late = true;
  out[4].late = true;
  out[4].reversed = true;
  if (asks_who_is_active(verified)) {
    out.insert(out.begin(), 2, {});
    out[0].apart = out[1].apart = true;
    out[1].reversed = true;
  }
  for (const std::uint32_t last : some_warps(verified)) out.emplace_back().held = {last};
  for (std::uint64_t seed = 1; out.size() < count; ++seed) {
    out.emplace_back().seed = seed;
    out.back().late = seed % 2 == 0;
  }
  out.resize(count);
  return out;
}

}  // namespace

void try_schedules(const VerificationTask& task, const exec::Options& limits, std::optional<std::size_t> most,
                   claim::VerifyResult& verified, Runs& runs) {
  if (!may_differ(verified)) return;
  std::uint64_t instructions = verified.outcome.instructions;
  for (const exec::Schedule& schedule : schedules_of(verified, most.value_or(kRunsOfSchedules))) {
    if (!most && instructions > kLongRuns) return;
    exec::Options options = limits;
    options.schedule = schedule;
    // A loop that counts its tries may go round long where what it waits for comes late.
    if (!most) {
      const std::uint64_t enough = verified.outcome.instructions + kLongRuns;
      options.steps = std::min(options.steps.value_or(enough), enough);
    }
    claim::VerifyResult shown = run_otherwise(task, options).verified;
    instructions += shown.outcome.instructions;
    const exec::End end = shown.outcome.end;
    if (end != exec::End::finished && end != exec::End::deadlock) return;
    ++verified.schedules;
    std::vector<trace::Finding> known = verified.findings;
    known.insert(known.end(), shown.findings.begin(), shown.findings.end());
    if (end == exec::End::deadlock && is_said(shown.outcome.waiting, known)) {
      shown.outcome.end = exec::End::finished;
      shown.outcome.waiting.clear();
    }
    add_run(shown, std::move(options), verified, runs);
  }
}

}  // namespace ptxmc::explore
