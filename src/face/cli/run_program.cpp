// SPDX-License-Identifier: Apache-2.0
#include "face/cli/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "support/refuse.h"

extern char** environ;

namespace ptxmc::cli {

namespace {

constexpr std::size_t kMostMessages = std::size_t{1} << 16;  // bytes

/// All that it writes; of more than kMostMessages the rest is dropped.
std::string read_all(int descriptor) {
  std::string out;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return out;
    out.append(buffer.data(),
               std::min<std::size_t>(static_cast<std::size_t>(got), kMostMessages - out.size()));
  }
}

/// Words as argv has them: they point into the copy.
std::vector<char*> argument_list(std::vector<std::string>& copy) {
  std::vector<char*> out;
  for (std::string& word : copy) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

int status_at_end(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

int run_attached(const std::vector<std::string>& words) {
  std::vector<std::string> copy = words;
  std::vector<char*> arguments = argument_list(copy);
  pid_t process = 0;
  if (::posix_spawn(&process, arguments.front(), nullptr, nullptr, arguments.data(), environ) != 0)
    refuse(fmt::format("'{}' cannot be run", words.front()));
  return status_at_end(process);
}

ProgramRun run_program(const std::vector<std::string>& words) {
  std::vector<std::string> copy = words;
  std::vector<char*> arguments = argument_list(copy);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse("no pipe can be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t process = 0;
  const int failed = ::posix_spawn(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ProgramRun out;
  if (failed == 0) {
    out.output = read_all(ends[0]);
    out.status = status_at_end(process);
  }
  ::close(ends[0]);
  if (failed != 0) refuse(fmt::format("'{}' cannot be run", words.front()));
  return out;
}

std::string find_program(const std::string& name) {
  namespace fs = std::filesystem;
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    const std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace ptxmc::cli
