// SPDX-License-Identifier: Apache-2.0
#include "face/cli/present.h"

#include <doctest/doctest.h>

#include <memory>

#include "../contains.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

std::shared_ptr<session::Analysis> checked(const session::Session& session, const std::string& text) {
  return session::check_test(session, std::make_shared<const Source>(Source{"t.litmus", text}));
}

}  // namespace

TEST_CASE("a bug of ptxmc outweighs every verdict") {
  const session::Session session{session::Settings{}};
  const auto analysis = checked(session, mp("A", false, "Verdict=Forbidden\n"));
  const cli::Options options;
  CHECK(cli::present(session, options, analysis).status == cli::Status::unmet);
  analysis->problems.push_back("explicit finds the state 1:r0=0; and smt does not");
  const cli::TestReport report = cli::present(session, options, analysis);
  CHECK(report.status == cli::Status::failure);
  CHECK(report.tally == cli::Tally::failed);
  CHECK(
      report.messages.find("t.litmus: internal error: explicit finds the state 1:r0=0; and smt does not\n") !=
      std::string::npos);
  CHECK(report.output.starts_with("Test A Allowed\n"));  // the report is printed even so
}

TEST_CASE("a stated verdict about the other side of the condition needs all states") {
  session::Settings settings;
  settings.verdict_only = true;
  const session::Session session{settings};
  CHECK(checked(session, mp("A", false, "Verdict=Allowed\n"))->ask == engine::Ask::verdict);
  CHECK(checked(session, mp("A", false, "Verdict=Required\n"))->ask == engine::Ask::states);
  const std::string forall = "forall (P1:r0 == 1)";
  CHECK(checked(session, mp("A", false, "Verdict=Required\n", forall))->ask == engine::Ask::verdict);
  CHECK(checked(session, mp("A", false, "Verdict=Allowed\n", forall))->ask == engine::Ask::states);
  CHECK(checked(session, mp("A", false, "", forall))->judgement.answer == explain::Answer::not_required);
}

namespace {

/// Store buffering around a ring: each thread sees the next one's store or does not, 2^threads - 1 states.
std::string ring(int threads) {
  std::string text = "PTX Ring\n{\n", seen = "locations [";
  for (int i = 0; i < threads; ++i) text += " .global .u32 x" + std::to_string(i) + " = 0;\n";
  text += "}\n";
  for (int i = 0; i < threads; ++i) {
    text += "P" + std::to_string(i) + " @ cta " + std::to_string(i) + " { st.relaxed.gpu.global.u32 [x" +
            std::to_string(i) + "], 1; ld.relaxed.gpu.global.u32 %r0, [x" +
            std::to_string((i + 1) % threads) + "]; }\n";
    seen += "P" + std::to_string(i) + ":%r0; ";
  }
  return text + seen + "]\n";
}

/// With the least limit that decides the condition: how fast the machine is must not matter, and the limits are
/// far from what the list of a million states needs.
std::shared_ptr<session::Analysis> decided(session::Settings settings, const std::string& text) {
  std::shared_ptr<session::Analysis> out;
  for (const double seconds : {0.3, 1.0, 4.0, 16.0}) {
    settings.timeout = seconds;
    out = checked(session::Session{settings}, text);
    if (out->judgement.answer != explain::Answer::unknown) break;
  }
  return out;
}

}  // namespace

TEST_CASE("a list of states that does not end leaves the condition decided") {
  const std::string text = ring(20);
  session::Settings settings;
  for (const auto engine : {session::EngineChoice::explicit_, session::EngineChoice::smt}) {
    settings.engine = engine;
    const auto never = decided(settings, text + "exists (P0:%r0 == 2)\n");
    CHECK_FALSE(never->decision.result.complete);
    CHECK(never->judgement.answer == explain::Answer::forbidden);
    const auto always = decided(settings, text + "forall (P0:%r0 <= 1)\n");
    CHECK_FALSE(always->decision.result.complete);
    CHECK(always->judgement.answer == explain::Answer::required);
    // The last state in the order of the search: listed late, asked for at once
    const auto once = decided(settings, text + "exists (P0:%r0 == 1 /\\ P19:%r0 == 1 /\\ P7:%r0 == 0)\n");
    CHECK(once->judgement.answer == explain::Answer::allowed);
    CHECK(once->judgement.positive >= 1);
  }
}

