// SPDX-License-Identifier: Apache-2.0
// verified_kernels PTXMC KERNELS TABLE: verifies the kernels of the table in the folder KERNELS, compares what is found with
// their expected.json, and the outcome with the table. Folders with an expected.json that the table lacks are a failure.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "verified.h"

namespace {

using namespace verified;  // NOLINT(google-build-using-namespace)

std::string outcome_of(const Ran& ran, const json& expected) {
  if (ran.status == 2) return "refused";
  if (ran.status < 0 || ran.status > 3) return fmt::format("status {}", ran.status);
  const json report = json::parse(ran.output);
  const json &findings = report["findings"], &wanted = expected["findings"];
  const auto is_wanted = [&](const json& finding) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const json& one) { return relates(finding, one); });
  };
  for (const json& finding : findings) {
    if (finding["severity"] == "error" && !is_wanted(finding)) return "beside";
  }
  for (const json& one : wanted) {
    const auto is_it = [&](const json& finding) {
      return finding["rule"] == kRules.at(one["class"]) && relates(finding, one);
    };
    if (std::none_of(findings.begin(), findings.end(), is_it)) return "missed";
  }
  if (!wanted.empty()) return "found";
  return report["claim"]["exact"] == true ? "exact" : "bounded";
}

struct Row {
  std::string outcome, folder, options;
};

std::vector<Row> read_rows(const fs::path& path) {
  std::vector<Row> out;
  for (std::vector<std::string>& cells : read_table(path, 3)) out.push_back({cells[0], cells[1], cells[2]});
  return out;
}

json expected_of(const fs::path& folder) {
  std::ifstream in(folder / "expected.json");
  return json::parse(in);
}

bool check(const std::string& program, const fs::path& kernels, const Row& row) {
  const Ran ran =
      run_command(fmt::format("'{}' verify --timeout 60 --format json {} '{}' 2>/dev/null", program,
                              row.options, (kernels / row.folder / "launch.json").string()));
  const std::string outcome = outcome_of(ran, expected_of(kernels / row.folder));
  if (denied(ran)) {
    fmt::print("{} {}: the exact engine denies a race\n", row.folder, row.options);
    return false;
  }
  if (outcome == row.outcome) return true;
  fmt::print("{} {}: expected {}, found {}\n", row.folder, row.options, row.outcome, outcome);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: verified_kernels PTXMC KERNELS TABLE\n");
    return 2;
  }
  const fs::path kernels = argv[2];
  if (!fs::is_directory(kernels)) {
    fmt::print("SKIPPED: no suites: {} is no folder\n", kernels.string());
    return 0;
  }
  const std::vector<Row> table = read_rows(argv[3]);
  std::set<std::string> known;
  int failures = 0;
  for (const Row& row : table) {
    known.insert(row.folder);
    failures += check(argv[1], kernels, row) ? 0 : 1;
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kernels)) {
    if (entry.path().filename() != "expected.json") continue;
    const std::string folder = fs::relative(entry.path().parent_path(), kernels).string();
    if (known.contains(folder)) continue;
    fmt::print("{}: no line in the table\n", folder);
    ++failures;
  }
  fmt::print("{} kernels, {} failures\n", table.size(), failures);
  return table.empty() || failures != 0 ? 1 : 0;
}
