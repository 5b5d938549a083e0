// SPDX-License-Identifier: Apache-2.0
// The verb `races`.
#include <fmt/format.h>

#include "explain/races.h"
#include "face/cli/judge_findings.h"
#include "face/cli/verbs.h"
#include "report/draw/findings.h"
#include "report/finding_report.h"
#include "report/html/findings.h"
#include "report/json/findings.h"
#include "report/text/findings.h"
#include "session/races.h"
#include "support/source_files.h"

namespace ptxmc::cli {

namespace {

/// What of a file's verdict races decide.
std::optional<litmus::Verdict> judged_by_races(const litmus::Verdict* stated) {
  if (stated == nullptr || (!stated->racy && stated->findings.empty())) return std::nullopt;
  litmus::Verdict part = *stated;
  part.proposition.reset();
  part.hangs.reset();
  part.vacuous = false;
  return part;
}

std::string print(const Options& options, const report::FindingReport& found) {
  SourceFiles compiled(options.sources, found.file);
  switch (options.format) {
    case Format::json:
    case Format::sarif:
    case Format::junit:
      return report::findings_json(found);
    case Format::dot:
      return report::findings_dot(found);
    case Format::svg:
      return report::findings_svg(found);
    case Format::text:
      return report::findings_text(found, compiled);
    case Format::html:
      return report::findings_html(found, compiled);
  }
  return "";
}

/// What the file says of races, and whether that is found.
void judge_stated(const session::Session& session, const litmus::Test& test,
                  const std::vector<explain::FlagOutcome>& flags, report::FindingReport& found,
                  const finding::Selection& selection, TestReport& report) {
  const litmus::Verdict* stated =
      explain::stated_for(test, session.model_name(), session.readings().changed());
  Judged verdict{judged_by_races(stated), std::nullopt, "", found.findings, ""};
  if (verdict.stated) {
    found.stated = explain::print(*verdict.stated);
    found.stated_at = stated->position;
    found.met = verdict.met = explain::is_met(*verdict.stated, {}, flags);
    found.found = verdict.found = explain::found_instead(*verdict.stated, {}, flags);
  }
  for (explain::Finding& finding : found.findings)
    finding.stated = stated != nullptr && explain::is_stated(*stated, finding);
  verdict.unknown = found.unknown;
  judge_findings(found.file, found.model, stated, verdict, selection, report);
}

TestReport report_of(const session::Session& session, const Options& options, const litmus::Test& test,
                     const session::Races& races) {
  const engine::Query query = races.query(session);
  report::FindingReport found{test, query, explain::findings_of(races.graph, races.found, races.misuses),
                              std::string(name_of(races.answer)), races.unknown};
  const auto remark = [&](const std::string& words) {
    found.remark += fmt::format("{}{}", found.remark.empty() ? "" : "; ", words);
  };
  const auto left_out = std::erase_if(found.findings, [&](const explain::Finding& finding) {
    return !options.selection.takes(finding.name);
  });
  if (left_out != 0)
    remark(fmt::format("{} finding{} left out by --only or --ignore", left_out, left_out == 1 ? "" : "s"));
  if (!races.vacuity.open.empty()) remark(open_vacuity(races.vacuity));
  if (const auto unroll = session.settings().unroll; unroll && races.graph.cut)
    remark(fmt::format("loops were cut at --unroll {}", *unroll));
  found.file = test.source ? test.source->name : "";
  found.model = session.model_name();
  found.engine = races.engine;
  found.seconds = races.seconds;

  TestReport report;
  judge_stated(session, test,
               explain::flags_of(session.model(), races.found, races.misuses, !races.open.empty()), found,
               options.selection, report);
  report.output = print(options, found);
  for (const std::string& problem : races.problems) {
    report.status = worse(report.status, Status::failure);
    report.tally = Tally::failed;
    report.messages += fmt::format("{}: internal error: {}\n", found.file, problem);
  }
  return report;
}

TestReport treat_races(const session::Session& session, const Options& options, const litmus::Test& test,
                       const SoFar& so_far) {
  const auto known = [&](const session::RacesAt& at) {
    so_far([&](const std::string& reason) { return report_of(session, options, test, *at(reason)); });
  };
  const auto wanted = options.first ? check::Wanted::first : check::Wanted::all;
  const auto races = session::find_races(session, test, session.settings().timeout, wanted, known);
  return report_of(session, options, test, *races);
}

}  // namespace

Status races_files(const Options& options, Streams& streams) {
  return treat_files(options, streams, treat_races);
}

}  // namespace ptxmc::cli
