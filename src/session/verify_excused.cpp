// SPDX-License-Identifier: Apache-2.0
#include "session/verify_excused.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "explain/verify/claim.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/severity.h"
#include "finding/rules.h"
#include "trace/messages.h"

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
  explain::Verdict verdict = explain::Verdict::incomplete;
  std::string text;
};

/// The same where the manual is read so.
Proof prove_under(const Subject& subject, const VerifySettings& settings, const explain::Verified& verified,
                  const std::vector<model::ReadingChoice>& readings) {
  VerifySettings rest = settings;
  rest.note = {};
  if (rest.timeout) rest.timeout = std::max(0.0, *rest.timeout - verified.outcome.seconds);
  Subject allowing = subject;
  for (const model::ReadingChoice reading : readings) allowing.readings.allow(reading);
  const auto again = verify(allowing, rest);
  const explain::Claim claim = explain::claim_of(again->verified);
  return {claim.verdict, claim_text(again->verified, claim)};
}

/// An atomic that acquires and releases was executed, and a release that is narrower than it.
bool may_relay(const explain::Verified& verified) {
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
bool needs_relays(const Subject& subject, const VerifySettings& settings, const explain::Verified& verified) {
  if (!subject.readings.orders.atomics_relay || !may_relay(verified)) return false;
  if (verified.outcome.instructions > kLongBefore || settings.interrupted()) return true;
  return prove_under(subject, settings, verified, {"atomic-release=program-order"}).verdict !=
         explain::Verdict::proven;
}

}  // namespace

void look_under_readings(const Subject& subject, const VerifySettings& settings, Verification& verification) {
  explain::Verified& verified = verification.verified;
  const explain::Verdict verdict = explain::verdict_of(verified);
  if (verdict == explain::Verdict::proven) verified.relays = needs_relays(subject, settings, verified);
  if (verdict != explain::Verdict::incomplete || settings.interrupted()) return;
  if (verified.outcome.end != kernel::End::finished || verified.outcome.instructions > kLongBefore) return;
  std::vector<model::ReadingChoice> readings;
  for (const trace::Finding& finding : verified.findings) {
    if (severity_of(verified, finding) != Severity::warning) continue;
    const auto reading = allowed_by(finding.rule);
    if (!reading) return;
    if (std::find(readings.begin(), readings.end(), *reading) == readings.end()) readings.push_back(*reading);
  }
  if (readings.empty()) return;
  const Proof proof = prove_under(subject, settings, verified, readings);
  if (proof.verdict == explain::Verdict::proven) verified.excused = proof.text;
}

}  // namespace ptxmc::session
