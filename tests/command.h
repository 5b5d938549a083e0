// SPDX-License-Identifier: Apache-2.0
// What a command line printed, and its exit status; words of tables.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace ptxmc::testing {

struct Ran {
  int status = -1;     // of a command that did not run, or that a signal ended
  std::string output;  // to standard output
};

inline Ran run_command(const std::string& command) {
  Ran out;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
  return out;
}

inline std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

}  // namespace ptxmc::testing
