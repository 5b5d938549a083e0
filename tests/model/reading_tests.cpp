// SPDX-License-Identifier: Apache-2.0
// reading_tests FOLDER README: each reading tells. For each value that is not the default, a test of FOLDER states a verdict in that
// reading other than without it, and is called after it, `NAME.VALUE+...`; the table of README names the test and both verdicts. That
// the verdicts are true is for `check --require-verdict` to say.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>

#include "../slurp.h"
#include "model/readings.h"

using namespace ptxmc;
using testing::slurp;

namespace {

/// What follows `Verdict=`, or `Verdict[KEY]=`.
std::optional<std::string> stated(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  const std::string begin = (key.empty() ? "Verdict" : "Verdict[" + key + "]") + "=";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) return line.substr(begin.size());
  }
  return std::nullopt;
}

/// Mistakes in the test of one reading.
int check(const std::string& reading, const std::filesystem::path& folder, const std::string& table) {
  std::string prefix = reading;
  std::replace(prefix.begin(), prefix.end(), '=', '.');
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (!name.starts_with(prefix + "+")) continue;
    const std::string text = slurp(entry.path());
    const auto without = stated(text, ""), with = stated(text, reading);
    if (!without || !with || *without == *with) {
      std::cout << fmt::format("{}: its verdicts do not tell {} from the default\n", name, reading);
      return 1;
    }
    const std::string row = fmt::format("| `{}` | `{}` | {} | {} |", reading, name, *without, *with);
    if (table.find(row) != std::string::npos) return 0;
    std::cout << fmt::format("no row in the table: {}\n", row);
    return 1;
  }
  std::cout << fmt::format("no test is called {}+...\n", prefix);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cout << "usage: reading_tests FOLDER README\n";
    return 2;
  }
  const std::string table = slurp(argv[2]);
  int wrong = 0, count = 0;
  for (const model::Reading& reading : model::readings()) {
    for (std::size_t i = 1; i < reading.values.size(); ++i, ++count)
      wrong += check(fmt::format("{}={}", reading.name, reading.values[i]), argv[1], table);
  }
  std::cout << fmt::format("{} values of readings, {} mistakes\n", count, wrong);
  return wrong == 0 ? 0 : 1;
}
