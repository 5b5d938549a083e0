// SPDX-License-Identifier: Apache-2.0
// What `verify` says of runs: findings of one cause, severities, claims, and the forms in which they are written.
#include "report/html/verify.h"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "../contains.h"
#include "dynamic/claim/claim.h"
#include "dynamic/exec/run.h"
#include "dynamic/shadow/detector.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/coverage.h"
#include "explain/verify/findings.h"
#include "finding/rules.h"
#include "input/litmus/parse.h"
#include "report/json/verify.h"
#include "report/sarif/sarif.h"
#include "support/diagnostic.h"

namespace ptxmc::report {

using namespace explain;
namespace {

using nlohmann::json;
using ptxmc::testing::contains;

/// A litmus test, run and looked at.
struct Ran {
  litmus::Test test;
  trace::Detector detector;
  exec::Run run;
  claim::VerifyResult verified;

  explicit Ran(const std::string& threads, const std::string& name = "T")
      : test(litmus::parse(std::make_shared<const Source>(
            Source{"t.litmus", "PTX " + name + "\n{ x=0; y=0; z=0; }\n" + threads + "exists (true)\n"}))),
        run(test, &detector) {
    verified.name = test.name;
    verified.program = &test;
    verified.run = &run;
    verified.outcome = run.run({});
    verified.findings = detector.findings();
  }

