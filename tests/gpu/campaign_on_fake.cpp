// SPDX-License-Identifier: Apache-2.0
// `ptxmc run --campaign`, `--shard` and `compare --merge`, end to end, on a driver that only pretends.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "program.h"

using namespace ptxmc::testing;
using Json = nlohmann::json;

namespace {

constexpr const char* kFile = "ptxmc-campaign.jsonl";
const Environment kSlow = {{"PTXMC_FAKE_LAUNCH_MS", "5"}};

Environment trouble(const std::string& what) {
  Environment out = kSlow;
  out["PTXMC_FAKE_TROUBLE"] = what;
  return out;
}

std::vector<std::string> campaign(const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", "--campaign", "tests"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// All lines but the first, each of them whole.
std::vector<Json> records(const Folder& folder, const std::string& file = kFile) {
  std::vector<Json> out;
  std::istringstream lines(folder.text(file));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record["campaign"].contains("sweep")) out.push_back(record);
  }
  return out;
}

using Pair = std::pair<std::string, unsigned>;

/// (test, sweep) of every record; fails when one is there twice.
std::set<Pair> pairs(const std::vector<Json>& lines) {
  std::set<Pair> out;
  for (const Json& line : lines) {
    const bool fresh = out.insert({line.value("test", ""), line["campaign"]["sweep"].get<unsigned>()}).second;
    CHECK(fresh);
  }
  return out;
}

void make_tests(const Folder& folder, const std::string& names) {
  for (const char name : names) folder.test(std::string(1, name));
}

/// What compare says of states, without its rates.
std::string tables(const Ran& ran) {
  return ran.out.substr(0, ran.out.find("family"));
}

}  // namespace

TEST_CASE("a campaign sweeps over its folder, every test first a moment, then longer, from another seed") {
  const Folder folder;
  make_tests(folder, "ABCD");
  const Ran ran = run_program(folder, campaign({"--time", "2s"}), kSlow);
  CHECK(ran.status == 0);
  CHECK(ran.out == "");
  CHECK(has(ran.err,
            "ptxmc-campaign.jsonl: 4 tests ran, 0 skipped, 0 hung, 0 failed, 0 not yet begun; 2 sweeps, "));
  CHECK(has(ran.err, " 16 states, "));
  const auto lines = records(folder);
  CHECK(pairs(lines) ==
        std::set<Pair>{{"A", 0}, {"B", 0}, {"C", 0}, {"D", 0}, {"A", 1}, {"B", 1}, {"C", 1}, {"D", 1}});
  std::set<std::uint32_t> seeds;
  double wall = 0;
  for (const Json& line : lines) {
    seeds.insert(line["parameters"]["seed"].get<std::uint32_t>());
    wall += line["campaign"]["wall"].get<double>();
  }
  CHECK(seeds.size() == 2);
  CHECK(wall > 1.5);
  CHECK(wall < 4);
  CHECK(lines[0]["campaign"]["sweep"] == 0);
  CHECK(lines[3]["campaign"]["sweep"] == 0);
  CHECK(lines[4]["campaign"]["wall"].get<double>() > lines[0]["campaign"]["wall"].get<double>());

  const Ran again = run_program(folder, campaign({"--time", "2s"}), kSlow);
  CHECK(again.status == 0);
  CHECK(has(again.err, "nothing is left to do; with a longer --time it goes on\n"));
  CHECK(records(folder).size() == 8);
  const Ran longer = run_program(folder, campaign({"--time", "4s", "-q"}), kSlow);
  CHECK(longer.err == "");
  CHECK(pairs(records(folder)).count({"D", 2}) == 1);
}

TEST_CASE("a time that is too short still gives something of each test") {
  const Folder folder;
  make_tests(folder, "ABCDEF");
  CHECK(run_program(folder, campaign({"--time", "0.001"}), kSlow).status == 0);
  CHECK(pairs(records(folder)).size() == 6);
}

TEST_CASE("compiling does not take the time of the kernels, nor of another sweep") {
  const Folder folder;
  make_tests(folder, "ABC");
  Environment slow = kSlow;
  slow["PTXMC_FAKE_JIT_MS"] = "200";
  CHECK(run_program(folder, campaign({"--time", "1.5s"}), slow).status == 0);
  const std::vector<Json> lines = records(folder);
  CHECK(pairs(lines).contains({"A", 1}));
  for (const Json& line : lines) CHECK(line["seconds"].get<double>() >= 0.04);
}