TEST_CASE("Observation says Never and Always of known answers alone") {
  const session::Session session{session::Settings{}};
  const cli::Options options;
  const auto analysis = checked(session, mp("A", false));
  const auto observation = [&](std::size_t positive, std::size_t negative, std::optional<bool> some,
                               std::optional<bool> all) {
    analysis->judgement.positive = positive;
    analysis->judgement.negative = negative;
    analysis->judgement.some = some;
    analysis->judgement.all = all;
    const std::string text = cli::present(session, options, analysis).output;
    const std::size_t at = text.find("Observation A ") + 14;
    return text.substr(at, text.find(' ', at) - at);
  };
  CHECK(observation(1, 2, true, false) == "Sometimes");
  CHECK(observation(0, 2, false, false) == "Never");
  CHECK(observation(0, 2, std::nullopt, false) == "Unknown");
  CHECK(observation(2, 0, true, true) == "Always");
  CHECK(observation(2, 0, true, std::nullopt) == "Unknown");
  CHECK(observation(0, 0, false, true) == "Unknown");
}

TEST_CASE("a verdict over no execution counts as unknown unless the file says that it is meant") {
  const session::Session session{session::Settings{}};
  const cli::Options options;
  const auto status = [&](const std::string& verdict, const std::string& condition) {
    return cli::present(session, options, checked(session, mp("A", true, verdict, condition))).status;
  };
  const std::string none = "filter (P1:r0 == 7)\nforall (P1:r0 == 0)";
  const std::string some = "filter (P1:r0 == 1)\nforall (P1:r1 == 1)";
  CHECK(status("", none) == cli::Status::unknown);
  CHECK(status("Verdict=Required\n", none) == cli::Status::unknown);
  CHECK(status("Verdict=Forbidden\n", none) == cli::Status::unknown);
  CHECK(status("Verdict=Unknown\n", none) == cli::Status::unknown);
  CHECK(status("Verdict=RaceFree\n", none) == cli::Status::unknown);
  CHECK(status("Verdict=Required Vacuous\n", none) == cli::Status::ok);
  CHECK(status("Verdict=Allowed Vacuous\n", none) == cli::Status::unmet);
  CHECK(status("Verdict=Vacuous\n", none) == cli::Status::ok);
  CHECK(status("Verdict=Required\n", some) == cli::Status::ok);
  CHECK(status("Verdict=Required RaceFree\n", some) == cli::Status::ok);
  CHECK(status("Verdict=Required Vacuous\n", some) == cli::Status::unmet);
}

TEST_CASE("what goes wrong before a report") {
  cli::Options options;
  Diagnostics wrong(std::make_shared<const Source>(Source{"x", "ab\n"}));
  wrong.error({1, 2, 1}, "y");
  const InputError error(wrong);
  CHECK(cli::bad_input(options, "x", error).messages == error.what());
  CHECK(cli::bad_input(options, "x", error).status == cli::Status::input);
  CHECK(cli::failed(options, "x", "y").messages == "x: internal error: y\n");
  CHECK(cli::failed(options, "x", "y").status == cli::Status::failure);
  CHECK(cli::failed(options, "x", "y").output == "");
  options.format = cli::Format::json;
  CHECK(cli::failed(options, "x", "y").output ==
        "{\"version\":1,\"verb\":\"check\",\"file\":\"x\",\"errors\":[{\"severity\":\"error\",\"message\":"
        "\"internal "
        "error: y\"}]}\n");
  CHECK(contains(cli::bad_input(options, "x", error).output,
                 R"({"severity":"error","file":"x","line":1,"column":2,"length":1,"message":"y"})"));
}
