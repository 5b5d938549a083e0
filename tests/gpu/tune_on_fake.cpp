// SPDX-License-Identifier: Apache-2.0
// `ptxmc run --tune`, --parameters and --stress, end to end, on a driver that only pretends
// (fake_driver/fake_driver.h): its outcomes know nothing of stress.
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.h"

using namespace ptxmc::testing;
using Json = nlohmann::json;

namespace {

constexpr const char* kTrouble = "PTXMC_FAKE_TROUBLE";

std::vector<std::string> tune(const std::string& seconds, const std::vector<std::string>& more) {
  std::vector<std::string> out = {"run", "--tune", "--time", seconds, "--trial", "0.001"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// A test that means something else than Folder::test()'s: a file knows tests by their meaning.
std::string different(const Folder& folder, const std::string& in, const std::string& name,
                      const std::string& value) {
  std::string text = folder.text(folder.test(name, in));
  const std::string one = "[x], 1";
  const std::size_t at = text.find(one);
  REQUIRE(at != std::string::npos);
  return folder.file(in + "/" + name + ".litmus", text.replace(at + one.size() - 1, 1, value));
}

}  // namespace

TEST_CASE("what a search finds is saved, and used for its tests and others") {
  const Folder folder;
  folder.test("A");
  different(folder, "tests", "B", "3");
  const std::string other = different(folder, "others", "C", "4");
  const Ran ran = run_program(folder, tune("0.5", {"--seed", "3", "--save", "p.json", "tests"}));
  CHECK(ran.status == 0);
  CHECK(has(ran.err, "saved in p.json\n"));
  CHECK(count(ran.out, "\n") == 4);  // a head, two tests, and all
  const Json file = Json::parse(folder.text("p.json"));
  CHECK(file["device"]["name"] == "Fake GPU");
  CHECK(file["seed"] == 3);
  CHECK(file["objective"] == "weak");
  CHECK(has(file["command"],
            "ptxmc run --tune --time 0.5 --trial 0.001 --seed 3 --objective weak --instances "));
  CHECK(file["tests"].size() == 2);
  CHECK(file["tests"][0]["name"] == "A");
  CHECK(file["tests"][0]["rate"].get<double>() >= file["tests"][0]["default_rate"].get<double>());

  Json edited = file;
  edited["joint"] = {{"instances", 64}, {"stride", 8}};
  edited["tests"][1]["parameters"] = {{"instances", 32},
                                      {"stress", {{"ctas", 50}, {"pattern", "load-load"}}}};
  folder.file("q.json", edited.dump());
  const auto command = [&](const std::string& test, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "--size", "1", "--parameters", "q.json", test};
    words.insert(words.end(), more.begin(), more.end());
    const Ran used = run_program(folder, words);
    CHECK(used.status == 0);
    CHECK(used.err == "");
    return used.out.substr(used.out.find("Command "));
  };
  CHECK(
      has(command("tests/B.litmus", {}), " --instances 32 --stride 16 --stress ctas=50,pattern=load-load "));
  CHECK(has(command("tests/B.litmus", {"--stress", "off", "--stride", "4"}),
            " --instances 32 --stride 4 --stress off "));
  CHECK(has(command(other, {}), " --instances 64 --stride 8 --stress off "));
  CHECK(has(command(other, {"--instances", "128"}), " --instances 128 --stride 8 "));
}

TEST_CASE("the printed command line repeats a run, and JSON has all parameters") {
  const Folder folder;
  const std::string test = folder.test("A");
  const Ran ran = run_program(
      folder, {"run", "--size", "1", "-f", "json", "--stress", "ctas=25,occupancy=50,assign=chunks", test});
  const Json log = Json::parse(ran.out);
  CHECK(has(log["command"], " --stress ctas=25,occupancy=50,assign=chunks "));
  CHECK(log["parameters"]["stress"]["ctas"] == 25);
  CHECK(log["parameters"]["stress"]["assign"] == "chunks");
  CHECK(log["parameters"]["stress"]["lines"] == 16);
  CHECK(log["parameters"]["ctas"] == 4);    // of 8 that the device holds
  CHECK(log["parameters"]["blocks"] == 3);  // the fourth stresses
}

TEST_CASE("a file of another GPU warns, once; one that is none is an error") {
  const Folder folder;
  folder.test("A");
  folder.test("B");
  const std::string file = PTXMC_GPU "/ptxmc-NVIDIA-H100-80GB-HBM3.json";
  const Ran ran = run_program(folder, {"run", "-q", "--size", "1", "--parameters", file, "tests"});
  CHECK(ran.status == 0);
  CHECK(ran.err ==
        "ptxmc: warning: '" + file + "' was tuned on NVIDIA H100 80GB HBM3, and this is Fake GPU\n");
  folder.file("none.json", "{\"format\": 1}");
  for (const char* verb : {"--tune", "--quiet"}) {
    const Ran wrong = run_program(folder, {"run", verb, "--parameters", "none.json", "tests"});
    CHECK(wrong.status == 2);
    CHECK(has(wrong.err, "'none.json': \"format\": expected a text"));
  }
}

TEST_CASE("the file is named after the GPU, and an error where it cannot be written") {
  const Folder folder;
  const std::string test = folder.test("A");
  CHECK(run_program(folder, tune("0.05", {"--objective", "rare", test})).status == 0);
  CHECK(Json::parse(folder.text("ptxmc-Fake-GPU.json"))["objective"] == "rare");
  const Ran ran = run_program(folder, tune("0.05", {"--save", "no/where.json", test}));
  CHECK(ran.status == 2);
  CHECK(has(ran.err, "'no/where.json': cannot write this file"));
}

TEST_CASE("what cannot run is left out of a folder, and an error by name") {
  const Folder folder;
  folder.test("A");
  std::filesystem::copy(PTXMC_LITMUS "/tcgen05/6.4.1-mma-mma.litmus", folder.at("tests/T.litmus"));
  const Ran ran = run_program(folder, tune("0.05", {"--save", "p.json", "tests"}));
  CHECK(ran.status == 0);
  CHECK(has(ran.err, "cannot run on a GPU yet"));
  CHECK(Json::parse(folder.text("p.json"))["tests"].size() == 1);
  CHECK(run_program(folder, tune("0.05", {"tests/T.litmus"})).status == 2);
}

TEST_CASE("trouble ends a search with its status") {
  const Folder folder;
  const std::string test = folder.test("A");
  const Ran hung = run_program(folder, tune("1", {"--patience", "0.1", test}), {{kTrouble, "A=endless"}});
  CHECK(hung.status == 3);
  CHECK(has(hung.err, "A.litmus: hung: a launch did not end within 0.1 s, with --instances "));
  CHECK(run_program(folder, tune("1", {test}), {{kTrouble, "A=fault"}}).status == 2);
  CHECK(run_program(folder, tune("1", {test}), {{kTrouble, "A=killed"}}).status == 4);
  CHECK(run_program(folder, tune("1", {test}), {{"PTXMC_FAKE_GPUS", "0"}}).status == 2);
}

TEST_CASE("Ctrl-C ends a search with what it found") {
  const Folder folder;
  Program program(folder, tune("60", {"--save", "p.json", folder.test("A")}),
                  {{"PTXMC_FAKE_LAUNCH_MS", "1"}});
  REQUIRE(program.says(" trials: x "));
  program.signal_group(SIGINT);
  const Ran ran = program.finish();
  CHECK(ran.status == 3);
  CHECK(has(ran.err, "saved in p.json\n"));
  CHECK(Json::parse(folder.text("p.json"))["tests"].size() == 1);
  CHECK_FALSE(program.left_orphans());
}
