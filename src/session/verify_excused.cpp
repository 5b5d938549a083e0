// SPDX-License-Identifier: Apache-2.0
#include "session/verify_excused.h"

#include <algorithm>
#include <string>
#include <vector>

#include "explain/verify/claim.h"
#include "explain/verify/claim_words.h"

namespace ptxmc::session {

namespace {

constexpr std::uint64_t kLong = 10'000'000;  // instructions of the run before

/// The reading that allows what a rule warns of; null: there is none.
const char* allowed_by(trace::Rule rule) {
  if (rule == trace::Rule::mbarrier_init_unfenced) return "init-visible=causality";
  if (rule == trace::Rule::remote_arrival) return "remote-arrive=cluster";
  return nullptr;
}

}  // namespace

void look_under_readings(const Subject& subject, const VerifySettings& settings, Verification& verification) {
  explain::Verified& verified = verification.verified;
  if (explain::verdict_of(verified) != explain::Verdict::incomplete || settings.interrupted()) return;
  if (verified.outcome.end != kernel::End::finished || verified.outcome.instructions > kLong) return;
  std::vector<std::string> readings;
  for (const trace::Finding& finding : verified.findings) {
    if (trace::severity_of(finding.rule) != Severity::warning) continue;
    const char* const reading = allowed_by(finding.rule);
    if (reading == nullptr) return;
    if (std::find(readings.begin(), readings.end(), reading) == readings.end())
      readings.emplace_back(reading);
  }
  if (readings.empty()) return;
  VerifySettings rest = settings;
  rest.note = {};
  if (rest.timeout) rest.timeout = std::max(0.0, *rest.timeout - verified.outcome.seconds);
  Subject allowing = subject;
  for (const std::string& reading : readings) allowing.readings.allow(reading);
  const auto again = verify(allowing, rest);
  const explain::Claim claim = explain::claim_of(again->verified);
  if (claim.verdict == explain::Verdict::proven) verified.excused = claim_text(again->verified, claim);
}

}  // namespace ptxmc::session
