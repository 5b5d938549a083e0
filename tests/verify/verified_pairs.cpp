// SPDX-License-Identifier: Apache-2.0
// verified_pairs PTXMC PAIRS TABLE: verifies both sides of each pair of kernels in the folder PAIRS. The buggy side must
// show the finding of its row at the lines of its row; the fixed side no error, and the claim of its row.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "verified.h"

namespace {

using namespace verified;  // NOLINT(google-build-using-namespace)

struct Row {
  std::string name, options, rule, first, second, claim;
};

/// The numbers of a cell: "12 14".
json numbers(const std::string& cell) {
  json out = json::array();
  std::istringstream words(cell);
  for (int number = 0; words >> number;) out.push_back(number);
  return out;
}

/// The launch of a pair names no module, as both sides have the same.
fs::path write_launch(const fs::path& pair, const std::string& side, const fs::path& folder) {
  std::ifstream in(pair / "launch.json");
  json launch = json::parse(in);
  launch["module"] = fs::absolute(pair / (side + ".ptx")).string();
  fs::path path = folder / (pair.filename().string() + "-" + side + ".json");
  std::ofstream(path) << launch.dump();
  return path;
}

/// What is wrong with a side; empty: nothing.
std::string wrong_with(const Row& row, bool buggy, const Ran& ran) {
  if (ran.status != 0 && ran.status != 1 && ran.status != 3) return fmt::format("status {}", ran.status);
  if (denied(ran)) return "the exact engine denies a race";
  const json report = json::parse(ran.output);
  const json& findings = report["findings"];
  if (buggy) {
    const json expected = {{"first", numbers(row.first)}, {"second", numbers(row.second)}};
    const auto is_it = [&](const json& finding) {
      return finding["rule"] == row.rule && relates(finding, expected);
    };
    return std::any_of(findings.begin(), findings.end(), is_it) ? "" : "not found: " + row.rule;
  }
  for (const json& finding : findings) {
    if (finding["severity"] == "error")
      return fmt::format("an error: {}", finding["rule"].get<std::string>());
    if (finding["rule"] == row.rule) return "found: " + row.rule;
  }
  const std::string claim = report["claim"]["exact"] == true ? "exact" : "bounded";
  return claim == row.claim ? "" : fmt::format("the claim is {}, expected {}", claim, row.claim);
}

bool check(const std::string& program, const fs::path& pairs, const Row& row, const fs::path& folder) {
  bool good = true;
  for (const std::string side : {"buggy", "fixed"}) {
    const Ran ran =
        run_command(fmt::format("'{}' verify --timeout 60 --format json {} '{}' 2>/dev/null", program,
                                row.options, write_launch(pairs / row.name, side, folder).string()));
    const std::string wrong = wrong_with(row, side == "buggy", ran);
    if (wrong.empty()) continue;
    fmt::print("{} {}: {}\n", row.name, side, wrong);
    good = false;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: verified_pairs PTXMC PAIRS TABLE\n");
    return 2;
  }
  const fs::path pairs = argv[2], folder = fs::current_path() / "verified_pairs.tmp";
  fs::create_directories(folder);
  std::set<std::string> known;
  int failures = 0;
  for (const std::vector<std::string>& cells : read_table(argv[3], 6)) {
    const Row row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]};
    known.insert(row.name);
    failures += check(argv[1], pairs, row, folder) ? 0 : 1;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(pairs)) {
    if (!entry.is_directory() || known.contains(entry.path().filename().string())) continue;
    fmt::print("{}: no line in the table\n", entry.path().filename().string());
    ++failures;
  }
  fs::remove_all(folder);
  fmt::print("{} pairs, {} failures\n", known.size(), failures);
  return known.empty() || failures != 0 ? 1 : 0;
}
