// SPDX-License-Identifier: Apache-2.0
// `check --property liveness`.
#include <fmt/format.h>

#include "explain/liveness.h"
#include "face/cli/judge_findings.h"
#include "face/cli/present.h"
#include "face/cli/verbs.h"
#include "finding/rules.h"
#include "report/draw/dot.h"
#include "report/draw/svg.h"
#include "report/finding_report.h"
#include "report/html/findings.h"
#include "report/json/liveness.h"
#include "report/text/liveness.h"
#include "session/liveness.h"
#include "session/stopwatch.h"

namespace ptxmc::cli {

namespace {

/// What the file states about termination; it speaks of fair scheduling.
const litmus::Verdict* stated_of(const session::Session& session, const litmus::Test& test) {
  if (session.settings().progress_model != lower::ProgressModel::fair) return nullptr;
  const litmus::Verdict* stated =
      explain::stated_for(test, session.model_name(), session.readings().changed());
  return stated && stated->hangs ? stated : nullptr;
}

std::vector<report::Drawing> draw(const Options& options, const session::Session& session,
                                  const session::Liveness& live, const explain::LivenessOutcome& outcome) {
  const explain::Judgement judgement;
  const std::vector<explain::FlagOutcome> flags;
  const std::vector<explain::Variation> variations;
  const engine::Query query = live.query(session);
  const explain::Outcome drawn{
      outcome.test,  query,          live.decision.result, judgement,        flags,     outcome.file,
      outcome.model, outcome.engine, outcome.seconds,      outcome.readings, variations};
  return report::drawing_of(drawn, options.show);
}

std::string html(const Options& options, const explain::LivenessOutcome& outcome) {
  report::FindingReport found{outcome.test, outcome.query, explain::findings_of(outcome),
                              std::string(explain::answer_of(outcome.hangs)), outcome.unknown};
  for (explain::Finding& finding : found.findings) finding.evidence.state = outcome.state;
  found.file = outcome.file;
  found.model = fmt::format("{}, progress {}", outcome.model, outcome.progress);
  SourceFiles compiled(options.sources, found.file);
  return report::findings_html(found, compiled);
}

std::string print(const Options& options, const session::Session& session, const session::Liveness& live,
                  const explain::LivenessOutcome& outcome) {
  switch (options.format) {
    case Format::text:
      return report::liveness_text(outcome);
    case Format::json:
    case Format::sarif:
    case Format::junit:
      return report::liveness_json(outcome);
    case Format::dot:
      return report::dot(outcome.test.name, draw(options, session, live, outcome));
    case Format::svg:
      return report::svg_page(draw(options, session, live, outcome));
    case Format::html:
      return html(options, outcome);
  }
  return "";
}

/// What of a file's verdict liveness decides.
std::optional<litmus::Verdict> judged_by_liveness(const litmus::Verdict* stated) {
  if (stated == nullptr || !stated->hangs) return std::nullopt;
  litmus::Verdict part;
  part.hangs = stated->hangs;
  part.position = stated->position;
  return part;
}

void judge(const explain::LivenessOutcome& outcome, const Options& options, TestReport& report) {
  const std::vector<explain::Finding> findings = explain::findings_of(outcome);
  Judged judged{judged_by_liveness(outcome.stated), std::nullopt,
                std::string(explain::answer_of(outcome.hangs)), findings, ""};
  if (judged.stated && outcome.hangs) judged.met = *judged.stated->hangs == *outcome.hangs;
  if (!outcome.hangs) {
    const bool bound = outcome.unknown == explain::kUnrollBound;
    judged.unknown = outcome.unknown + (bound ? " (a loop was cut; --unroll N follows N turns of it)" : "");
  }
  if (outcome.hangs && !judged.stated && options.require_verdict) {
    report.status = Status::unmet;
    report.tally = Tally::not_as_stated;
    report.messages += fmt::format("{}: error: states neither Hangs nor Terminates\n", outcome.file);
    return;
  }
  judge_findings(outcome.file, outcome.model, outcome.stated, judged, options.selection, report);
}

TestReport treat_liveness(const session::Session& session, const Options& options, const litmus::Test& test,
                          const SoFar&) {
  const session::Stopwatch watch;
  const lower::ProgressModel progress = session.settings().progress_model;
  const auto live = check_liveness(session, test, progress, session.settings().timeout);
  const engine::Query query = live->query(session);
  const auto& states = live->decision.result.states;
  const bool cut = live->graph.cut && !live->hangs;  // who hangs within the bound does without it
  const bool told = options.selection.takes(finding::name_of(finding::RuleId::hang));
  const explain::LivenessOutcome outcome{test,
                                         query,
                                         live->hangs,
                                         live->unknown,
                                         states.empty() ? nullptr : &states.front(),
                                         told ? live->standstill : check::Standstill{},
                                         stated_of(session, test),
                                         test.source ? test.source->name : "",
                                         session.model_name(),
                                         live->decision.engine,
                                         std::string(session::name_of(progress)),
                                         session.readings().changed(),
                                         watch.seconds(),
                                         cut ? session.settings().unroll : std::nullopt};
  TestReport report;
  report.output = print(options, session, *live, outcome);
  judge(outcome, options, report);
  for (const std::string& problem : live->problems) {
    report.status = worse(report.status, Status::failure);
    report.tally = Tally::failed;
    report.messages += fmt::format("{}: internal error: {}\n", outcome.file, problem);
  }
  return report;
}

}  // namespace

Status liveness_files(const Options& options, Streams& streams) {
  return treat_files(options, streams, treat_liveness);
}

}  // namespace ptxmc::cli
