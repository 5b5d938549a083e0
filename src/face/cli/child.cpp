// SPDX-License-Identifier: Apache-2.0
#include "face/cli/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "support/budget.h"
#include "support/check.h"

namespace ptxmc::cli {

namespace {

// Exit status of a child that says so itself.
constexpr int kOutOfMemory = 86;
constexpr int kOutOfTime = 87;

// Sanitizers reserve more than any limit.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimits = false;
#elif defined(__has_feature)
constexpr bool kLimits = !__has_feature(address_sanitizer);
#else
constexpr bool kLimits = true;
#endif

rlim_t soft_limit(int resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// Private memory that the process may write: what RLIMIT_DATA counts.
std::size_t data_in_use() {
  constexpr int kData = 5;  // of the columns of statm: data and stack, in pages
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  for (int i = 0; i <= kData; ++i) statm >> pages;
  return statm ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

/// A number that a file of the system holds, alone or behind a word at the beginning of a line; nothing: none, "max" say.
std::optional<std::uint64_t> system_number(const char* path, std::string_view word = {}) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(word)) continue;
    const std::size_t first = line.find_first_not_of(" \t:", word.size());
    std::uint64_t value = 0;
    if (first == std::string::npos) continue;
    const auto [end, error] = std::from_chars(line.data() + first, line.data() + line.size(), value);
    if (error == std::errc() && end != line.data() + first) return value;
  }
  return std::nullopt;
}

/// Processes that the system has killed as memory was short.
std::uint64_t system_kills() {
  return system_number("/proc/vmstat", "oom_kill ").value_or(0);
}

void limit_memory(std::size_t bytes) {
  rlimit limit{};
  if (!kLimits || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, data_in_use() + bytes);
  ::setrlimit(RLIMIT_DATA, &limit);
}

void write_all(int pipe, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(pipe, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(0);  // no process listens any more
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

// Destructors must not run: they belong to the parent's streams and threads.
[[noreturn]] void run_child(const Confines& confines, int pipe, pid_t parent,
                            const std::function<void(const Child::Send&)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // it was gone before that
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  if (confines.bytes) limit_memory(*confines.bytes);
  const Child::Send send = [pipe](std::string_view text) {
    const auto size = static_cast<std::uint64_t>(text.size());
    char head[sizeof size];
    std::memcpy(head, &size, sizeof size);
    write_all(pipe, head, sizeof head);
    write_all(pipe, text.data(), text.size());
  };
  try {
    work(send);
  } catch (const std::bad_alloc&) {
    ::_exit(kOutOfMemory);
  } catch (const OutOfTime&) {
    ::_exit(kOutOfTime);
  } catch (...) {
    std::abort();
  }
  ::_exit(0);
}

}  // namespace

Confines confines(std::optional<double> seconds, std::optional<std::size_t> bytes) {
  const bool inherited = soft_limit(RLIMIT_AS) != RLIM_INFINITY || soft_limit(RLIMIT_DATA) != RLIM_INFINITY;
  return {seconds, bytes, inherited};
}

void lift_memory_limit() {
  rlimit limit{};
  if (!kLimits || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::size_t machine_memory() {
  constexpr std::uint64_t kKilobyte = 1024;
  std::uint64_t out = system_number("/proc/meminfo", "MemTotal:").value_or(0) * kKilobyte;
  for (const char* group : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    if (const auto most = system_number(group); most && *most != 0) out = std::min(out, *most);
  }
  return out;
}

Confines confines_or_share(std::optional<double> seconds, std::optional<std::size_t> bytes,
                           std::size_t processes) {
  Confines out = confines(seconds, bytes);
  const std::size_t share = machine_memory() / 2 / std::max<std::size_t>(processes, 1);
  if (out.bytes || share == 0) return out;
  out.bytes = share;
  out.by_default = true;
  return out;
}

std::string memory_note(const Confines& confines) {
  if (!confines.by_default || !confines.bytes) return "";
  constexpr double kGigabyte = 1 << 30;
  return fmt::format(
      "it needs more than {:.1f} GB, its share of half of the memory of this machine; --memory MB sets "
      "another limit",
      static_cast<double>(*confines.bytes) / kGigabyte);
}

std::string_view Ending::limit() const {
  if (well) return "";
  if (timeout) return "timeout";
  if (memory) return "memory";
  return killed ? "killed" : "";
}

Child::Child(const Confines& confines, const std::function<void(const Send&)>& work)
    : confines_(confines), system_kills_(system_kills()) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    run_child(confines, ends[1], parent, work);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
  if (process_ < 0) {
    ::close(pipe_);
    throw std::system_error(errno, std::generic_category(), "fork");
  }
}

Child::~Child() {
  ::close(pipe_);
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::interrupt() const {
  if (process_ > 0) ::kill(process_, SIGINT);
}

std::vector<std::string> Child::receive() {
  std::vector<std::string> out;
  char block[1 << 16];
  ssize_t size = 0;
  do {
    size = ::read(pipe_, block, sizeof block);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) {
    ended_ = true;
  } else {
    buffer_.append(block, static_cast<std::size_t>(size));
    take_messages(out);
  }
  return out;
}

void Child::take_messages(std::vector<std::string>& out) {
  std::size_t at = 0;
  std::uint64_t size = 0;
  while (buffer_.size() - at >= sizeof size) {
    std::memcpy(&size, buffer_.data() + at, sizeof size);
    if (buffer_.size() - at - sizeof size < size) break;
    out.push_back(buffer_.substr(at + sizeof size, size));
    at += sizeof size + size;
  }
  buffer_.erase(0, at);
}

// A process that is short of memory may end in many ways: it says so, an allocation fails in an unexpected place, the
// stack cannot grow, or the system kills it, and counts that. Any other SIGKILL comes from a person or a scheduler.
Ending Child::ending() {
  int status = 0;
  rusage usage{};
  while (::wait4(process_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  process_ = 0;
  Ending out;
  out.well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (out.well) return out;
  out.timeout = WIFEXITED(status) && WEXITSTATUS(status) == kOutOfTime;
  if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
  const auto used = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  const bool much = confines_.bytes && used > *confines_.bytes / 2;
  const bool by_kill = out.signal == SIGKILL;
  // Lack of memory causes only some of the signals by which a process says that it is wrong.
  const bool wrong = out.signal == SIGFPE || out.signal == SIGILL || out.signal == SIGSYS || by_kill;
  out.memory = (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) ||
               (by_kill && system_kills() != system_kills_) || ((much || confines_.inherited) && !wrong);
  out.killed = by_kill && !out.memory;
  return out;
}

std::string run_confined(const Confines& confines, const std::function<void(const Child::Send&)>& work,
                         const Child::Send& take) {
  using Clock = std::chrono::steady_clock;
  if (!confines.any()) {
    work(take);
    return "";
  }
  const auto start = Clock::now();
  Child child(confines, work);
  while (!child.ended()) {
    int milliseconds = -1;
    if (confines.seconds) {
      const double left = confines.patience() - std::chrono::duration<double>(Clock::now() - start).count();
      if (left < 0) return "timeout";
      milliseconds = static_cast<int>(std::min(left * 1000, 1e6)) + 1;
    }
    pollfd descriptor{child.descriptor(), POLLIN, 0};
    if (::poll(&descriptor, 1, milliseconds) <= 0) continue;
    for (const std::string& text : child.receive()) take(text);
  }
  const Ending ending = child.ending();
  if (ending.well || !ending.limit().empty()) return std::string(ending.limit());
  throw InternalError("a process died of signal " + std::to_string(ending.signal));
}

Outcome run_confined(const Confines& confines, const std::function<std::string()>& work) {
  Outcome out;
  out.unknown = run_confined(
      confines, [&](const Child::Send& send) { send(work()); },
      [&](std::string_view text) { out.text = text; });
  if (!out.unknown.empty()) out.text.clear();
  return out;
}

}  // namespace ptxmc::cli