TEST_CASE("compare on a campaign's file, and on what it was merged to") {
  const Folder folder;
  make_tests(folder, "ABC");
  CHECK(run_program(folder, campaign({"--time", "0.5"}), kSlow).status == 0);
  const Ran direct = run_program(folder, {"compare", "--log", kFile, "tests"});
  CHECK(direct.status == 0);
  CHECK(has(direct.out, "Allowed 4 Observed 4 Unseen 0 Forbidden 0"));
  for (const char* format : {"text", "json"}) {
    CHECK(run_program(folder, {"compare", "--merge", "-f", format, "-o", "merged", kFile}).status == 0);
    const Ran merged = run_program(folder, {"compare", "--log", "merged", "tests"});
    CHECK(merged.status == 0);
    CHECK(tables(merged) == tables(direct));
  }
}

TEST_CASE("Ctrl-C, and the same command again: no test twice in a sweep, none left out") {
  const Folder folder;
  make_tests(folder, "ABCDEFGH");
  const auto command = campaign({"--time", "4s"});
  {
    Program program(folder, command, kSlow);
    REQUIRE(program.says("\"test\":\"C\"", kFile));
    program.signal_group(SIGINT);
    const Ran ran = program.finish();
    CHECK(ran.status == 3);
    CHECK(has(ran.err, "interrupted: the same command goes on from here\n"));
    CHECK_FALSE(program.left_orphans());
  }
  const std::size_t before = records(folder).size();
  CHECK(before < 8);
  const Ran ran = run_program(folder, command, kSlow);
  CHECK(ran.status == 0);
  const auto all = pairs(records(folder));
  for (const char name : std::string("ABCDEFGH")) CHECK(all.count({std::string(1, name), 0}) == 1);
  CHECK(all.count({"A", 1}) == 1);
  CHECK(has(ran.err, "8 tests ran"));
}

TEST_CASE("a process that is killed leaves at most one record that is not whole, which is cut off") {
  const Folder folder;
  make_tests(folder, "ABCDEFGH");
  const auto command = campaign({"--time", "4s"});
  {
    Program program(folder, command, kSlow);
    REQUIRE(program.says("\"test\":\"C\"", kFile));
    program.signal(SIGKILL);
    CHECK(program.finish().signal == SIGKILL);
    CHECK_FALSE(program.left_orphans());
  }
  const std::string whole = folder.text(kFile);
  CHECK(whole.back() == '\n');
  for (const std::string& torn : {std::string(R"({"test":"D","file":"te)"), std::string(100, '\0') + "\n",
                                  std::string(64, '\0') + "\n" + R"({"camp)", std::string("\n")}) {
    folder.file(kFile, whole + torn);
    const Ran compared = run_program(folder, {"compare", "-q", "--log", kFile, "tests"});
    CHECK(compared.status == 0);
    const Ran ran = run_program(folder, campaign({"--time", "0.01"}), kSlow);
    CHECK(ran.status == 0);
    CHECK(has(ran.err, std::to_string(torn.size()) + " bytes of a record that was not whole are cut off"));
    CHECK(has(ran.err, "8 tests ran"));
    const auto lines = records(folder);
    CHECK(pairs(lines).size() == lines.size());
  }
  folder.file(kFile, R"({"campaign":{"ver)");  // the very first line
  CHECK(run_program(folder, campaign({"--time", "0.01"}), kSlow).status == 0);
  CHECK(records(folder).size() == 8);
}

TEST_CASE("a full disk ends it; what is there stays whole") {
  const Folder folder;
  make_tests(folder, "ABCDEFGH");
  Program program(folder, campaign({"--time", "0.01"}), kSlow, 3000);
  const Ran ran = program.finish();
  CHECK(ran.status == 2);
  CHECK(has(ran.err, "'ptxmc-campaign.jsonl': cannot write this file: File too large"));
  const std::size_t some = records(folder).size();
  CHECK(some > 0);
  CHECK(some < 8);
  CHECK(folder.text(kFile).back() == '\n');
  CHECK(run_program(folder, campaign({"--time", "0.01"}), kSlow).status == 0);
  CHECK(records(folder).size() == 8);
}

