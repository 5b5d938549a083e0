// SPDX-License-Identifier: Apache-2.0
#include "cli/present.h"

#include <doctest/doctest.h>

#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

std::unique_ptr<cli::Analysis> checked(const cli::Session& session, const std::string& text) {
  return cli::check_test(session, std::make_shared<const Source>(Source{"t.litmus", text}));
}

}  // namespace

TEST_CASE("a bug of ptxmc outweighs every verdict") {
  const cli::Session session{cli::Settings{}};
  const auto analysis = checked(session, mp("A", false, "Verdict=Forbidden\n"));
  const cli::Options options;
  CHECK(cli::present(session, options, *analysis).status == cli::Status::unmet);
  analysis->problems.push_back("explicit finds the state 1:r0=0; and smt does not");
  const cli::TestReport report = cli::present(session, options, *analysis);
  CHECK(report.status == cli::Status::failure);
  CHECK(report.tally == cli::Tally::failed);
  CHECK(
      report.messages.find("t.litmus: internal error: explicit finds the state 1:r0=0; and smt does not\n") !=
      std::string::npos);
  CHECK(report.output.starts_with("Test A Allowed\n"));  // the report is printed even so
}

TEST_CASE("a stated verdict about the other side of the condition needs all states") {
  cli::Settings settings;
  settings.verdict_only = true;
  const cli::Session session{settings};
  CHECK(checked(session, mp("A", false, "Verdict=Allowed\n"))->ask == engine::Ask::verdict);
  CHECK(checked(session, mp("A", false, "Verdict=Required\n"))->ask == engine::Ask::states);
  const std::string forall = "forall (P1:r0 == 1)";
  CHECK(checked(session, mp("A", false, "Verdict=Required\n", forall))->ask == engine::Ask::verdict);
  CHECK(checked(session, mp("A", false, "Verdict=Allowed\n", forall))->ask == engine::Ask::states);
  CHECK(checked(session, mp("A", false, "", forall))->judgement.answer == report::Answer::not_required);
}

TEST_CASE("what goes wrong before a report") {
  cli::Options options;
  CHECK(cli::bad_input(options, "x", "x:1:1: error: y\n").messages == "x:1:1: error: y\n");
  CHECK(cli::bad_input(options, "x", "y").status == cli::Status::input);
  CHECK(cli::failed(options, "x", "y").messages == "x: internal error: y\n");
  CHECK(cli::failed(options, "x", "y").status == cli::Status::failure);
  CHECK(cli::failed(options, "x", "y").output == "");
  options.format = cli::Format::json;
  CHECK(cli::failed(options, "x", "y").output == "{\"file\":\"x\",\"error\":\"internal error: y\"}\n");
}
