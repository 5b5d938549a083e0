// SPDX-License-Identifier: Apache-2.0
// What the tests of `ptxmc verify` on whole kernels share: running it, and comparing its findings with what is expected.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../command.h"

namespace verified {

namespace fs = std::filesystem;
using nlohmann::json;
using ptxmc::testing::Ran;
using ptxmc::testing::run_command;
using ptxmc::testing::trimmed;

/// The classes of expected.json, as verify names them.
inline const std::map<std::string, std::string> kRules = {
    {"race", "race"},
    {"missing-acquire", "missing-acquire"},
    {"scope", "scope-too-narrow"},
    {"proxy-race", "proxy-race"},
    {"pdl-race", "race"},
    {"hang", "hang"},
    {"war-proxy", "cross-proxy-war"},
    {"init-not-fenced", "mbarrier-init-unfenced"},
    {"stale-wait", "stale-poll"},
    {"tcgen05-fence", "tcgen05-fence"},
    {"tmem-free", "tmem-free"},
};

inline bool has(const json& lines, const json& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

/// Does the finding relate a line of `first` with one of `second`, or name one of `first`?
inline bool relates(const json& finding, const json& expected) {
  const json &first = expected["first"], &second = expected["second"];
  if (second.empty())
    return std::any_of(finding["places"].begin(), finding["places"].end(),
                       [&](const json& place) { return has(first, place["line"]); });
  return std::any_of(finding["pairs"].begin(), finding["pairs"].end(), [&](const json& pair) {
    const json &a = pair["lines"][0], &b = pair["lines"][1];
    return (has(first, a) && has(second, b)) || (has(first, b) && has(second, a));
  });
}

/// What a race's litmus test says must be what the clocks say.
inline bool denied(const Ran& ran) {
  if (ran.status != 1 && ran.status != 3) return false;
  const json report = json::parse(ran.output);
  return std::any_of(report["findings"].begin(), report["findings"].end(), [](const json& finding) {
    return finding.contains("confirmed") && finding["confirmed"] == false;
  });
}

/// The rows of a table whose cells are parted by `|`; `#` begins a comment.
inline std::vector<std::vector<std::string>> read_table(const fs::path& path, std::size_t cells) {
  std::vector<std::vector<std::string>> out;
  std::ifstream table(path);
  for (std::string line; std::getline(table, line);) {
    if (trimmed(line).empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::vector<std::string>& row = out.emplace_back(cells);
    for (std::string& cell : row) {
      std::getline(words, cell, '|');
      cell = trimmed(cell);
    }
  }
  return out;
}

}  // namespace verified
