// SPDX-License-Identifier: Apache-2.0
#include "face/cli/present.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "finding/rules.h"
#include "report/draw/dot.h"
#include "report/draw/svg.h"
#include "report/html/check.h"
#include "report/json/check.h"
#include "report/json/line.h"
#include "report/text/herd.h"
#include "report/text/sensitivity.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// Are lines of JSON printed, or something else made of them?
bool tells_json(const Options& options) {
  return options.format == Format::json || is_gathered(options.format);
}

std::string print(const Options& options, const explain::Outcome& outcome) {
  switch (options.format) {
    case Format::text:
      return report::herd_text(outcome) + report::sensitivity_text(outcome);
    case Format::json:
      return report::json_line(outcome, options.witnesses);
    case Format::sarif:
    case Format::junit:
      return report::json_summary(outcome);
    case Format::dot:
      return report::dot(outcome.test.name, report::drawing_of(outcome, options.show));
    case Format::svg:
      return report::svg_page(report::drawing_of(outcome, options.show));
    case Format::html:
      return report::html_section(outcome, nullptr, options.depth);
  }
  return "";
}

/// Prints an outcome with packed states.
void print_many(const Options& options, const explain::Outcome& outcome, std::ostream& out) {
  if (options.format == Format::json) return report::write_json_line(out, outcome, options.witnesses);
  report::write_herd_text(out, outcome);
  out << report::sensitivity_text(outcome);
}

void note_status(TestReport& report, const std::string& file, Status status, Tally tally,
                 std::string_view message) {
  report.status = worse(report.status, status);
  report.tally = tally;
  if (!message.empty()) report.messages += fmt::format("{}: {}\n", file, message);
}

// What the user can do about an unknown answer.
std::string hint(const session::Analysis& a) {
  if (a.judgement.vacuity != explain::Vacuity::none && a.judgement.unknown == name_of(a.judgement.vacuity)) {
    const bool filter = a.judgement.vacuity == explain::Vacuity::filter;
    return fmt::format(" ({}; `ptxmc explain` says why, `Vacuous` in Verdict= that it is meant)",
                       filter ? "no execution meets the filter, so nothing was asked of any"
                              : "no execution is consistent, so the condition speaks of none");
  }
  const bool bound = a.judgement.unknown == explain::kUnrollBound;
  return bound ? " (a loop was cut; with --unroll N an answer within N turns counts)" : "";
}

/// An error in a test that asks for no final state; null: there is none that counts.
const explain::FlagOutcome* unasked(const session::Analysis& a, const finding::Selection& selection) {
  if (a.test.property.condition || a.judgement.answer != explain::Answer::not_required) return nullptr;
  const auto found = std::find_if(a.flags.begin(), a.flags.end(), [&](const explain::FlagOutcome& flag) {
    return flag.raised == true && selection.fails(flag.rule->name, flag.rule->severity);
  });
  return found == a.flags.end() ? nullptr : &*found;
}

// Compares with the file's own `Verdict=`; without one, only an unknown answer is worth a word.
void compare_with_stated(const session::Session& session, const Options& options, const session::Analysis& a,
                         TestReport& report) {
  const std::string& file = a.test.source->name;
  const litmus::Verdict* stated =
      explain::stated_for(a.test, session.model_name(), session.readings().changed());
  if (!stated) {
    if (options.require_verdict) {
      const std::string message = fmt::format("error: states no Verdict= for model {}", session.model_name());
      note_status(report, file, Status::unmet, Tally::not_as_stated, message);
    } else if (const explain::FlagOutcome* found = unasked(a, options.selection)) {
      note_status(report, file, Status::unmet, Tally::not_as_stated,
                  fmt::format("error: found {}, and nothing is stated or asserted", found->name));
    } else if (a.judgement.answer == explain::Answer::unknown) {
      note_status(report, file, Status::unknown, Tally::unknown,
                  fmt::format("unknown: {}{}", a.judgement.unknown, hint(a)));
    }
    return;
  }
  std::string under = session.model_name();
  for (const std::string& reading : session.readings().changed()) under += " " + reading;
  const std::string words = fmt::format("Verdict={}, found {} under {}", explain::print(*stated),
                                        explain::found_instead(*stated, a.judgement, a.flags), under);
  const std::optional<bool> met = explain::is_met(*stated, a.judgement, a.flags);
  if (met == true) {
    note_status(report, file, Status::ok, Tally::as_stated, "");
  } else if (met == false &&
             !options.selection.fails(finding::name_of(finding::RuleId::verdict), Severity::error)) {
    note_status(report, file, Status::ok, Tally::no_verdict, "");
  } else if (met == false) {
    note_status(report, place_of(file, stated->position), Status::unmet, Tally::not_as_stated,
                "error: stated " + words);
  } else {
    note_status(report, file, Status::unknown, Tally::unknown, "unknown: stated " + words + hint(a));
  }
}

}  // namespace

