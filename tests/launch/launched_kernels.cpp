// SPDX-License-Identifier: Apache-2.0
// launched_kernels PTXMC KERNELS TABLE: runs each line of the table in the folder KERNELS and compares the exit status and
// the first line of the output. A line is `STATUS | COMMAND | FIRST LINE`; blank lines and lines with # are skipped.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../command.h"

namespace {

namespace fs = std::filesystem;
using ptxmc::testing::Ran;
using ptxmc::testing::run_command;
using ptxmc::testing::trimmed;

/// False: it is otherwise than the line says, which is printed.
bool check(const std::string& program, const fs::path& folder, const std::string& line) {
  const std::size_t first = line.find('|'), second = line.rfind('|');
  const std::string command = trimmed(line.substr(first + 1, second - first - 1)),
                    wanted = trimmed(line.substr(second + 1));
  const int status = std::stoi(line.substr(0, first));
  const Ran ran = run_command(fmt::format("cd '{}' && '{}' {} 2>&1", folder.string(), program, command));
  const std::string first_line = ran.output.substr(0, ran.output.find('\n'));
  if (ran.status == status && first_line == wanted) return true;
  fmt::print("{}\n  expected {}: {}\n  found    {}: {}\n", command, status, wanted, ran.status, first_line);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: launched_kernels PTXMC KERNELS TABLE\n");
    return 2;
  }
  if (!fs::is_directory(argv[2])) {
    fmt::print("SKIPPED: no suites: {} is no folder\n", argv[2]);
    return 0;
  }
  std::ifstream table(argv[3]);
  int lines = 0, failures = 0;
  for (std::string line; std::getline(table, line);) {
    if (trimmed(line).empty() || line.front() == '#') continue;
    ++lines;
    failures += check(argv[1], argv[2], line) ? 0 : 1;
  }
  fmt::print("{} launches, {} failures\n", lines, failures);
  return lines == 0 || failures != 0 ? 1 : 0;
}
