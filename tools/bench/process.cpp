// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

namespace ptxmc::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

[[noreturn]] void become(const std::vector<std::string>& command, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
  }
  dup2(output, STDOUT_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

/// Reads to the end of the stream; kills the child at the limit.
bool drain(int input, pid_t child, Clock::time_point start, double limit, std::string& output) {
  bool timed_out = false;
  char buffer[1 << 16];
  while (true) {
    const double left = limit - seconds_since(start);
    if (left <= 0 && !timed_out) {
      kill(child, SIGKILL);
      timed_out = true;
    }
    pollfd wait{input, POLLIN, 0};
    const int ready = poll(&wait, 1, timed_out ? -1 : static_cast<int>(left * 1000) + 1);
    if (ready < 0 && errno != EINTR) fail("poll");
    if (ready <= 0) continue;
    const ssize_t got = read(input, buffer, sizeof buffer);
    if (got < 0 && errno != EINTR) fail("read");
    if (got == 0) return timed_out;
    if (got > 0) output.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

Measured measure(const std::vector<std::string>& command, double limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const Clock::time_point start = Clock::now();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(command, ends[1]);
  close(ends[1]);
  Measured result;
  result.timed_out = drain(ends[0], child, start, limit, result.output);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) fail("wait");
  }
  result.wall = seconds_since(start);
  result.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace ptxmc::bench
