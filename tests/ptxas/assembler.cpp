// SPDX-License-Identifier: Apache-2.0
#include "assembler.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace ptxmc::test {

namespace fs = std::filesystem;

Assembly Assembler::run(const std::string& text, const std::string& arch) const {
  static std::atomic<int> next = 0;
  const fs::path file =
      fs::temp_directory_path() / fmt::format("ptxmc-{}-{}.ptx", ::getpid(), next.fetch_add(1));
  {
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out) throw std::runtime_error("cannot write " + file.string());
  }
  const std::string command =
      fmt::format("'{}' -O1 -arch={} -o /dev/null '{}' 2>&1", path_, arch, file.string());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + path_);
  Assembly result;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
    result.output.append(buffer, got);
  const int status = ::pclose(pipe);
  fs::remove(file);
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 127) throw std::runtime_error("cannot run " + path_);
  result.accepted = WEXITSTATUS(status) == 0;
  static const std::regex shape(R"(line (\d+); (?:error|fatal)\s*: (.*))");
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, shape)) result.errors.emplace(std::stoi(match[1]), match[2]);
  }
  return result;
}

}  // namespace ptxmc::test