  /// Lines of k.cu that lines of the test were compiled from.
  void compiled(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& lines) {
    auto origins = std::make_shared<Origins>();
    const Origins::File file = origins->file("k.cu");
    for (const auto& [line, from] : lines) origins->add(line, origins->frame(file, from, 5, std::nullopt));
    test.origins = std::move(origins);
  }
  /// The site of the instruction in a line.
  trace::Site site(std::uint32_t line) const {
    for (trace::Site site = 0; site < run.sites(); ++site) {
      if (run.instruction(site).position.line == line) return site;
    }
    FAIL("no instruction there");
    return 0;
  }
  trace::Finding& add(finding::RuleId rule, std::uint32_t first, std::uint32_t second) {
    trace::Finding finding;
    finding.rule = rule;
    finding.first = {site(first), 0, trace::Effect::write};
    finding.second = {site(second), 0, trace::Effect::read};
    return verified.findings.emplace_back(finding);
  }
};

const char* const kOneRead =
    "P0 @ cta 0, warp 0 {\n st.weak.b32 [x], 1;\n st.weak.b32 [x], 2;\n}\n"  // lines 4, 5
    "P1 @ cta 0, warp 1 {\n ld.weak.b32 r0, [x];\n}\n";                      // line 8
const char* const kTwoReads =
    "P0 @ cta 0, warp 0 {\n st.weak.b32 [x], 1;\n st.weak.b32 [y], 2;\n}\n"     // lines 4, 5
    "P1 @ cta 0, warp 1 {\n ld.weak.b32 r0, [x];\n ld.weak.b32 r1, [y];\n}\n";  // lines 8, 9
const char* const kNothing = "P0 @ cta 0, warp 0 {\n st.weak.b32 [x], 1;\n}\n";

}  // namespace

TEST_CASE("findings of one cause are one") {
  const Ran apart(kTwoReads);
  REQUIRE(apart.verified.findings.size() == 2);
  CHECK(findings_of(apart.verified).size() == 2);
  CHECK(representatives(apart.verified).size() == 2);

  Ran shared(kTwoReads);  // an instruction of both
  shared.verified.findings.clear();
  shared.add(finding::RuleId::race, 4, 8);
  shared.add(finding::RuleId::race, 5, 8).instances = 3;
  const std::vector<Finding> one = findings_of(shared.verified);
  REQUIRE(one.size() == 1);
  CHECK(one.front().instances == 4);
  CHECK(one.front().pairs.size() == 2);
  CHECK(one.front().places.size() == 3);
  CHECK(one.front().number == 0U);

  // Another rule, or another thing that is missing, is another cause.
  shared.verified.findings.back().rule = finding::RuleId::proxy_race;
  CHECK(findings_of(shared.verified).size() == 2);
  shared.verified.findings.back().rule = finding::RuleId::race;
  shared.verified.findings.back().cause.missing = trace::Missing::wait;
  CHECK(findings_of(shared.verified).size() == 2);
}

TEST_CASE("strong accesses race by their scopes, and that is said (8.7.1)") {
  const auto cause = [](const std::string& first, const std::string& second) {
    const Ran ran("P0 @ cta 0, warp 0 {\n " + first + "\n}\nP1 @ cta 1, warp 0 {\n " + second + "\n}\n");
    const std::vector<Finding> found = findings_of(ran.verified);
    return found.empty() ? std::string() : found.front().cause.front();
  };
  const std::string cta = "atom.relaxed.cta.add.u32 r0, [x], 1;",
                    gpu = "atom.relaxed.gpu.add.u32 r0, [x], 1;";
  CHECK(contains(cause(cta, gpu), "the scope of one does not include"));
  CHECK(contains(cause(cta, cta), "the scope of one does not include"));
  CHECK(cause(gpu, gpu).empty());
  CHECK(contains(cause(gpu, "st.weak.u32 [x], 7;"), "nothing orders them"));
}

TEST_CASE("an instruction that two threads race at is told of both") {
  Ran ran(kTwoReads);
  ran.verified.findings.clear();
  ran.add(finding::RuleId::race, 4, 4).second = {ran.site(4), trace::kLanes, trace::Effect::write};
  ran.add(finding::RuleId::race, 4, 5);  // one more pair of the same cause: what it shares is there already
  const std::vector<Finding> one = findings_of(ran.verified);
  REQUIRE(one.size() == 1);
  REQUIRE(one.front().places.size() == 3);
  CHECK(one.front().places[0].who == "P0");
  CHECK(one.front().places[1].who == "P1");
  CHECK(one.front().pairs[0].first == 0U);
  CHECK(one.front().pairs[0].second == 1U);
  CHECK(one.front().pairs[1].second == 2U);

  ran.verified.findings.front().second.thread = 0;  // of one thread: a copy under way, and the next one
  CHECK(findings_of(ran.verified).front().places.size() == 2);
}

TEST_CASE("findings about mbarrier objects that one instruction made are one") {
  Ran ran(kTwoReads);
  ran.verified.findings.clear();
  ran.add(finding::RuleId::wait_overtaken, 4, 8).family = ran.site(4);
  ran.add(finding::RuleId::wait_overtaken, 5, 9).family = ran.site(4);
  CHECK(findings_of(ran.verified).size() == 1);
  ran.verified.findings.back().family = ran.site(5);
  CHECK(findings_of(ran.verified).size() == 2);
  ran.verified.findings.back().family.reset();
  CHECK(findings_of(ran.verified).size() == 2);
}

TEST_CASE("copies that a compiler made of two lines are one finding") {
  Ran ran(kTwoReads);
  ran.compiled({{4, 1}, {5, 1}, {8, 2}, {9, 2}});
  CHECK(findings_of(ran.verified).size() == 1);
  ran.compiled({{4, 1}, {5, 1}, {8, 2}, {9, 3}});  // one line in common is not enough
  CHECK(findings_of(ran.verified).size() == 2);
  ran.compiled({{4, 1}, {5, 1}});  // nor is one that is unknown
  CHECK(findings_of(ran.verified).size() == 2);
}

TEST_CASE("errors come first, and what is left open bounds the claim") {
  Ran ran(kNothing);
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::proven);
  CHECK(claim_text(ran.verified, claim::claim_of(ran.verified))
            .starts_with("no race, deadlock or barrier misuse in any schedule of this test: "));
  ran.add(finding::RuleId::equal_bytes, 4, 4);
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::proven);
  ran.add(finding::RuleId::phase_not_confluent, 4, 4);
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::incomplete);
  CHECK(open_texts(ran.verified, claim::claim_of(ran.verified)) ==
        std::vector<std::string>{"an arrival may count to another phase of its mbarrier object"});
  CHECK(claim_text(ran.verified, claim::claim_of(ran.verified)) ==
        "incomplete: no error found, and other schedules are not covered");
  ran.add(finding::RuleId::cross_proxy_war, 4, 4);
  CHECK(open_texts(ran.verified, claim::claim_of(ran.verified)).front() == "there are warnings");
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::incomplete);
  const auto severities = [&] {
    std::vector<Severity> out;
    for (const Finding& finding : findings_of(ran.verified)) out.push_back(finding.severity);
    return out;
  };
  CHECK(severities() == std::vector<Severity>{Severity::warning, Severity::note, Severity::note});
  ran.add(finding::RuleId::race, 4, 4);  // that the writes may be equal is no news then
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::violated);
  CHECK(severities() == std::vector<Severity>{Severity::error, Severity::warning, Severity::note});
}

