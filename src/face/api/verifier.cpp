// SPDX-License-Identifier: Apache-2.0
#include "ptxmc/verifier.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "dynamic/claim/claim.h"
#include "dynamic/claim/verify_result.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/coverage.h"
#include "explain/verify/findings.h"
#include "face/api/convert.h"
#include "input/launch/command_line.h"
#include "input/launch/plan_file.h"
#include "report/json/verify.h"
#include "report/text/verify.h"
#include "session/cta_selection.h"
#include "session/launched.h"
#include "session/verify.h"
#include "session/verify_readings.h"
#include "session/verify_waived.h"
#include "support/refuse.h"
#include "support/source_files.h"

namespace ptxmc::api {

namespace {

launch::Plan plan_of(const Kernel& kernel) {
  const launch::Words words{kernel.entry,  kernel.grid,      kernel.block,      kernel.cluster,
                            kernel.shared, kernel.arguments, kernel.cooperative};
  if (kernel.plan.empty()) {
    if (!words.any()) refuse("say what to launch: an entry, a grid, a block, arguments, or a plan");
    return launch::read_words(words);
  }
  if (words.any()) refuse("a plan says what is launched: nothing else may");
  return launch::read_plan(std::make_shared<const Source>(Source{kernel.plan_name, kernel.plan}));
}

/// The CTAs that are asked for, or those that are worth it.
explore::VerificationTask task_of(const Kernel& kernel, const VerifyOptions& options,
                                  const session::VerifySettings& settings) {
  const auto module = std::make_shared<const Source>(Source{kernel.name, kernel.module});
  const launch::Plan plan = plan_of(kernel);
  const session::ReadCtas read = [&](const launch::Choice& choice, launch::Beside& beside) {
    litmus::Test test = session::launched(module, plan, choice, &beside);
    return session::task_of(std::move(test), beside);
  };
  if (!options.ctas) return session::choose_ctas(read, settings);
  launch::Choice choice = session::widest_choice();
  choice.ctas = options.ctas;
  launch::Beside beside;
  return read(choice, beside);
}

session::Settings settings_of(const VerifyOptions& options) {
  session::Settings out;
  out.model = options.model;
  for (const std::string& assignment : options.readings) out.readings.set(assignment);
  return out;
}

VerifyAnswer answer_of(claim::Verdict verdict) {
  switch (verdict) {
    case claim::Verdict::violated:
    case claim::Verdict::waived:  // which the library does not ask for
      return VerifyAnswer::finding;
    case claim::Verdict::incomplete:
      return VerifyAnswer::bounded;
    case claim::Verdict::proven:
      return VerifyAnswer::exact;
  }
  return VerifyAnswer::error;
}

void show(const claim::VerifyResult& verified, VerifyResult& out) {
  out.name = verified.name;
  const claim::Claim claim = claim::claim_of(verified);
  out.answer = answer_of(claim.verdict);
  out.claim = explain::claim_text(verified, claim);
  out.limits = explain::open_texts(verified, claim);
  for (const explain::Finding& finding : explain::findings_of(verified))
    out.findings.push_back(shown(finding));
  out.instructions = verified.outcome.instructions;
  const explain::Coverage coverage = explain::coverage_of(verified);
  out.executed = coverage.executed;
  out.code = coverage.all;
  SourceFiles compiled({}, verified.file());
  out.report = report::verify_text(verified, false, compiled);
  out.json = report::verify_json(verified);
}

}  // namespace

VerifyResult verify(const Kernel& kernel, const VerifyOptions& options, const std::stop_token& stop) {
  if (options.timeout && !(*options.timeout > 0)) throw std::invalid_argument("a timeout is above 0 seconds");
  VerifyResult out;
  session::VerifySettings settings;
  settings.timeout = options.timeout;
  settings.cancel = stop;
  settings.steps = options.steps;
  settings.choices = options.choices;
  settings.trace = options.orders;
  settings.waits_fail = options.waits_fail;
  settings.interrupted = [&stop] { return stop.stop_requested(); };
  const bool done = within(out, stop, [&] {
    explore::VerificationTask task = task_of(kernel, options, settings);
    const session::Settings exact = settings_of(options);
    task.readings = session::verify_readings(exact, task.test);
    const auto verification = session::verify(task, settings);
    session::look_under_readings(task, settings, *verification);
    if (options.confirm) session::ask_exactly(task, exact, settings, *verification);
    show(verification->verified, out);
  });
  if (!done && out.diagnostics.empty()) out.answer = VerifyAnswer::bounded;
  if (stop.stop_requested()) out.unknown = "cancelled";
  return out;
}

}  // namespace ptxmc::api