TEST_CASE("one process a file") {
  const Folder folder;
  make_tests(folder, "ABCD");
  Program first(folder, campaign({"--time", "60s"}), kSlow);
  REQUIRE(first.says("\"test\":\"A\"", kFile));
  std::filesystem::create_directory(folder.path() / "elsewhere");
  const Folder other;
  const Ran second = run_program(
      other, {"run", "--campaign", folder.at("tests"), "-o", folder.at(kFile), "--time", "60s"}, kSlow);
  CHECK(second.status == 2);
  CHECK(has(second.err, "another process writes this campaign"));
  first.signal(SIGINT);
  CHECK(first.finish().status == 3);
}

TEST_CASE("tests that cannot run, hang or fail are records, too, and are not repeated for ever") {
  const Folder folder;
  make_tests(folder, "ABCDEG");
  std::filesystem::copy(PTXMC_LITMUS "/tcgen05/6.4.1-mma-mma.litmus", folder.at("tests/T.litmus"));
  folder.file("tests/W.litmus", "PTX W\n");
  const auto command = campaign({"--time", "7s", "--patience", "0.1"});
  const Environment environment = trouble("A=endless,B=blocked,C=jit,D=fault,E=killed");
  const Ran ran = run_program(folder, command, environment);
  CHECK(ran.status == 4);  // a process died
  CHECK(has(ran.err, "2 tests ran, 1 skipped, 2 hung, 4 failed, 0 not yet begun"));
  std::map<std::string, std::vector<std::string>> fates;
  for (const Json& line : records(folder)) {
    const std::string name = line.value("test", line["file"].get<std::string>());
    fates[name].push_back(line.value("missed", line.value("stuck", 0) != 0 ? "stuck" : "ran"));
    if (line.contains("missed")) CHECK(!line["why"].get<std::string>().empty());
  }
  using Fates = std::vector<std::string>;
  CHECK(fates["A"] == Fates{"stuck"});
  CHECK(fates["B"] == Fates{"hung"});
  CHECK(fates["C"] == Fates{"failed", "failed"});
  CHECK(fates["D"] == Fates{"failed", "failed"});
  CHECK(fates["E"] == Fates{"failed", "failed"});
  CHECK(fates["G"].size() >= 2);
  CHECK(fates["G"].front() == "ran");
  CHECK(fates["tests/W.litmus"] == Fates{"refused"});
  CHECK(fates.size() == 8);
  CHECK(run_program(folder, {"compare", "-q", "--log", kFile, "tests/G.litmus"}).status == 0);
  const Ran merged = run_program(folder, {"compare", "--merge", kFile});
  CHECK(merged.status == 0);
  CHECK(has(merged.err, "2 tests of 1 logs"));  // G ran; A's launch, which did not end, is counted as stuck
}

TEST_CASE("a campaign without a GPU") {
  const Folder folder;
  make_tests(folder, "AB");
  const Ran ran = run_program(folder, campaign(), {{"PTXMC_FAKE_GPUS", "0"}});
  CHECK(ran.status == 2);
  CHECK(count(ran.err, "needs a GPU and its driver") == 1);
  CHECK(has(ran.err, "2 not yet begun"));
  CHECK(records(folder).empty());
}

TEST_CASE("shards are disjoint and complete; their files, merged, are the whole") {
  const Folder folder;
  make_tests(folder, "ABCDEFGHIJKL");
  std::set<std::string> all;
  std::vector<std::string> merge = {"compare", "--merge", "-o", "all.jsonl"}, compare = {"compare"};
  for (const char* i : {"1", "2", "3"}) {
    CHECK(run_program(folder, campaign({"--time", "0.01", "--shard", std::string(i) + "/3"}), kSlow).status ==
          0);
    const std::string file = std::string("ptxmc-campaign-") + i + "-of-3.jsonl";
    merge.push_back(file);
    compare.insert(compare.end(), {"--log", file});
    CHECK(records(folder, file).size() > 0);
    for (const Json& line : records(folder, file)) CHECK(all.insert(line["test"].get<std::string>()).second);
  }
  CHECK(all.size() == 12);
  compare.push_back("tests");
  CHECK(run_program(folder, merge).status == 0);
  const Ran joined = run_program(folder, {"compare", "--log", "all.jsonl", "tests"});
  CHECK(tables(run_program(folder, compare)) == tables(joined));
  CHECK_FALSE(has(joined.err, "in no log"));

  std::size_t ran = 0;  // without a campaign
  for (const char* i : {"1/2", "2/2"})
    ran += count(run_program(folder, {"run", "--time", "0.001", "--shard", i, "tests"}).out, "Test ");
  CHECK(ran == 12);
}