TEST_CASE("every rule has words") {
  for (const finding::Rule& rule : finding::rules()) {
    if (rule.kind == finding::Kind::answer) continue;
    Ran ran(kOneRead);
    ran.verified.findings.clear();
    ran.add(rule.id, 4, 8);
    const Finding finding = findings_of(ran.verified).front();
    CAPTURE(finding.name);
    CHECK(!finding.cause.empty());
    CHECK(!finding.section.empty());
    CHECK(finding.severity == rule.severity);
    for (const std::string& advice : finding.advice) CHECK(advice.find('{') == std::string::npos);
  }
}

TEST_CASE("what was left out, and where a run ended, bounds the claim") {
  Ran ran(kNothing);
  const auto only = [&] {
    const std::vector<std::string> limits = open_texts(ran.verified, claim::claim_of(ran.verified));
    CHECK(claim::verdict_of(ran.verified) == claim::Verdict::incomplete);
    return limits.size() == 1 ? limits.front() : "";
  };
  ran.verified.ctas = {0, 3};
  ran.verified.of_ctas = 8;
  CHECK(only() == "only block 0, 3 of 8 ran, as all are more than run together");
  ran.verified.all_can_run = true;
  CHECK(only() == "only block 0, 3 of 8 ran (--cta all runs all)");
  ran.verified.ctas.clear();
  ran.verified.orders = false;
  CHECK(only() == "no ordering was checked (--no-orders)");
  CHECK(claim_text(ran.verified, claim::claim_of(ran.verified)) ==
        "incomplete: nothing found, and other schedules are not covered");
  ran.verified.orders = true;
  using exec::End;
  const std::array<std::pair<End, const char*>, 4> ends = {{{End::out_of_steps, "--steps ended the run"},
                                                            {End::out_of_time, "--timeout ended the run"},
                                                            {End::out_of_memory, "--memory ended the run"},
                                                            {End::stopped, "the run was interrupted"}}};
  for (const auto& [end, words] : ends) {
    ran.verified.outcome.end = end;
    CHECK(only() == words);
  }
  ran.verified.outcome.end = End::finished;
  const auto data = bit(exec::Source::data), timing = bit(exec::Source::timing);
  ran.verified.outcome.decisions = {{ran.site(4), exec::Decided::control, timing, false}};
  CHECK(only() == "the branch at line 4 depends on scheduling");
  ran.verified.outcome.decisions.front().sources = static_cast<exec::Sources>(data | timing);
  CHECK(only() == "the branch at line 4 depends on buffer contents and scheduling");
  ran.verified.outcome.decisions.front().what = exec::Decided::address;
  CHECK(only() == "the address at line 4 depends on buffer contents and scheduling");
}

TEST_CASE("a hang that a CTA may end that did not run is none") {
  Ran ran(kNothing);
  ran.verified.outcome.end = exec::End::deadlock;
  ran.verified.outcome.waiting = {{ran.site(4), "a change of memory, in a loop", true, false, {0}}};
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::violated);
  CHECK(findings_of(ran.verified).front().name == "hang");
  ran.verified.ctas = {0};
  ran.verified.of_ctas = 2;
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::incomplete);
  CHECK(contains(open_texts(ran.verified, claim::claim_of(ran.verified)).back(),
                 "waits at line 4, and a block that did not run may end that wait"));
}

TEST_CASE("an access behind a buffer says what would be enough") {
  Ran ran(kNothing);
  exec::Fault fault;
  fault.rule = finding::RuleId::out_of_bounds;
  fault.site = ran.site(4);
  fault.what = "4 bytes at a+64, of 64 bytes";
  fault.object = "a";
  fault.bytes = 64;
  fault.enough = 192;
  fault.instances = 32;
  ran.verified.outcome.faults = {fault};
  ran.verified.sizes = {{"a", "argument 2: buffer:"}};
  const Finding finding = findings_of(ran.verified).front();
  CHECK(finding.cause.front() ==
        "access out of bounds: 4 bytes at a+64, of 64 bytes, up to 128 bytes too far");
  CHECK(finding.advice.front() == "correct the index, or allocate more: argument 2: buffer:192 at least");
  ran.verified.outcome.faults.front().object.clear();
  CHECK(contains(findings_of(ran.verified).front().advice.front(), "an address in a buffer"));
}

