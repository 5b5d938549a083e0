// SPDX-License-Identifier: Apache-2.0
// `ptxmc run` and `compare`, end to end, on a driver that only pretends (fake_driver/fake_driver.h).
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "program.h"

using namespace ptxmc::testing;
using Json = nlohmann::json;

namespace {

constexpr const char* kTrouble = "PTXMC_FAKE_TROUBLE";
constexpr const char* kLaunch = "PTXMC_FAKE_LAUNCH_MS";

/// One launch: so that counts are the same in every run.
const std::vector<std::string> kOneLaunch = {"run", "--size", "1"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a log in text") {
  const Folder folder;
  const Ran ran = run_program(folder, with(kOneLaunch, {folder.test("MP")}));
  CHECK(ran.status == 0);
  CHECK(ran.err == "");
  CHECK(has(ran.out, "Test MP Allowed\nHistogram (4 states)\n"));
  CHECK(has(ran.out, "*>1:r0=1; 1:r1=0;\n"));
  CHECK(has(ran.out, ":>1:r0=0; 1:r1=1;\n"));
  CHECK(has(ran.out, "Device MP Fake GPU (sm_90), driver 13.0\n"));
  CHECK(has(ran.out, "Command ptxmc run --seed 1 --time 1 "));
}

TEST_CASE("a line of JSON; counts are those of blocks x instances x rounds, and the seed's") {
  const Folder folder;
  const std::string test = folder.test("MP");
  const auto log = [&](const std::string& seed, const Environment& environment = {}) {
    const Ran ran =
        run_program(folder, with(kOneLaunch, {"--format", "json", "--seed", seed, test}), environment);
    CHECK(ran.status == 0);
    return Json::parse(ran.out);
  };
  const Json one = log("1"), again = log("1"), other = log("2");
  CHECK(one["test"] == "MP");
  CHECK(one["device"]["multiprocessors"] == 4);
  CHECK(one["parameters"]["ctas"] == 8);
  CHECK(one["instances"] == 8 * 128 * 8);
  CHECK(one["positive"].get<int>() + one["negative"].get<int>() == 8 * 128 * 8);
  CHECK(one["states"].size() == 4);
  CHECK(one["states"] == again["states"]);
  CHECK(one["states"] != other["states"]);
  CHECK(log("1", {{"PTXMC_FAKE_SMS", "10"}})["instances"] == 20 * 128 * 8);
}

TEST_CASE("-o, and what cannot be written") {
  const Folder folder;
  const std::string test = folder.test("MP");
  const Ran ran = run_program(folder, with(kOneLaunch, {"-o", "mp.log", test}));
  CHECK(ran.status == 0);
  CHECK(ran.out == "");
  CHECK(has(folder.text("mp.log"), "Test MP Allowed\n"));
  const Ran absent = run_program(folder, with(kOneLaunch, {"-o", "no/where.log", test}));
  CHECK(absent.status == 2);
  CHECK(absent.err == "ptxmc: error: 'no/where.log': cannot write this file\n");
  const Ran full = run_program(folder, with(kOneLaunch, {"-o", "/dev/full", test}));
  CHECK(full.status == 2);
  CHECK(full.err == "ptxmc: error: cannot write the log\n");
  const std::string text = folder.text("tests/MP.litmus");
  const Ran same = run_program(folder, with(kOneLaunch, {"-o", test, test}));
  CHECK(same.status == 2);
  CHECK(has(same.err, "is also an input; nothing is written"));
  CHECK(folder.text("tests/MP.litmus") == text);
}

TEST_CASE("logs of one run are added up once") {
  const Folder folder;
  const std::string test = folder.test("MP");
  for (const std::string format : {"text", "json"}) {
    const std::vector<std::string> line = with(kOneLaunch, {"-f", format, "-o", "a." + format, test});
    CHECK(run_program(folder, line).status == 0);
    CHECK(run_program(folder, with(kOneLaunch, {"-f", format, "-o", "b." + format, test})).status == 0);
    const Ran same = run_program(folder, {"compare", "--merge", "a." + format, "a." + format});
    CHECK(same.status == 0);
    CHECK(has(same.err, "a." + format + ": left out: this run of MP stands in 'a." + format + "'\n"));
    CHECK(Json::parse(same.out)["instances"] == 8 * 128 * 8);
    // The same seed again is another run.
    const Ran two = run_program(folder, {"compare", "--merge", "a." + format, "b." + format});
    CHECK(Json::parse(two.out)["instances"] == 2 * 8 * 128 * 8);
    CHECK(Json::parse(two.out)["runs"] == 2);
  }
}

TEST_CASE("no GPU") {
  const Folder folder;
  const Ran ran = run_program(folder, with(kOneLaunch, {folder.test("MP")}), {{"PTXMC_FAKE_GPUS", "0"}});
  CHECK(ran.status == 2);
  CHECK(ran.out == "");
  CHECK(has(ran.err, "cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"));
  const Ran second = run_program(folder, with(kOneLaunch, {"--device", "1", folder.test("MP")}));
  CHECK(second.status == 2);
  CHECK(has(second.err, "no GPU 1: the CUDA driver sees 1"));
}

TEST_CASE("a launch that does not end: the test is hung, and the next ones run") {
  const Folder folder;
  folder.test("A");
  folder.test("B");
  folder.test("C");
  const Ran ran =
      run_program(folder, with(kOneLaunch, {"--patience", "0.1", "tests"}), {{kTrouble, "B=endless"}});
  CHECK(ran.status == 3);
  CHECK(has(ran.out, "Test A Allowed\nHistogram (4 states)"));
  CHECK(has(ran.out, "Test B Allowed\nHistogram (0 states)"));
  CHECK(has(ran.out, "Hung B a launch of 8192 instances did not end within 0.1 s\n"));
  CHECK(has(ran.out, "Test C Allowed\nHistogram (4 states)"));
  CHECK(has(ran.err, "tests/B.litmus: hung: a launch of 8192 instances did not end within 0.1 s\n"));
  CHECK(has(ran.err, "2 tests ran, 0 skipped, 1 hung, 0 failed\n"));
}

TEST_CASE("a driver that does not come back is killed, with its process") {
  const Folder folder;
  folder.test("A");
  folder.test("B");
  Program program(folder, with(kOneLaunch, {"--patience", "0.01", "tests"}), {{kTrouble, "A=blocked"}});
  const Ran ran = program.finish();
  CHECK(ran.status == 3);
  CHECK(ran.err ==
        "tests/A.litmus: hung: the GPU's driver did not come back; its process was killed\n"
        "1 tests ran, 0 skipped, 1 hung, 0 failed\n");
  CHECK(has(ran.out, "Test B Allowed\n"));
  CHECK_FALSE(program.left_orphans());
}

TEST_CASE("errors of the driver cost their test alone") {
  const Folder folder;
  for (const char* name : {"A", "B", "C", "D", "E"}) folder.test(name);
  const Ran ran =
      run_program(folder, with(kOneLaunch, {"tests"}), {{kTrouble, "A=jit,B=fault,C=lossy,D=killed"}});
  CHECK(ran.status == 4);
  CHECK(
      has(ran.err,
          "tests/A.litmus: error: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)\n"
          "ptxas application ptx input, line 7; fatal\n"));
  CHECK(has(ran.err, "tests/B.litmus: error: cuStreamQuery: CUDA_ERROR_ILLEGAL_ADDRESS ("));
  CHECK(has(ran.err, "tests/C.litmus: internal error: "));
  CHECK(has(ran.err, "8192 instances ran on the GPU, and 8191 were counted"));
  CHECK(has(ran.err, "tests/D.litmus: internal error: its process ended by signal 9\n"));
  CHECK(has(ran.err, "1 tests ran, 0 skipped, 0 hung, 4 failed\n"));
  CHECK(count(ran.out, "Test ") == 1);
  CHECK(run_program(folder, with(kOneLaunch, {"tests/A.litmus"}), {{kTrouble, "*=jit"}}).status == 2);
}

TEST_CASE("tests that cannot run are skipped in a folder, errors by name, and wrong files are errors") {
  const Folder folder;
  folder.test("A");
  const std::string cannot = PTXMC_LITMUS "/tcgen05/6.4.1-mma-mma.litmus";
  REQUIRE(std::filesystem::exists(cannot));
  std::filesystem::copy(cannot, folder.at("tests/T.litmus"));
  const Ran skipped = run_program(folder, with(kOneLaunch, {"tests"}));
  CHECK(skipped.status == 0);
  CHECK(has(skipped.err, "1 tests ran, 1 skipped, 0 hung, 0 failed\n"));
  CHECK(run_program(folder, with(kOneLaunch, {"tests/T.litmus"})).status == 2);
  folder.file("tests/wrong.litmus", "PTX wrong\n");
  const Ran wrong = run_program(folder, with(kOneLaunch, {"tests"}));
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "tests/wrong.litmus:"));
  CHECK(has(wrong.out, "Test A Allowed\n"));
}