TEST_CASE("a folder that changes: new tests catch up, a changed test is an error") {
  const Folder folder;
  make_tests(folder, "AB");
  const auto command = campaign({"--time", "0.5"});
  CHECK(run_program(folder, command, kSlow).status == 0);
  folder.test("C");
  CHECK(run_program(folder, command, kSlow).status == 0);
  CHECK(pairs(records(folder)).count({"C", 0}) == 1);
  std::string changed = folder.text("tests/A.litmus");
  changed.replace(changed.find("relaxed.gpu"), 11, "relaxed.sys");
  folder.file("tests/A.litmus", changed);
  const Ran ran = run_program(folder, command, kSlow);
  CHECK(ran.status == 2);
  CHECK(has(ran.err, "'tests/A.litmus': test A has changed since the campaign 'ptxmc-campaign.jsonl' began"));
  CHECK(run_program(folder, campaign({"--time", "0.01", "-o", "new.jsonl"}), kSlow).status == 0);
  const Ran merged = run_program(folder, {"compare", "--merge", kFile, "new.jsonl"});
  CHECK(merged.status == 2);
  CHECK(has(merged.err, "two different tests named A: one in 'ptxmc-campaign.jsonl', one in 'new.jsonl'"));
}

TEST_CASE("tests of one name, and one test in two files") {
  const Folder folder;
  folder.test("A", "tests/one");
  folder.test("A", "tests/two");
  std::string changed = folder.text("tests/two/A.litmus");
  changed.replace(changed.find("relaxed.gpu"), 11, "relaxed.sys");
  folder.file("tests/two/A.litmus", changed);
  folder.test("A", "tests/zwei");
  const Ran ran = run_program(folder, campaign({"--time", "0.001"}), kSlow);
  CHECK(ran.status == 0);
  CHECK(has(ran.err, "tests/zwei/A.litmus: the same test as tests/one/A.litmus\n"));
  CHECK(records(folder).size() == 2);
  const Ran compared = run_program(folder, {"compare", "--log", kFile, "tests"});
  CHECK(compared.status == 0);
  CHECK(count(compared.out, "Observed 4 Unseen 0") == 3);
}

TEST_CASE("files that are no campaign's, or another one's, are left alone") {
  const Folder folder;
  make_tests(folder, "A");
  const auto refused = [&](const std::string& text, const std::string& why,
                           const std::vector<std::string>& more = {}) {
    folder.file(kFile, text);
    const Ran ran = run_program(folder, campaign(more), kSlow);
    CHECK(ran.status == 2);
    CHECK(has(ran.err, why));
    CHECK(folder.text(kFile) == text);
  };
  refused("hello\n", "this is not the file of a campaign");
  refused("hello", "this is not the file of a campaign");
  refused("{\"test\":\"A\"}\n", "this is not the file of a campaign");
  refused("{\"campaign\":{\"version\":7}}\n", "this campaign has other parameters");
  std::filesystem::remove(folder.path() / kFile);
  CHECK(run_program(folder, campaign({"--time", "0.01"}), kSlow).status == 0);
  const std::string good = folder.text(kFile);
  refused(good, "this campaign has other parameters (ptxmc run --seed 1 ", {"--seed", "2"});
  refused(good, "this campaign has other parameters", {"--stress", "off"});
  refused(good, "this campaign has other parameters", {"--instances", "64"});
  refused(good, "this campaign has other parameters", {"--stride", "16"});  // else as tuned
  refused(good, "this campaign has other parameters", {"--home", "0"});
  refused(good, "this campaign has other parameters", {"--shard", "1/2", "-o", kFile});
  refused(good + "hello\n" + good.substr(good.find('\n') + 1),
          "no records of a campaign, and records after them");
  refused(good + "{\"campaign\":{}}\n", "line 3: not a record of a campaign");
  CHECK(
      has(run_program(folder, campaign({"-o", "/dev/full"}), kSlow).err, "a campaign needs a regular file"));
  CHECK(has(run_program(folder, {"run", "--campaign", "nowhere"}, kSlow).err, "no test to run in 'nowhere'"));
}

TEST_CASE("progress tells the sweep and the time that is left") {
  const Folder folder;
  make_tests(folder, "ABCD");
  const Ran ran = run_program(folder, campaign({"--time", "2s", "--progress", "on"}), kSlow);
  CHECK(ran.status == 0);
  CHECK(has(ran.err, "[2/4] sweep 2, "));
  CHECK(has(ran.err, " s left, tests/C.litmus\n"));
}
