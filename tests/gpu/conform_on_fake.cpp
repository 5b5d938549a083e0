// SPDX-License-Identifier: Apache-2.0
// `ptxmc conform`, end to end, on a driver that only pretends: it deals out all outcomes of two bits, which some tests allow
// and others forbid.
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

using namespace ptxmc::testing;
using Json = nlohmann::json;

namespace {

constexpr const char* kSuite = "suite/conformance.suite";
const Environment kFast = {{"PTXMC_FAKE_LAUNCH_MS", "5"}};

void copy(const Folder& folder, const std::string& from, const std::string& to) {
  std::filesystem::create_directories(std::filesystem::path(folder.at(to)).parent_path());
  std::filesystem::copy(PTXMC_LITMUS "/" + from, folder.at(to));
}

/// A suite whose tests allow all that the driver deals out.
void make_right(const Folder& folder) {
  for (const char name : std::string("ABCD")) folder.test(std::string(1, name), "suite/plain");
  folder.file(kSuite,
              "# tests\nsuite 7 ptx-9.4\nplain/A | 8.7, 8.9.5 | Causality\nplain/B | 8.9.5 | Causality\n"
              "plain/C | 8.10.5 |\nplain/D | |\n");
}

/// The same with a test that forbids one of them, and one that needs another GPU.
void make_wrong(const Folder& folder) {
  make_right(folder);
  copy(folder, "classic/CoRR+relaxed.gpu.litmus", "suite/more/CoRR.litmus");
  copy(folder, "tcgen05/6.4.1-mma-mma.litmus", "suite/more/T.litmus");
  folder.file(kSuite, folder.text(kSuite) + "more/CoRR | 8.10.5 | SCPerLocation\nmore/T | 9.7.16 |\n");
}

std::vector<std::string> conform(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"conform", "--suite", "suite"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json certificate(const Folder& folder, const std::string& file) {
  return Json::parse(folder.text(file));
}

}  // namespace

TEST_CASE("a GPU that shows only what is allowed") {
  const Folder folder;
  make_right(folder);
  const Ran ran = run_program(folder, conform({"--time", "1", "--html", "page.html"}), kFast);
  CHECK(ran.status == 0);
  CHECK(ran.err == "");
  CHECK(ran.out.starts_with(
      "No forbidden outcome was observed in 4 tests that ran on Fake GPU (sm_90), driver 13.0.\n"
      "Model ptx-9.4: chapter 8 of the manual of PTX ISA 9.4\nSuite version 7, 4 tests\n"));
  CHECK(has(ran.out, "\n8.7                     1     1        4      4           0               0     0"));
  CHECK(has(ran.out, "\n8.9.5                   2     2        8      8           0               0     0"));
  CHECK(ran.out.find("\n8.9.5 ") < ran.out.find("\n8.10.5 "));
  CHECK(has(ran.out, "\ngpu                     4     4       16     16           0               0     0"));
  CHECK_FALSE(has(ran.out, "asynchronous"));
  CHECK(has(folder.text("page.html"), "By sections of the manual"));

  const Ran again = run_program(folder, conform({"--time", "1", "-f", "json", "-o", "again.json"}), kFast);
  CHECK(again.status == 0);  // the campaign is over: the certificate is of the same outcomes
  CHECK(certificate(folder, "again.json")["total"]["ran"] == 4);
}

TEST_CASE("a GPU that shows what is forbidden: the status, the rate and the reason") {
  const Folder folder;
  make_wrong(folder);
  const Ran ran = run_program(folder, conform({"--time", "1", "-f", "json", "-o", "c.json"}), kFast);
  CHECK(ran.status == 1);
  const Json found = certificate(folder, "c.json");
  CHECK(found["suite"] == 7);
  CHECK(found["total"]["tests"] == 6);
  CHECK(found["total"]["ran"] == 5);
  CHECK(found["total"]["violations"] == 1);
  CHECK(found["coverage"]["axiom"]["SCPerLocation"]["forbidden"] == 1);
  CHECK(found["coverage"]["axiom"]["Causality"]["forbidden"] == 0);
  CHECK(found["coverage"]["asynchronous"]["tcgen05"]["ran"] == 0);
  CHECK(found["coverage"]["proxy"]["async"]["tests"] == 1);
  CHECK(found["tests"][4]["test"] == "CoRR+relaxed.gpu");
  CHECK(found["tests"][4]["file"] == "more/CoRR");
  CHECK(found["tests"][5]["course"] == "skipped");
  CHECK(has(found["tests"][5]["why"].get<std::string>(), "sm_100"));

  const Ran text = run_program(folder, {"conform", "--from", "c.json", "-q"});
  CHECK(text.status == 1);
  CHECK(text.out.starts_with(
      "FORBIDDEN outcomes were observed in 1 tests of 5 that ran on Fake GPU (sm_90), driver 13.0.\n"));
  CHECK(has(text.out, "1 tests cannot run here\n"));
  CHECK(has(text.out, "Forbidden 1:r0=1; 1:r1=0; in "));
  CHECK(has(text.out, " a second\nAxioms of this test: SCPerLocation. Sections: 8.10.5\n"));
  CHECK(has(text.out, "Forbidden under ptx-9.4 by SCPerLocation (8.10.5)"));
  CHECK_FALSE(has(text.out, "never seen"));
}

TEST_CASE("an interpretation by which the outcome is allowed") {
  const Folder folder;
  folder.file(kSuite, "suite 1 ptx-9.4\nCoRR | |\n");
  copy(folder, "classic/CoRR+relaxed.gpu.litmus", "suite/CoRR.litmus");
  CHECK(run_program(folder, conform({"--time", "0.5", "-q"}), kFast).status == 1);
  CHECK(run_program(folder, conform({"--log", "ptxmc-conform.jsonl", "-q"})).status == 1);
  folder.file("weaker.cat", "PTX\nacyclic po as Order\n");
  const Ran weaker = run_program(folder, conform({"--log", "ptxmc-conform.jsonl", "--model", "weaker.cat"}));
  CHECK(weaker.status == 0);
  CHECK(has(weaker.out, "Model weaker.cat: a model of the user's"));
}

TEST_CASE("shards, and one certificate of their files") {
  const Folder folder;
  make_right(folder);
  std::vector<std::string> logs;
  std::size_t ran = 0;
  for (const char* i : {"1", "2"}) {
    const std::string shard = std::string(i) + "/2", file = std::string("ptxmc-conform-") + i + "-of-2.jsonl";
    const Ran one = run_program(
        folder, conform({"--time", "0.5", "--shard", shard, "-f", "json", "-o", "one.json"}), kFast);
    CHECK((one.status == 0 || one.status == 3));  // a share may be empty
    const Json found = certificate(folder, "one.json");
    CHECK(found["shard"] == shard);
    ran += found["total"]["ran"].get<std::size_t>();
    logs.insert(logs.end(), {"--log", file});
  }
  CHECK(ran == 4);
  const Ran half = run_program(folder, conform({logs[0], logs[1]}));
  const Ran all = run_program(folder, conform(logs));
  CHECK(half.status == 3);
  CHECK(has(half.out, " tests have not begun\n"));
  CHECK(all.status == 0);
  CHECK(has(all.out, "observed in 4 tests that ran"));
}

TEST_CASE("two certificates") {
  const Folder folder;
  make_right(folder);
  REQUIRE(run_program(folder, conform({"--time", "0.5", "-f", "json", "-o", "right.json", "--results", "r"}),
                      kFast)
              .status == 0);
  make_wrong(folder);
  const Ran ran = run_program(
      folder, conform({"--time", "0.5", "--results", "w", "--against", "right.json", "-q"}), kFast);
  CHECK(ran.status == 1);
  CHECK(
      has(ran.out,
          "Against Fake GPU (sm_90), driver 13.0 (suite version 7, model ptx-9.4): 4 tests ran in both.\n"));
  CHECK(has(ran.out, "1 tests ran here alone:\n  CoRR+relaxed.gpu\n"));
  CHECK(has(ran.out, "The same states were seen in both.\n"));
  Json other = certificate(folder, "right.json");
  other["tests"][1]["states"][2]["count"] = 0;
  other["tests"][1]["states"][2]["standing"] = "unseen";
  other["tests"][2]["hash"] = "0";
  folder.file("other.json", other.dump());
  const Ran less =
      run_program(folder, {"conform", "--from", "right.json", "--against", "other.json", "-f", "json"});
  CHECK(less.status == 0);
  const Json against = Json::parse(less.out)["against"];
  CHECK(against["both"] == 3);
  CHECK(against["changed"] == Json::array({"C"}));
  REQUIRE(against["differences"].size() == 1);
  CHECK(against["differences"][0]["test"] == "B");
  CHECK(against["differences"][0]["other_count"] == 0);
}

TEST_CASE("tests that hang or fail leave it open; an interrupted run goes on") {
  const Folder folder;
  make_right(folder);
  Environment trouble = kFast;
  trouble["PTXMC_FAKE_TROUBLE"] = "A=blocked,B=jit";
  const Ran ran = run_program(
      folder, conform({"--time", "3", "--patience", "0.1", "-q", "-f", "json", "-o", "c.json"}), trouble);
  CHECK(ran.status == 3);
  const Json found = certificate(folder, "c.json");
  CHECK(found["tests"][0]["course"] == "hung");
  CHECK(found["tests"][1]["course"] == "failed");
  CHECK(found["total"]["ran"] == 2);

  Program program(folder, conform({"--time", "60", "--results", "long"}), kFast);
  REQUIRE(program.says("\"test\":\"B\"", "long"));
  program.signal_group(SIGINT);
  const Ran cut = program.finish();
  CHECK(cut.status == 3);
  CHECK(cut.out == "");
  CHECK(has(cut.err, "interrupted: the same command goes on from here\n"));
}

TEST_CASE("no GPU, and lists that are wrong") {
  const Folder folder;
  make_right(folder);
  const Ran none = run_program(folder, conform({}), {{"PTXMC_FAKE_GPUS", "0"}});
  CHECK(none.status == 2);
  CHECK(none.out == "");
  CHECK(has(none.err, "needs a GPU and its driver"));
  const auto refused = [&](const std::string& list, const std::string& why) {
    folder.file(kSuite, list);
    const Ran ran = run_program(folder, conform({}), kFast);
    CHECK(ran.status == 2);
    CHECK(has(ran.err, why));
  };
  refused("", "expected `suite VERSION MODEL`");
  refused("suite one ptx-9.4\n", "suite/conformance.suite:1:1: error: expected `suite VERSION MODEL`");
  refused("suite 1 ptx-9.4\n", "the suite has no tests");
  refused("suite 1 ptx-9.4\n\nplain/A 8.7\n",
          "suite/conformance.suite:3:1: error: expected `NAME | SECTION, ... | AXIOM ...`");
  refused("suite 1 ptx-9.4\nplain/Z | |\n", "there is no test 'suite/plain/Z.litmus'");
  CHECK(has(run_program(folder, {"conform", "--suite", "nowhere"}).err, "nowhere/conformance.suite"));
  folder.file("other.json", "{}");
  CHECK(has(run_program(folder, {"conform", "--from", "other.json"}).err,
            "'other.json': this is no certificate of `ptxmc conform`"));
}
