// SPDX-License-Identifier: Apache-2.0
#include "face/cli/workers.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

namespace ptxmc::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPoll = std::chrono::milliseconds(5);
constexpr double kGrace = 10;  // seconds for a killed process to go; its GPU may hold it

/// Why a child ends of its own will.
enum class Leave : std::uint8_t { no, fresh, enough };

/// Which item the child is at, and whether it is about to end (a process that holds a stuck GPU may take its
/// time for that).
struct Place {
  std::atomic<std::uint64_t> item;
  std::atomic<Leave> leave;
};

[[noreturn]] void child(Place& place, std::uint64_t count, pid_t parent,
                        const std::function<Next(std::uint64_t)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // it was gone before that
  // Destructors must not run: they could wait for what is stuck.
  for (std::uint64_t i = place.item; i < count; ++i) {
    const Next next = work(i);
    if (next != Next::go_on) place.leave = next == Next::fresh ? Leave::fresh : Leave::enough;
    place.item = i + 1;
    if (next != Next::go_on) ::_exit(0);
  }
  place.leave = Leave::enough;
  ::_exit(0);
}

/// Its status, or nothing while it lives.
bool ended(pid_t process, int& status) {
  pid_t found = 0;
  do {
    found = ::waitpid(process, &status, WNOHANG);
  } while (found < 0 && errno == EINTR);
  return found == process;
}

void stop(pid_t process) {
  ::kill(process, SIGKILL);
  const auto begin = Clock::now();
  int status = 0;
  while (!ended(process, status) && std::chrono::duration<double>(Clock::now() - begin).count() < kGrace)
    std::this_thread::sleep_for(kPoll);
}

/// Waits until the child ends, or stays at an item for too long and is killed: `silent`.
int watch(pid_t process, const Place& place, const Limits& limits, bool& silent) {
  std::uint64_t at = place.item;
  auto since = Clock::now();
  double seconds = limits.seconds;
  bool stopping = false;
  int status = 0;
  while (!ended(process, status)) {
    const bool hurry = !stopping && limits.stop && limits.stop();
    if (place.item != at || hurry) {
      at = place.item;
      since = Clock::now();
    }
    if (hurry) {
      stopping = true;
      seconds = std::min(seconds, limits.grace);
    }
    if (std::chrono::duration<double>(Clock::now() - since).count() > seconds) {
      stop(process);
      silent = true;
      return 0;
    }
    std::this_thread::sleep_for(kPoll);
  }
  return status;
}

}  // namespace

void work_in_children(std::uint64_t count, const Limits& limits,
                      const std::function<Next(std::uint64_t)>& work,
                      const std::function<bool(const Loss&)>& lost) {
  void* memory = ::mmap(nullptr, sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  Place& place = *new (memory) Place{};
  const pid_t parent = ::getpid();
  while (place.item < count && !(limits.stop && limits.stop())) {
    const pid_t process = ::fork();
    if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (process == 0) child(place, count, parent, work);
    Loss loss;
    const int status = watch(process, place, limits, loss.silent);
    const Leave leave = place.leave.exchange(Leave::no);
    if (leave == Leave::enough) break;
    if (leave == Leave::fresh) continue;
    loss.item = place.item;
    if (!loss.silent && WIFSIGNALED(status)) loss.signal = WTERMSIG(status);
    if (!loss.silent && WIFEXITED(status)) loss.status = WEXITSTATUS(status);
    place.item = place.item + 1;
    if (!lost(loss)) break;
  }
  ::munmap(memory, sizeof(Place));
}

}  // namespace ptxmc::cli