TEST_CASE("of a kernel that starts early, what would have kept it waiting") {
  const auto advised = [](const std::string& depends) {
    const Ran ran("kernels {\n K0: P0;\n K1: P1" + depends +
                  ";\n}\n"
                  "P0 @ cta 0 {\n st.weak.b32 [x], 1;\n griddepcontrol.launch_dependents;\n}\n"
                  "P1 @ cta 0 {\n ld.weak.b32 r0, [x];\n}\n");
    const std::vector<Finding> findings = findings_of(ran.verified);
    return findings.empty() ? "nothing" : findings.front().advice.front();
  };
  CHECK(contains(advised(", programmatic after K0"),
                 "cudaGridDependencySynchronize() before the second access"));
  CHECK(advised(", after K0") == "nothing");
  CHECK(contains(advised(""), "in one stream, or after an event (cudaStreamWaitEvent)"));
}

TEST_CASE("groups of copies are waited for by their thread, and another one must be told") {
  const auto advised = [](trace::Thread reader) {
    Ran ran(
        "P0 @ cta 0, warp 0 {\n cp.async.ca.shared.global [y], [x], 4;\n ld.weak.b32 r0, [y];\n}\n"
        "P1 @ cta 0, warp 1 {\n ld.weak.b32 r0, [z];\n}\n");
    ran.verified.outcome.faults.clear();  // y is no shared memory
    trace::Finding& race = ran.add(finding::RuleId::race, 4, 5);
    race.cause.missing = trace::Missing::wait;
    race.first.operation = true;
    race.second.thread = reader;
    return findings_of(ran.verified).front().advice.front();
  };
  CHECK(contains(advised(trace::kLanes), "then `__syncthreads()`, before the second access"));
  CHECK(contains(advised(0), "cp.async.wait_group"));
  CHECK(!contains(advised(0), "__syncthreads"));
}

TEST_CASE("the engine's denial is not believed where phases are doubtful") {
  Ran ran(kOneRead);
  ran.verified.exact[0].races = false;
  CHECK(findings_of(ran.verified).front().exact->races == false);
  ran.add(finding::RuleId::stale_poll, 4, 4);
  const Finding finding = findings_of(ran.verified).front();
  CHECK(!finding.exact->races);
  CHECK(contains(finding.exact->why, "other phases"));
}

TEST_CASE("SARIF 2.1.0: what it requires") {
  Sarif sarif("1.2.3", {});
  const Ran first(kOneRead), second(kTwoReads), third(kNothing);
  for (const Ran* ran : {&first, &second, &third}) sarif.add(verify_json(ran->verified));
  const json log = json::parse(sarif.print());
  CHECK(log["version"] == "2.1.0");  // 3.13.2
  CHECK(contains(log["$schema"].get<std::string>(), "sarif-2.1.0"));
  REQUIRE(log["runs"].size() == 1);
  const json& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "ptxmc");  // 3.14.6, 3.18.2, 3.19.8
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
  std::set<std::string> rules;
  for (const json& rule : run["tool"]["driver"]["rules"])
    CHECK(rules.insert(rule["id"].get<std::string>()).second);  // 3.19.23: each once
  REQUIRE(run["results"].size() == 3);
  for (const json& result : run["results"]) {
    CHECK(rules.contains(result["ruleId"].get<std::string>()));
    CHECK(std::set<std::string>{"none", "note", "warning", "error"}.contains(
        result["level"].get<std::string>()));
    CHECK(!result["message"]["text"].get<std::string>().empty());  // 3.27.11
    CHECK(result["occurrenceCount"].get<int>() >= 1);
    REQUIRE(result["locations"].size() == 1);
    for (const char* list : {"locations", "relatedLocations"}) {
      for (const json& location : result[list]) {
        const json& place = location["physicalLocation"];
        CHECK(place["artifactLocation"]["uri"] == "t.litmus");
        CHECK(place["region"]["startLine"].get<int>() >= 4);  // 3.30.5: from 1
        CHECK(place["region"]["startColumn"].get<int>() >= 1);
        CHECK(!place["region"]["snippet"]["text"].get<std::string>().empty());
        CHECK(!location["message"]["text"].get<std::string>().empty());
      }
    }
  }
  const json none = json::parse(Sarif("1", {}).print());
  CHECK(none["runs"][0]["results"].is_array());  // 3.14.23: nothing found is not nothing known
}

