// SPDX-License-Identifier: Apache-2.0
#include "questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "process.h"
#include "table.h"

namespace ptxmc::bench {

namespace {

constexpr double kLimit = 600;     // seconds
constexpr std::size_t kShown = 3;  // repairs

struct Row {
  std::string name, to_reach;
  Measured measured;
};

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

Row minimal_row(const std::string& program, int events, const std::string& to_reach) {
  std::cerr << "measuring the minimal tests of " << events << " operations\n";
  const Measured measured = measure(
      {program, "generate", "--all", "--minimal", "--events", std::to_string(events), "--jobs", "2"}, kLimit);
  return {fmt::format("minimal tests up to {} operations: {}", events, count_of(measured.output, "Verdict=")),
          to_reach, measured};
}

/// The dearest ones, the first before the others.
std::vector<Row> repair_rows(const std::string& program, const std::string& folder) {
  std::vector<Row> rows;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (!name.ends_with("+buggy")) continue;
    std::cerr << "measuring the repair of " << name << "\n";
    rows.push_back({"repair of " + name, "1", measure({program, "repair", entry.path().string()}, kLimit)});
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.measured.cpu > b.measured.cpu; });
  const std::size_t all = rows.size();
  if (rows.size() > kShown) rows.resize(kShown);
  if (!rows.empty()) rows.front().name += fmt::format(", the dearest of {}", all);
  return rows;
}

}  // namespace

void print_questions(const std::string& program, const std::string& folder) {
  Table table({"many questions", "processor, s", "to reach, s", "peak MB"});
  std::vector<Row> rows = {minimal_row(program, 4, "-"), minimal_row(program, 5, "60")};
  for (Row& row : repair_rows(program, folder)) rows.push_back(std::move(row));
  for (const Row& row : rows) {
    const bool ended = !row.measured.timed_out && row.measured.status != 2 && row.measured.status != 4;
    table.add({row.name,
               ended                    ? in_seconds(row.measured.cpu)
               : row.measured.timed_out ? fmt::format("> {:.0f}", kLimit)
                                        : fmt::format("failed ({})", row.measured.status),
               row.to_reach, fmt::format("{:.0f}", row.measured.megabytes)});
  }
  table.print(std::cout);
  std::cout << "\n";
}

}  // namespace ptxmc::bench
