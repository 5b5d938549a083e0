// SPDX-License-Identifier: Apache-2.0
#include "session/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dynamic/claim/claim.h"
#include "dynamic/explore/dpor.h"
#include "dynamic/explore/elected_lanes.h"
#include "dynamic/explore/input_variation.h"
#include "dynamic/explore/runs.h"
#include "dynamic/explore/schedules.h"
#include "dynamic/explore/spin_loops.h"
#include "explain/verify/findings.h"
#include "model/models.h"
#include "session/analysis.h"
#include "session/verify_paths.h"

namespace ptxmc::session {

namespace {

constexpr std::size_t kMostAsked = 8;  // findings
// Runs that follow conditions on contents: they remember every access, and may be in vain.
constexpr double kShareOfContents = 0.3, kMostOnContents = 30;  // of the time left; seconds

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
bool would_be_exact(claim::VerifyResult verified, exec::Sources others) {
  verified.waits_settled = true;
  for (exec::Decision& decision : verified.outcome.decisions) {
    if (decision.what == exec::Decided::waiting) continue;
    decision.sources &= ~(unsigned{bit(exec::Source::timing)} | others);
  }
  return claim::verdict_of(verified) == claim::Verdict::proven;
}

/// Do the same writes let loops that poll memory go on in all schedules? If so, each takes no more than what it then does.
/// False: with that, locations are not in order that were to be (explore::Runs::ordered).
bool settle_waits(const explore::VerificationTask& task, const std::map<trace::Address, std::uint8_t>& polled,
                  const exec::Options& limits, claim::VerifyResult& verified) {
  if (polled.empty() || !would_be_exact(verified, 0)) return true;
  explore::Waits::Result result = explore::Waits(task, polled).run(limits);
  if (!result.verified.waits_settled) return result.ordered;
  verified.waits_settled = true;
  verified.outcome = std::move(result.verified.outcome);
  verified.findings = std::move(result.verified.findings);
  verified.left_open = std::move(result.verified.left_open);
  return result.ordered;
}

bool is_whole(const claim::VerifyResult& verified) {
  return explore::is_whole(verified.outcome);
}

/// All orders of what contends, and of the writes that loops wait for, beside those of the run. The runs are those that show
/// the findings.
explore::Runs explore_orders(const explore::VerificationTask& task, const trace::Detector& detector,
                             const VerifySettings& settings, const exec::Options& limits,
                             claim::VerifyResult& verified) {
  const bool looks = is_whole(verified) && settings.choices != 0;
  explore::Runs runs{{limits}, std::vector<std::size_t>(verified.findings.size(), 0)};
  const bool turns = !(detector.contended().empty() && detector.decided_by().empty());
  if (!(looks && turns)) {
    runs.ordered = settle_waits(task, detector.polled(), limits, verified);
    runs.shown_by.assign(verified.findings.size(), 0);
  }
  const bool open = !detector.polled().empty() && claim::verdict_of(verified) == claim::Verdict::incomplete;
  if (looks && (turns || open)) {
    const bool ordered = runs.ordered;
    runs = explore::explore_access_orders(task, detector, limits, settings.choices, verified);
    runs.ordered = runs.ordered && ordered;
  }
  return runs;
}

/// What else holds in other schedules, and with other inputs.
explore::Runs look_further(const explore::VerificationTask& task, const trace::Detector& detector,
                           const VerifySettings& settings, const exec::Options& limits,
                           claim::VerifyResult& verified) {
  if (!settings.trace) return {{limits}, std::vector<std::size_t>(verified.findings.size(), 0)};
  explore::Runs runs = explore_orders(task, detector, settings, limits, verified);
  if (!is_whole(verified) || settings.choices == 0) return runs;
  const auto explore = [&](const trace::Detector& run, const exec::Options& options,
                           claim::VerifyResult& shown) {
    return explore_orders(task, run, settings, options, shown);
  };
  explore::try_elected(task, limits, explore, verified, runs);
  explore::try_contents(task, limits, settings.choices, verified, runs);
  explore::try_schedules(task, limits, settings.choices, verified, runs);
  return runs;
}

/// Data decides, for all that is known of whole values: some of their bits may rest on none.
bool decides_by_data(const claim::VerifyResult& verified) {
  constexpr std::uint64_t kLong = 20'000'000;  // instructions: following bits takes time
  const auto& decisions = verified.outcome.decisions;
  return verified.outcome.instructions <= kLong &&
         std::any_of(decisions.begin(), decisions.end(), [](const exec::Decision& decision) {
           return (decision.sources & bit(exec::Source::data)) != 0;
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
exec::Options watching(const Verification& verification, const VerifySettings& settings) {
  exec::Options out = verification.limits;
  if (!settings.ends_at) return out;
  out.stop = [&, seen = std::size_t{0}](std::uint64_t instructions) mutable -> std::optional<exec::End> {
    const std::vector<trace::Finding>& findings = verification.detector.findings();
    while (seen < findings.size()) {
      if (settings.ends_at(verification.run, findings[seen++])) return exec::End::stopped;
    }
    return settings.stop ? settings.stop(instructions) : std::nullopt;
  };
  return out;
}

std::unique_ptr<Verification> run_once(const explore::VerificationTask& task, const VerifySettings& settings,
                                       const exec::Options& limits) {
  auto out = std::make_unique<Verification>(task, settings.trace, limits);
  claim::VerifyResult& verified = out->verified;
  verified.name = task.test.name;
  verified.program = &task.test;
  verified.ctas = task.ctas;
  verified.of_ctas = task.of_ctas;
  verified.launched = task.launched;
  verified.shape = task.shape;
  verified.all_can_run = task.all_can_run;
  verified.compared = task.compared;
  verified.grid_pending = limits.grid != nullptr;
  if (!verified.grid_pending) verified.grid = task.grid_answer;
  verified.orders = settings.trace;
  verified.sizes = task.sizes;
  verified.peers = task.peers;
  verified.cooperation = task.cooperation;
  verified.resident = task.resident;
  verified.module_values = task.module_values;
  verified.under = task.readings.under;
  verified.model = verified.under.empty() ? std::string(model::kDefaultProfile) : verified.under;
  verified.matrices_in_order = limits.detail.matrix_rows == exec::MatrixRows::in_warp_order;
  verified.groups_of_warps = task.readings.orders.groups_of_warps;
  verified.severities = settings.severities;
  verified.run = &out->run;
  verified.outcome = out->run.run(watching(*out, settings));
  verified.findings = out->detector.findings();
  verified.left_open = out->detector.left_open();
  return out;
}

/// Open contents decide branches or addresses, and for all that is known nothing else leaves the claim open.
bool is_open_by_contents(const claim::VerifyResult& verified) {
  constexpr exec::Sources kData = bit(exec::Source::data);
  const auto& decisions = verified.outcome.decisions;
  return is_whole(verified) &&
         std::any_of(decisions.begin(), decisions.end(),
                     [](const exec::Decision& decision) {
                       const bool asked =
                           decision.what == exec::Decided::control || decision.what == exec::Decided::address;
                       return asked && (decision.sources & kData) != 0;
                     }) &&
         would_be_exact(verified, kData);
}

bool is_enough(const VerifySettings& settings, const Verification& shown) {
  return settings.is_enough && settings.is_enough(shown.verified);
}

/// A run with more in view than the one that `shown` is of, which stands if the new one comes to a limit.
std::unique_ptr<Verification> run_better(const explore::VerificationTask& task,
                                         const VerifySettings& settings, const exec::Options& limits,
                                         std::unique_ptr<Verification> shown) {
  if (settings.note && !limits.both_sides)
    settings.note(*shown);  // what both ways show may happen for no contents
  auto better = run_once(task, settings, limits);
  if (is_whole(better->verified)) return better;
  shown->verified.outcome.end = better->verified.outcome.end;
  return shown;
}

/// A run; and others with what is worth its time after what the first has shown.
std::unique_ptr<Verification> run_first(const explore::VerificationTask& task, const VerifySettings& settings,
                                        exec::Options limits) {
  auto out = run_once(task, settings, limits);
  if (is_enough(settings, *out)) return out;
  limits.terms = limits.judge != nullptr || explore::may_be_equal(out->verified);
  limits.known_bits = limits.known_bits || (settings.reductions.known_bits && decides_by_data(out->verified));
  limits.ordered = ordered_in(out->detector);
  limits.exact_values = limits.exact_values || explore::are_equal(out->verified.findings);
  if (is_whole(out->verified) &&
      (limits.terms || limits.known_bits || limits.exact_values || !limits.ordered.empty()))
    out = run_better(task, settings, limits, std::move(out));
  if (limits.exact_values || !is_whole(out->verified) || !explore::are_equal(out->verified.findings))
    return out;
  limits.exact_values = true;  // terms have told of equal ones
  return run_better(task, settings, limits, std::move(out));
}

/// Other schedules, as the run asks for them.
std::unique_ptr<Verification> look_on(const explore::VerificationTask& task, const VerifySettings& settings,
                                      std::unique_ptr<Verification> out) {
  const auto look = [&] { return look_further(task, out->detector, settings, out->limits, out->verified); };
  out->runs = look();
  if (out->runs.ordered) return out;
  exec::Options limits = out->limits;
  limits.ordered.clear();
  out = run_once(task, settings, limits);
  out->runs = look();
  return out;
}

std::unique_ptr<Verification> verify_with(const explore::VerificationTask& task,
                                          const VerifySettings& settings, exec::Options limits) {
  auto out = run_first(task, settings, limits);
  if (settings.note) settings.note(*out);
  if (is_enough(settings, *out)) return out;
  if (settings.trace && settings.reductions.both_sides && is_open_by_contents(out->verified)) {
    limits.both_sides = true;
    if (limits.grid) limits.grid = explore::follow(*task.grid);  // what one way says is not all
    limits.known_bits = out->limits.known_bits;
    auto both = look_on(task, settings, run_first(task, settings, limits));
    // What they show may happen for no contents: it counts if it is nothing.
    if (claim::verdict_of(both->verified) == claim::Verdict::proven) return both;
    if (may_be_excluded(both->verified)) {
      limits.terms = true;
      limits.judge = judge_by_solver(limits.budget);
      limits.budget = limits.budget.share(kShareOfContents).at_most(kMostOnContents);
      both = look_on(task, settings, run_first(task, settings, limits));
      if (claim::verdict_of(both->verified) == claim::Verdict::proven) return both;
    }
  }
  return look_on(task, settings, std::move(out));
}

/// What the runs have shown of CTAs that did not run. It is told of a run that goes one way for each CTA: where orders of accesses, loops
/// that poll, or both ways of branches that data decides were explored, or equal values were compared, nothing is said of others.
void judge_grid(Verification& out) {
  if (!out.limits.grid) return;
  exec::GridCover::Answer answer = out.limits.grid->judge();
  const auto& findings = out.verified.findings;
  std::set<trace::Site> several;
  for (const trace::Finding& finding : findings) {
    if (finding.rule == finding::RuleId::equal_bytes)
      several.insert({finding.first.site, finding.second.site});
  }
  for (const exec::Decision& decision : out.verified.outcome.decisions) several.insert(decision.site);
  const bool turns = !out.detector.contended().empty() || !out.detector.decided_by().empty() ||
                     !out.detector.polled().empty();
  if (turns || !several.empty() || out.limits.judge) {
    answer.verdict = exec::GridCover::Verdict::refused;
    answer.refused.insert(several.begin(), several.end());
  }
  out.verified.grid = std::move(answer);
  out.verified.grid_pending = false;
}

/// What is found may rest on what was told of some accesses: it is looked at again with more. False: there is no more.
bool tell_more(const claim::VerifyResult& verified, exec::Detail& detail) {
  const exec::Outcome& outcome = verified.outcome;
  const auto races = [&](auto&& is_one) {
    return std::any_of(
        verified.findings.begin(), verified.findings.end(),
        [&](const trace::Finding& finding) { return finding::is_race(finding.rule) && is_one(finding); });
  };
  const bool swaps = !outcome.swaps.empty() && races([](const trace::Finding&) { return true; });
  const bool rows =
      detail.matrix_rows != exec::MatrixRows::in_warp_order && races([&](const trace::Finding& finding) {
        return outcome.matrices.contains(finding.first.site) ||
               outcome.matrices.contains(finding.second.site);
      });
  if (swaps) detail.swaps = outcome.swaps;
  if (rows) {
    const bool first = detail.matrix_rows == exec::MatrixRows::by_rows;
    detail.matrix_rows = first ? exec::MatrixRows::by_lanes : exec::MatrixRows::in_warp_order;
  }
  return swaps || rows;
}

}  // namespace

std::unique_ptr<Verification> verify(const explore::VerificationTask& task, const VerifySettings& settings) {
  exec::Options limits;
  if (task.follows_grid && task.grid) limits.grid = explore::follow(*task.grid);
  limits.steps = settings.steps;
  limits.waits_fail = settings.waits_fail;
  limits.readings = task.readings.execution;
  limits.open_registers = task.launched;
  limits.changes = settings.changes;
  limits.detail = settings.detail;
  limits.counting = settings.reductions.counting;
  limits.budget = settings.budget();
  limits.stop = settings.stop;
  auto out = verify_with(task, settings, limits);
  // Other runs than the first have written equal values, which may hide something; or loops have read open contents.
  const bool hides = !out->limits.exact_values && explore::are_equal(out->verified.findings);
  const bool asks = settings.reductions.known_bits && !out->limits.known_bits && out->runs.polls_read_data &&
                    claim::verdict_of(out->verified) == claim::Verdict::incomplete;
  if ((hides || asks) && !is_enough(settings, *out)) {
    limits.exact_values = out->limits.exact_values || hides;
    limits.known_bits = out->limits.known_bits || asks;
    out = verify_with(task, settings, limits);
  }
  while (!is_enough(settings, *out) && tell_more(out->verified, limits.detail)) {
    if (limits.grid) limits.grid = explore::follow(*task.grid);
    auto more = verify_with(task, settings, limits);
    if (!is_whole(more->verified)) break;
    out = std::move(more);
  }
  judge_grid(*out);
  return out;
}

void ask_exactly(const explore::VerificationTask& task, const Settings& exact, const VerifySettings& settings,
                 Verification& verification, const OnConfirmed& told) {
  claim::VerifyResult& verified = verification.verified;
  const std::vector<std::size_t> numbers = explain::representatives(verified);
  if (numbers.empty()) return;
  const Session session(exact);
  std::map<std::size_t, std::vector<trace::Finding>> races;  // by the run that shows them
  for (std::size_t i = 0; i < std::min(numbers.size(), kMostAsked); ++i)
    races[verification.runs.shown_by[numbers[i]]].push_back(verified.findings[numbers[i]]);
  std::map<std::size_t, Confirmer> confirmers;
  std::size_t asked = 0;
  for (const std::size_t number : numbers) {
    claim::ExactAnswer& answer = verified.exact[number];
    if (asked++ >= kMostAsked || settings.interrupted()) {
      answer.why = settings.interrupted() ? "interrupted" : "the engine was asked about others";
      continue;
    }
    const std::size_t run = verification.runs.shown_by[number];
    const Ran ran{task.test, task.inner_maps, verification.runs.options[run]};
    const Confirmer& confirmer = confirmers.try_emplace(run, session, ran, races[run]).first->second;
    const std::string name = fmt::format("{}-{}", file_stem(verified.name), number);
    const Confirmed confirmed = confirmer.ask(verified.findings[number], name);
    if (confirmed.answer != Confirmation::open) answer.races = confirmed.answer == Confirmation::confirmed;
    answer.why = confirmed.why;
    if (confirmed.iterations) {
      const bool late = verified.findings[number].late;
      const auto [later, outer] = *confirmed.iterations;
      verified.iterations[number] = {late ? -later : later, outer};
    }
    if (verified.passed.contains(number) && answer.races == true) {
      answer.races.reset();
      answer.why = "the litmus test does not hold whether the read may take the older value";
    }
    if (told) told(name, confirmed, answer);
  }
}

}  // namespace ptxmc::session
