// SPDX-License-Identifier: Apache-2.0
// The verb `explain`: checks a test, then asks about fewer axioms until it is clear which forbid the outcome.
#include <fmt/format.h>

#include "explain/explain.h"
#include "face/cli/answers.h"
#include "face/cli/present.h"
#include "face/cli/verbs.h"
#include "report/draw/dot.h"
#include "report/draw/svg.h"
#include "report/html/check.h"
#include "report/json/explain.h"
#include "report/text/explain.h"
#include "session/explain.h"

namespace ptxmc::cli {

namespace {

std::string print(const Options& options, const explain::Outcome& outcome,
                  const explain::Explanation& explanation) {
  switch (options.format) {
    case Format::text:
      return report::explain_text(outcome, explanation, options.depth);
    case Format::json:
      return report::explain_json(outcome, explanation, options.depth);
    case Format::dot:
      return report::dot(outcome.test.name, report::drawings_of(outcome, explanation));
    case Format::svg:
      return report::svg_page(report::drawings_of(outcome, explanation));
    case Format::html:
      return report::html_section(outcome, &explanation, options.depth);
    default:
      refuse_format("explain", "text, json, dot, svg and html");
  }
}

TestReport explain_test(const session::Session& session, const Options& options, const litmus::Test& test,
                        const SoFar&) {
  const session::Explained explained = session::explain(session, test, session.settings().timeout);
  const session::Analysis& analysis = *explained.analysis;
  const explain::Explanation& explanation = explained.explanation;
  const engine::Query query = analysis.query(session);

  TestReport report;
  report.output = print(options, analysis.outcome(session, query), explanation);
  const std::string file = test.source ? test.source->name : test.name;
  take_answer(report, answer_of(explained), Tally::explained);
  for (const std::string& problem : analysis.problems) {
    report.messages += fmt::format("{}: internal error: {}\n", file, problem);
  }
  return report;
}

}  // namespace

TestReport explain_outcome(const Options& options, const litmus::Test& test) {
  Options how = options;
  how.settings.verdict_only = true;
  how.settings.flags = false;
  return explain_test(session::Session(how.settings), how, test, {});
}

Status explain_files(const Options& options, Streams& streams) {
  Options how = options;
  // The table of states belongs to the page; everything else needs the condition's answer alone.
  how.settings.verdict_only = options.format != Format::html;
  how.settings.flags = false;
  return treat_files(how, streams, explain_test);
}

}  // namespace ptxmc::cli
