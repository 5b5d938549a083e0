// SPDX-License-Identifier: Apache-2.0
#include "scaling.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
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
      test.all_states = entry.path().parent_path().filename() == "all-states";
      tests.push_back(std::move(test));
    }
  }
  const auto key = [](const ScalingTest& t) { return std::tie(t.all_states, t.family, t.size); };
  std::sort(tests.begin(), tests.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return tests;
}

ScalingRun run_scaling(const std::string& program, const ScalingTest& test, const std::string& engine,
                       double limit) {
  std::vector<std::string> command = {program,    "check", "--engine",    engine, "--recheck", "off",
                                      "--format", "json",  "--witnesses", "none", "--quiet"};
  if (!test.all_states) command.emplace_back("--verdict");
  command.push_back(test.path);
  ScalingRun run{measure(command, limit), "-", 0, 0};
  const auto report = nlohmann::json::parse(run.measured.output, nullptr, false);
  if (run.measured.timed_out || report.is_discarded() || !report.contains("answer")) return run;
  run.answer = report["answer"];
  run.states = static_cast<double>(report["states"].size());
  run.candidates = report["statistics"].value("candidates", 0.0);
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
      {"Writers-all", 7, "herd7", "30", 0},
  };
  return kPeers;
}

}  // namespace ptxmc::bench