TestReport present(const session::Session& session, const Options& options,
                   const std::shared_ptr<const session::Analysis>& shared) {
  TestReport report;
  const session::Analysis& analysis = *shared;
  if (analysis.decision.result.packed && !is_gathered(options.format)) {
    report.write = [&session, &options, shared](std::ostream& out) {
      const engine::Query query = shared->query(session);
      print_many(options, shared->outcome(session, query), out);
    };
  } else {
    const engine::Query query = analysis.query(session);
    report.output = print(options, analysis.outcome(session, query));
  }
  compare_with_stated(session, options, analysis, report);
  if (analysis.count && !analysis.count->states) {
    note_status(report, analysis.test.source->name, Status::unknown, Tally::unknown,
                fmt::format("unknown: how many states there are: {}", analysis.count->unknown));
  }
  for (const std::string& problem : analysis.problems) {
    note_status(report, analysis.test.source->name, Status::failure, Tally::failed,
                "internal error: " + problem);
  }
  return report;
}

void take_answer(TestReport& report, Answer answer, Tally good) {
  report.status = worse(report.status, status_of(answer));
  switch (answer) {
    case Answer::as_stated:
      report.tally = good;
      break;
    case Answer::finding:
    case Answer::unmet:
      report.tally = Tally::not_as_stated;
      break;
    case Answer::incomplete:
    case Answer::unknown:
      report.tally = Tally::unknown;
      break;
    case Answer::refused:
      report.tally = Tally::bad_input;
      break;
    case Answer::internal:
      report.tally = Tally::failed;
      break;
  }
}

std::string place_of(const std::string& file, Position position) {
  return position.known() ? fmt::format("{}:{}:{}", file, position.line, position.column) : file;
}

void refuse_format(const std::string& what, const std::string& known) {
  refuse(fmt::format("{} has no such --format; {}", what, known));
}

TestReport bad_input(const Options& options, const std::string& file, const InputError& error) {
  TestReport report{"", error.what(), Status::input, Tally::bad_input};
  if (tells_json(options)) report.output = report::json_errors(options.verb, file, error.diagnostics());
  if (options.format == Format::html) report.output = report::html_mistake(file, "Error", error.what());
  return report;
}

TestReport gave_up(const Options& options, const std::string& file, const std::string& test,
                   const std::string& reason) {
  TestReport report{"", fmt::format("{}: unknown: {}\n", file, reason), Status::unknown, Tally::unknown};
  if (tells_json(options)) report.output = report::json_unknown(options.verb, file, test, reason);
  if (options.format == Format::html) report.output = report::html_mistake(file, "Unknown", reason);
  if (options.format == Format::text)
    report.output =
        fmt::format("Test {} Unknown\nUndef\nFlag unknown-{}\n\n", test.empty() ? file : test, reason);
  return report;
}

TestReport failed(const Options& options, const std::string& file, const std::string& what) {
  TestReport report{"", fmt::format("{}: internal error: {}\n", file, what), Status::failure, Tally::failed};
  if (tells_json(options)) report.output = report::json_error(options.verb, file, "internal error: " + what);
  if (options.format == Format::html)
    report.output = report::html_mistake(file, "Failed", "internal error: " + what);
  return report;
}

}  // namespace ptxmc::cli
