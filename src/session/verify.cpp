// SPDX-License-Identifier: Apache-2.0
#include "session/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "explain/verify/claim.h"
#include "explain/verify/findings.h"
#include "session/check_test.h"
#include "session/verify_contents.h"
#include "session/verify_elected.h"
#include "session/verify_paths.h"
#include "session/verify_runs.h"
#include "session/verify_schedules.h"
#include "session/verify_turns.h"
#include "session/verify_waits.h"

namespace ptxmc::session {

namespace {

constexpr std::size_t kMostAsked = 8;  // findings

/// A kernel's name as a part of a file's: "SamplingFromLogitsKernel".
std::string file_stem(const std::string& kernel) {
  constexpr std::size_t kMost = 60;
  std::string out;
  for (const char c : kernel.substr(kernel.rfind(':') + 1)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '+';
    out += plain ? c : '_';
  }
  return out.substr(0, kMost);
}

/// Would the claim be about all schedules, if loops that wait were settled, and neither timing nor these decided anything?
bool would_be_exact(explain::Verified verified, kernel::Sources others) {
  verified.waits_settled = true;
  for (kernel::Decision& decision : verified.outcome.decisions) {
    if (decision.what == kernel::Decided::waiting) continue;
    decision.sources &= ~(unsigned{bit(kernel::Source::timing)} | others);
  }
  return explain::verdict_of(verified) == explain::Verdict::proven;
}

/// Do the same writes let loops that poll memory go on in all schedules? If so, each takes no more than what it then does.
/// False: with that, locations are not in order that were to be (Runs::ordered).
bool settle_waits(const Subject& subject, const std::map<trace::Address, std::uint8_t>& polled,
                  const kernel::Options& limits, explain::Verified& verified) {
  if (polled.empty() || !would_be_exact(verified, 0)) return true;
  Waits::Result result = Waits(subject, polled).run(limits);
  if (!result.verified.waits_settled) return result.ordered;
  verified.waits_settled = true;
  verified.outcome = std::move(result.verified.outcome);
  verified.findings = std::move(result.verified.findings);
  verified.forgot_equal = result.verified.forgot_equal;
  return result.ordered;
}

bool is_whole(const explain::Verified& verified) {
  return verified.outcome.end == kernel::End::finished || verified.outcome.end == kernel::End::deadlock;
}

/// All orders of what contends, and of the writes that loops wait for, beside those of the run. The runs are those that show
/// the findings.
Runs explore_orders(const Subject& subject, const trace::Detector& detector, const VerifySettings& settings,
                    const kernel::Options& limits, explain::Verified& verified) {
  const bool looks = is_whole(verified) && settings.choices != 0;
  Runs runs{{limits}, std::vector<std::size_t>(verified.findings.size(), 0)};
  const bool turns = !(detector.contended().empty() && detector.decided_by().empty());
  if (!(looks && turns)) {
    runs.ordered = settle_waits(subject, detector.polled(), limits, verified);
    runs.shown_by.assign(verified.findings.size(), 0);
  }
  const bool open =
      !detector.polled().empty() && explain::verdict_of(verified) == explain::Verdict::incomplete;
  if (looks && (turns || open)) {
    const bool ordered = runs.ordered;
    runs = take_turn_orders(subject, detector, limits, settings.choices, verified);
    runs.ordered = runs.ordered && ordered;
  }
  return runs;
}

/// What else holds in other schedules, and with other inputs.
Runs look_further(const Subject& subject, const trace::Detector& detector, const VerifySettings& settings,
                  const kernel::Options& limits, explain::Verified& verified) {
  if (!settings.trace) return {{limits}, std::vector<std::size_t>(verified.findings.size(), 0)};
  Runs runs = explore_orders(subject, detector, settings, limits, verified);
  if (!is_whole(verified) || settings.choices == 0) return runs;
  const auto explore = [&](const trace::Detector& run, const kernel::Options& options,
                           explain::Verified& shown) {
    return explore_orders(subject, run, settings, options, shown);
  };
  try_elected(subject, limits, explore, verified, runs);
  try_contents(subject, limits, settings.choices, verified, runs);
  try_schedules(subject, limits, settings.choices, verified, runs);
  return runs;
}

/// Data decides, for all that is known of whole values: some of their bits may rest on none.
bool decides_by_data(const explain::Verified& verified) {
  constexpr std::uint64_t kLong = 20'000'000;  // instructions: following bits takes time
  const auto& decisions = verified.outcome.decisions;
  return verified.outcome.instructions <= kLong &&
         std::any_of(decisions.begin(), decisions.end(), [](const kernel::Decision& decision) {
           return (decision.sources & bit(kernel::Source::data)) != 0;
         });
}

/// Locations at which strong reads decide that have no choice: a barrier, say, stands between them and each write.
std::map<trace::Address, std::uint8_t> ordered_in(const trace::Detector& detector) {
  std::map<trace::Address, std::uint8_t> out = detector.decided_by();
  std::erase_if(out, [&](const auto& location) {
    return detector.contended().contains(location.first) ||
           !detector.is_ordered({location.first, location.second});
  });
  return out;
}

/// Looks at what the run finds, too.
kernel::Options watching(const Verification& verification, const VerifySettings& settings) {
  kernel::Options out = verification.limits;
  if (!settings.ends_at) return out;
  out.stop = [&, seen = std::size_t{0}](std::uint64_t instructions) mutable -> std::optional<kernel::End> {
    const std::vector<trace::Finding>& findings = verification.detector.findings();
    while (seen < findings.size()) {
      if (settings.ends_at(verification.run, findings[seen++])) return kernel::End::stopped;
    }
    return settings.stop ? settings.stop(instructions) : std::nullopt;
  };
  return out;
}

std::unique_ptr<Verification> run_once(const Subject& subject, const VerifySettings& settings,
                                       kernel::Options limits) {
  auto out = std::make_unique<Verification>(subject, settings.trace, std::move(limits));
  explain::Verified& verified = out->verified;
  verified.name = subject.test.name;
  verified.program = &subject.test;
  verified.ctas = subject.ctas;
  verified.of_ctas = subject.of_ctas;
  verified.all_can_run = subject.all_can_run;
  verified.compared = subject.compared;
  verified.orders = settings.trace;
  verified.sizes = subject.sizes;
  verified.peers = subject.peers;
  verified.module_values = subject.module_values;
  verified.under = subject.readings.under;
  verified.groups_of_warps = subject.readings.orders.groups_of_warps;
  verified.severities = settings.severities;
  verified.run = &out->run;
  verified.outcome = out->run.run(watching(*out, settings));
  verified.findings = out->detector.findings();
  verified.forgot_equal = out->detector.forgot_equal();
  return out;
}

/// Open contents decide branches, and for all that is known nothing leaves the claim open but those, and addresses that they
/// decide, too.
bool is_open_by_branches(const explain::Verified& verified) {
  constexpr kernel::Sources kData = bit(kernel::Source::data);
  const auto& decisions = verified.outcome.decisions;
  return is_whole(verified) &&
         std::any_of(decisions.begin(), decisions.end(),
                     [](const kernel::Decision& decision) {
                       return decision.what == kernel::Decided::control && (decision.sources & kData) != 0;
                     }) &&
         would_be_exact(verified, kData);
}

bool is_enough(const VerifySettings& settings, const Verification& shown) {
  return settings.is_enough && settings.is_enough(shown.verified);
}

/// A run with more in view than the one that `shown` is of, which stands if the new one comes to a limit.
std::unique_ptr<Verification> run_better(const Subject& subject, const VerifySettings& settings,
                                         kernel::Options limits, std::unique_ptr<Verification> shown) {
  if (settings.note && !limits.both_ways)
    settings.note(*shown);  // what both ways show may happen for no contents
  auto better = run_once(subject, settings, std::move(limits));
  if (is_whole(better->verified)) return better;
  shown->verified.outcome.end = better->verified.outcome.end;
  return shown;
}

/// A run; and others with what is worth its time after what the first has shown.
std::unique_ptr<Verification> run_first(const Subject& subject, const VerifySettings& settings,
                                        kernel::Options limits) {
  auto out = run_once(subject, settings, limits);
  if (is_enough(settings, *out)) return out;
  limits.terms = limits.judge != nullptr || may_be_equal(out->verified);
  limits.known_bits = limits.known_bits || (settings.reductions.known_bits && decides_by_data(out->verified));
  limits.ordered = ordered_in(out->detector);
  limits.exact_values = limits.exact_values || are_equal(out->verified.findings);
  if (is_whole(out->verified) &&
      (limits.terms || limits.known_bits || limits.exact_values || !limits.ordered.empty()))
    out = run_better(subject, settings, limits, std::move(out));
  if (limits.exact_values || !is_whole(out->verified) || !are_equal(out->verified.findings)) return out;
  limits.exact_values = true;  // terms have told of equal ones
  return run_better(subject, settings, std::move(limits), std::move(out));
}

/// Other schedules, as the run asks for them.
std::unique_ptr<Verification> look_on(const Subject& subject, const VerifySettings& settings,
                                      std::unique_ptr<Verification> out) {
  const auto look = [&] {
    return look_further(subject, out->detector, settings, out->limits, out->verified);
  };
  out->runs = look();
  if (out->runs.ordered) return out;
  kernel::Options limits = out->limits;
  limits.ordered.clear();
  out = run_once(subject, settings, std::move(limits));
  out->runs = look();
  return out;
}

}  // namespace

namespace {

std::unique_ptr<Verification> verify_with(const Subject& subject, const VerifySettings& settings,
                                          kernel::Options limits) {
  auto out = run_first(subject, settings, limits);
  if (settings.note) settings.note(*out);
  if (is_enough(settings, *out)) return out;
  if (settings.trace && settings.reductions.both_ways && is_open_by_branches(out->verified)) {
    limits.both_ways = true;
    auto both = look_on(subject, settings, run_first(subject, settings, limits));
    // What they show may happen for no contents: it counts if it is nothing.
    if (explain::verdict_of(both->verified) == explain::Verdict::proven) return both;
    if (may_be_excluded(both->verified)) {
      limits.terms = true;
      limits.judge = judge_by_solver(limits.budget);
      both = look_on(subject, settings, run_first(subject, settings, limits));
      if (explain::verdict_of(both->verified) == explain::Verdict::proven) return both;
    }
  }
  return look_on(subject, settings, std::move(out));
}

}  // namespace

std::unique_ptr<Verification> verify(const Subject& subject, const VerifySettings& settings) {
  kernel::Options limits;
  limits.steps = settings.steps;
  limits.waits_fail = settings.waits_fail;
  limits.first_fence_is_free = subject.readings.first_fence_is_free;
  limits.one_place = subject.readings.one_place;
  limits.open_registers = subject.launched;
  limits.changes = settings.changes;
  limits.counting = settings.reductions.counting;
  limits.budget = settings.budget();
  limits.stop = settings.stop;
  auto out = verify_with(subject, settings, limits);
  // Other runs than the first have written equal values, which may hide something; or loops have read open contents.
  const bool hides = !out->limits.exact_values && are_equal(out->verified.findings);
  const bool asks = settings.reductions.known_bits && !out->limits.known_bits && out->runs.polls_read_data &&
                    explain::verdict_of(out->verified) == explain::Verdict::incomplete;
  if ((!hides && !asks) || is_enough(settings, *out)) return out;
  limits.exact_values = out->limits.exact_values || hides;
  limits.known_bits = out->limits.known_bits || asks;
  return verify_with(subject, settings, limits);
}

void ask_exactly(const Subject& subject, const Settings& exact, const VerifySettings& settings,
                 Verification& verification, const Told& told) {
  explain::Verified& verified = verification.verified;
  const std::vector<std::size_t> numbers = explain::representatives(verified);
  if (numbers.empty()) return;
  const Session session(exact);
  std::map<std::size_t, std::vector<trace::Finding>> races;  // by the run that shows them
  for (std::size_t i = 0; i < std::min(numbers.size(), kMostAsked); ++i)
    races[verification.runs.shown_by[numbers[i]]].push_back(verified.findings[numbers[i]]);
  std::map<std::size_t, Confirmer> confirmers;
  std::size_t asked = 0;
  for (const std::size_t number : numbers) {
    explain::ExactAnswer& answer = verified.exact[number];
    if (asked++ >= kMostAsked || settings.interrupted()) {
      answer.why = settings.interrupted() ? "interrupted" : "the engine was asked about others";
      continue;
    }
    const std::size_t run = verification.runs.shown_by[number];
    const Ran ran{subject.test, subject.inner_maps, verification.runs.options[run]};
    const Confirmer& confirmer = confirmers.try_emplace(run, session, ran, races[run]).first->second;
    const std::string name = fmt::format("{}-{}", file_stem(verified.name), number);
    const Confirmed confirmed = confirmer.ask(verified.findings[number], name);
    if (confirmed.answer != Confirmation::open) answer.races = confirmed.answer == Confirmation::confirmed;
    answer.why = confirmed.why;
    if (verified.passed.contains(number) && answer.races == true) {
      answer.races.reset();
      answer.why = "the litmus test does not hold whether the read may take the older value";
    }
    if (told) told(name, confirmed, answer);
  }
}

}  // namespace ptxmc::session