TEST_CASE("SARIF of verdicts, errors and unknown answers, and without what is left out") {
  const std::string lines =
      R"({"file": "a b.litmus", "test": "T", "stated": {"verdict": "Forbidden", "met": false, "found": "Allowed", "file": "a b.litmus", "line": 3, "column": 1}, "findings": []})"
      "\n"
      R"({"file": "c.litmus", "errors": [{"severity": "error", "file": "c.litmus", "line": 4, "column": 2, "length": 5, "message": "m"}]})"
      "\n"
      R"({"file": "d.litmus", "test": "U", "answer": "Unknown", "unknown": "timeout"})"
      "\n"
      R"({"file": "e.litmus", "findings": [{"rule": "race", "severity": "error", "stated": true, "places": [{"thread": 1, "line": 2, "column": 3, "text": "st x, 1"}]}]})"
      "\n";
  Sarif all("1", {});
  all.add(lines);
  const json results = json::parse(all.print())["runs"][0]["results"];
  REQUIRE(results.size() == 4);
  CHECK(results[0]["ruleId"] == "verdict");
  CHECK(results[0]["message"]["text"] == "T: stated Forbidden, found Allowed");
  const json& place = results[0]["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "a%20b.litmus");  // 3.4.3: a URI reference
  CHECK(place["region"]["startLine"] == 3);
  CHECK(results[1]["ruleId"] == "input");
  CHECK(results[1]["locations"][0]["physicalLocation"]["region"]["endColumn"] == 7);
  CHECK(results[2]["kind"] == "open");  // 3.27.9, and then no level but none (3.27.10)
  CHECK(results[2]["level"] == "none");
  CHECK(results[3]["suppressions"][0]["kind"] == "inSource");
  CHECK(results[3]["locations"][0]["message"]["text"] == "st x, 1 by P1");
  Sarif some("1", {{}, {"verdict", "unknown"}});
  some.add(lines);
  CHECK(json::parse(some.print())["runs"][0]["results"].size() == 3);  // what is unknown stays
  Sarif races("1", {{"race"}, {}});
  races.add(lines);
  const json run = json::parse(races.print())["runs"][0];
  REQUIRE(run["results"].size() == 3);  // bad input and unknown answers are no rules that are left out
  const json& rule = run["tool"]["driver"]["rules"].back();
  CHECK(rule["properties"]["section"] == "8.7.1");
  CHECK(!rule["help"]["text"].get<std::string>().empty());
}

TEST_CASE("what is left out bounds the claim, and is no finding") {
  Ran ran(kOneRead);
  ran.verified.selection.ignore = {"race"};
  CHECK(findings_of(ran.verified).empty());
  CHECK(claim::verdict_of(ran.verified) == claim::Verdict::incomplete);
  CHECK(contains(open_texts(ran.verified, claim::claim_of(ran.verified)).front(), "--ignore"));
  const finding::Selection never{{}, {}, std::nullopt};
  CHECK(!never.fails("race", Severity::error));
  const finding::Selection warnings{{}, {"race"}, Severity::warning};
  CHECK(!warnings.fails("race", Severity::error));
  CHECK(warnings.fails("proxy-race", Severity::warning));
  CHECK(!warnings.fails("proxy-race", Severity::note));
}

TEST_CASE("JSON of a run") {
  const Ran ran(kOneRead);
  const json report = json::parse(verify_json(ran.verified));
  CHECK(report["answer"] == "finding");
  CHECK(report["claim"]["exact"] == false);
  REQUIRE(report["findings"].size() == 1);
  CHECK(report["findings"][0]["rule"] == "race");
  CHECK(report["findings"][0]["pairs"].size() == 1);
  CHECK(json::parse(verify_json(Ran(kNothing).verified))["claim"]["exact"] == true);
}

}  // namespace ptxmc::report