TEST_CASE("Ctrl-C, or SIGTERM, in a launch: what was gathered is printed") {
  for (const int number : {SIGINT, SIGTERM}) {
    for (const bool group : {true, false}) {
      const Folder folder;
      for (const char* name : {"A", "B", "C"}) folder.test(name);
      Program program(folder, {"run", "--time", "1", "tests"}, {{kLaunch, "50"}});
      REQUIRE(program.says("Test A Allowed"));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // B has some launches behind it
      group ? program.signal_group(number) : program.signal(number);
      const Ran ran = program.finish();
      CHECK(ran.status == 3);
      CHECK(has(ran.out, "Test B Allowed\nHistogram (4 states)\n"));
      CHECK(has(ran.out, "Time B 0."));
      CHECK_FALSE(has(ran.out, "Test C"));
      CHECK(has(ran.err, "2 tests ran"));
      CHECK_FALSE(program.left_orphans());
    }
  }
}

TEST_CASE("Ctrl-C while a launch or the driver is stuck") {
  for (const char* kind : {"endless", "blocked"}) {
    const Folder folder;
    for (const char* name : {"A", "B", "C"}) folder.test(name);
    Program program(folder, with(kOneLaunch, {"--patience", "1", "tests"}),
                    {{kTrouble, std::string("B=") + kind}});
    REQUIRE(program.says("Test A Allowed"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    program.signal_group(SIGINT);
    const Ran ran = program.finish();
    CHECK(ran.status == 3);
    CHECK(has(ran.out, "Test A Allowed"));
    CHECK_FALSE(has(ran.out, "Test C"));
    CHECK_FALSE(program.left_orphans());
  }
}

TEST_CASE("a second Ctrl-C, and the death of the parent, end it at once") {
  for (const int number : {SIGINT, SIGKILL}) {
    const Folder folder;
    Program program(folder, {"run", "--patience", "100", folder.test("A")}, {{kTrouble, "A=endless"}});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    program.signal(number);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (number == SIGINT) program.signal(SIGINT);
    const Ran ran = program.finish();
    CHECK(ran.signal == number);
    CHECK_FALSE(program.left_orphans());
  }
}

TEST_CASE("compare finds the model beside the logs") {
  const Folder folder;
  folder.test("A");
  folder.test("B");
  CHECK(run_program(folder, with(kOneLaunch, {"-o", "text.log", "tests"})).status == 0);
  CHECK(run_program(folder, with(kOneLaunch, {"-f", "json", "-o", "lines.jsonl", "tests"})).status == 0);
  const Ran text = run_program(folder, {"compare", "--log", "text.log", "tests"});
  const Ran lines = run_program(folder, {"compare", "--log", "lines.jsonl", "tests"});
  CHECK(text.status == 0);
  CHECK(has(text.out, "Allowed 4 Observed 4 Unseen 0 Forbidden 0"));
  CHECK(text.out.substr(0, text.out.find("family")) == lines.out.substr(0, lines.out.find("family")));
  folder.file("tests/A.litmus", folder.text("tests/B.litmus").replace(4, 1, "A") + "\n");
  CHECK(run_program(folder, {"compare", "--log", "text.log", "tests"}).status == 0);  // the same meaning
}
