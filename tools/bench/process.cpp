// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <stdexcept>
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
bool drain(int input, pid_t child, Clock::time_point start, double limit, std::string& output,
           std::size_t kept = ~std::size_t{0}) {
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
    if (got > 0) output.append(buffer, std::min(static_cast<std::size_t>(got), kept - output.size()));
  }
}

int wait_for(pid_t child, rusage& usage) {
  int status = 0;
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) fail("wait");
  }
  return status;
}

[[noreturn]] void work_and_exit(const std::function<std::string()>& work, int output) {
  try {
    const std::string result = work();
    for (std::size_t sent = 0; sent < result.size();) {
      const ssize_t got = write(output, result.data() + sent, result.size() - sent);
      if (got < 0 && errno != EINTR) _exit(1);
      if (got > 0) sent += static_cast<std::size_t>(got);
    }
  } catch (const std::exception&) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

// The kernel counts the memory that a child has between fork and exec towards the program's peak: keep it
// small.
Measured measure(const std::vector<std::string>& command, double limit, std::size_t kept) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  malloc_trim(0);
  const Clock::time_point start = Clock::now();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(command, ends[1]);
  close(ends[1]);
  Measured result;
  result.timed_out = drain(ends[0], child, start, limit, result.output, kept);
  close(ends[0]);
  rusage usage{};
  const int status = wait_for(child, usage);
  result.wall = seconds_since(start);
  result.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) work_and_exit(work, ends[1]);
  close(ends[1]);
  std::string result;
  drain(ends[0], child, Clock::now(), 24 * 3600, result);
  close(ends[0]);
  rusage usage{};
  if (wait_for(child, usage) != 0) throw std::runtime_error("a measuring child process failed");
  return result;
}

}  // namespace ptxmc::bench
