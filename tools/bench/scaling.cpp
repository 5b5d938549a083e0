// SPDX-License-Identifier: Apache-2.0
#include "scaling.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <tuple>

namespace ptxmc::bench {

namespace {

/// Splits "SB-ring-32" into family and size; false for another name.
bool split_name(const std::string& stem, ScalingTest& test) {
  const std::size_t dash = stem.rfind('-');
  if (dash == std::string::npos) return false;
  const char* end = stem.data() + stem.size();
  const auto [stop, error] = std::from_chars(stem.data() + dash + 1, end, test.size);
  test.family = stem.substr(0, dash);
  return error == std::errc() && stop == end;
}

}  // namespace

std::vector<ScalingTest> find_scaling_tests(const std::vector<std::string>& folders) {
  std::vector<ScalingTest> tests;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      ScalingTest test;
      if (entry.path().extension() != ".litmus" || !split_name(entry.path().stem().string(), test)) continue;
      test.path = entry.path().string();
      const std::string in = entry.path().parent_path().filename();
      if (in == "all-states") test.asks = ScalingTest::Asks::all_states;
      if (in == "count") test.asks = ScalingTest::Asks::count;
      tests.push_back(std::move(test));
    }
  }
  const auto key = [](const ScalingTest& t) { return std::tie(t.asks, t.family, t.size); };
  std::sort(tests.begin(), tests.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return tests;
}

std::string asked(ScalingTest::Asks asks) {
  switch (asks) {
    case ScalingTest::Asks::verdict:
      return "verdict";
    case ScalingTest::Asks::all_states:
      return "all states";
    case ScalingTest::Asks::count:
      return "count";
  }
  return "";
}

ScalingRun run_scaling(const std::string& program, const ScalingTest& test, const std::string& engine,
                       double limit) {
  constexpr std::size_t kHead = 1 << 12;  // "Test NAME ANSWER", "States NUMBER": a list may be of gigabytes
  std::vector<std::string> command = {program, "check", "--engine", engine, "--recheck", "off", "--quiet"};
  if (test.asks == ScalingTest::Asks::verdict) command.emplace_back("--verdict");
  if (test.asks == ScalingTest::Asks::count) command.emplace_back("--count");
  command.push_back(test.path);
  ScalingRun run{measure(command, limit, kHead), "-", 0};
  std::istringstream lines(run.measured.output);
  std::string line, word;
  std::getline(lines, line);
  if (run.measured.timed_out || !line.starts_with("Test ")) return run;
  const std::string quantified =
      line.substr(line.rfind(' ') + 1);  // Allowed: some state is as the condition says
  if (test.asks == ScalingTest::Asks::verdict && std::getline(lines, line)) {
    if (line == "Ok") run.answer = quantified;
    if (line == "No" && quantified == "Allowed") run.answer = "Forbidden";
  }
  if (lines >> word && word == "States") lines >> run.states;
  // What the condition comes to stands behind the list, of which the head is kept.
  if (test.asks == ScalingTest::Asks::all_states && run.states > 0) run.answer = "listed";
  if (test.asks == ScalingTest::Asks::count && run.states > 0) run.answer = "counted";
  return run;
}

const std::vector<Peer>& peers() {
  static const std::vector<Peer> kPeers = {
      {"SB-ring", 32, "Dartagnan", "0.9", 0.1},  {"IRIW-sc", 32, "Dartagnan", "0.9", 0.1},
      {"Ticketlock", 10, "Dartagnan", "8.9", 2}, {"AtomInc", 6, "Dartagnan", "1.0", 0},
      {"AtomInc", 7, "Dartagnan", "12.5", 0},    {"AtomInc", 8, "Dartagnan", "> 60", 0},
      {"AtomInc", 12, nullptr, "", 2},           {"AtomInc", 128, nullptr, "", 2},
      {"Ticketlock", 64, nullptr, "", 5},        {"SB-all", 11, "herd7", "8.4", 0},
      {"SB-all", 13, "herd7", "53", 1},          {"IRIW-all", 7, "herd7", "27", 1},
      {"AtomInc-all", 5, "herd7", "13", 0},      {"AtomInc-all", 6, "herd7", "> 60", 1},
      {"Writers-all", 7, "herd7", "30", 0},      {"SB-all", 20, nullptr, "", 60},
      {"IRIW-all", 12, nullptr, "", 20},         {"AtomInc-all", 9, nullptr, "", 10},
      {"SB-count", 24, nullptr, "", 10},         {"AtomInc-count", 12, nullptr, "", 10},
  };
  return kPeers;
}

}  // namespace ptxmc::bench
