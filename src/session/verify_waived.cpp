// SPDX-License-Identifier: Apache-2.0
#include "session/verify_waived.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/claim/claim.h"
#include "dynamic/claim/severity.h"
#include "dynamic/order/release_sequences.h"
#include "explain/verify/claim_words.h"
#include "finding/rules.h"

namespace ptxmc::session {

namespace {

constexpr std::uint64_t kLongBefore = 10'000'000;  // instructions of the run before

/// The reading that allows what a rule warns of.
std::optional<model::ReadingChoice> allowed_by(finding::RuleId rule) {
  if (rule == finding::RuleId::mbarrier_init_unfenced) return model::ReadingChoice("init-visible=causality");
  if (rule == finding::RuleId::remote_arrival) return model::ReadingChoice("remote-arrive=cluster");
  return std::nullopt;
}

/// What a run proves.
struct Proof {
  claim::Verdict verdict = claim::Verdict::incomplete;
  std::string text;
};

/// The same where the manual is read so.
Proof prove_under(const explore::VerificationTask& task, const VerifySettings& settings,
                  const claim::VerifyResult& verified, const std::vector<model::ReadingChoice>& readings) {
  VerifySettings rest = settings;
  rest.note = {};
  if (rest.timeout) rest.timeout = std::max(0.0, *rest.timeout - verified.outcome.seconds);
  explore::VerificationTask allowing = task;
  for (const model::ReadingChoice reading : readings) allowing.readings.allow(reading);
  const auto again = verify(allowing, rest);
  const claim::Claim claim = claim::claim_of(again->verified);
  return {claim.verdict, explain::claim_text(again->verified, claim)};
}

/// An atomic that acquires and releases was executed, and a release that is narrower than it.
bool may_relay(const claim::VerifyResult& verified) {
  isa::Scope widest = isa::Scope::none, narrowest = isa::Scope::sys;
  for (trace::Site site = 0; site < verified.run->sites(); ++site) {
    if (verified.outcome.executed[site] == 0) continue;
    const program::Instruction& instruction = verified.run->instruction(site);
    const isa::Modifiers& m = instruction.modifiers;
    if (!trace::releases(m.semantics)) continue;
    const isa::Family family = isa::traits(instruction.opcode).family;
    if (family != isa::Family::memory && family != isa::Family::fence) continue;
    narrowest = std::min(narrowest, m.scope);
    if (instruction.opcode == isa::Opcode::atom && trace::acquires(m.semantics))
      widest = std::max(widest, m.scope);
  }
  return narrowest < widest;
}

/// Is it a proof no more, where atomics release only what precedes them?
bool needs_relays(const explore::VerificationTask& task, const VerifySettings& settings,
                  const claim::VerifyResult& verified) {
  if (!task.readings.orders.atomics_relay || !may_relay(verified)) return false;
  if (verified.outcome.instructions > kLongBefore || settings.interrupted()) return true;
  return prove_under(task, settings, verified, {"atomic-release=program-order"}).verdict !=
         claim::Verdict::proven;
}

}  // namespace

void look_under_readings(const explore::VerificationTask& task, const VerifySettings& settings,
                         Verification& verification) {
  claim::VerifyResult& verified = verification.verified;
  const claim::Verdict verdict = claim::verdict_of(verified);
  if (verdict == claim::Verdict::proven) verified.relays = needs_relays(task, settings, verified);
  if (verdict != claim::Verdict::incomplete || settings.interrupted()) return;
  if (verified.outcome.end != exec::End::finished || verified.outcome.instructions > kLongBefore) return;
  std::vector<model::ReadingChoice> readings;
  for (const trace::Finding& finding : verified.findings) {
    if (severity_of(verified, finding) != Severity::warning) continue;
    const auto reading = allowed_by(finding.rule);
    if (!reading) return;
    if (std::find(readings.begin(), readings.end(), *reading) == readings.end()) readings.push_back(*reading);
  }
  if (readings.empty()) return;
  const Proof proof = prove_under(task, settings, verified, readings);
  if (proof.verdict == claim::Verdict::proven) verified.waived = proof.text;
}

}  // namespace ptxmc::session
