// SPDX-License-Identifier: Apache-2.0
// faults FILE...: runs whole command lines on these tests and lets one thing fail in each run: an allocation, the
// first, the second and so on in growing steps, or the output after so many characters. A run ends with a status
// of its own, in a child process so that a crash is seen: where memory failed, as without the fault or "unknown";
// where the output did, as without the fault or an error of output.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <map>
#include <new>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "face/cli/verbs.h"

namespace {

/// Allocations until one fails; 0 or less: none will. operator new has no arguments of ours, so this is global.
std::atomic<long> allocations_left{0};

void* allocate(std::size_t size) {
  if (allocations_left.load(std::memory_order_relaxed) > 0 && allocations_left.fetch_sub(1) == 1)
    throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using ptxmc::cli::Status;

/// Takes so many characters, and no more: a disk that is full.
class Full : public std::streambuf {
 public:
  explicit Full(std::size_t room) : room_(room) {}

 protected:
  int_type overflow(int_type c) override { return room_ == 0 ? traits_type::eof() : (--room_, c); }
  std::streamsize xsputn(const char*, std::streamsize n) override {
    const auto taken = std::min(n, static_cast<std::streamsize>(room_));
    room_ -= static_cast<std::size_t>(taken);
    return taken;
  }
  int sync() override { return room_ == 0 ? -1 : 0; }

 private:
  std::size_t room_;
};

struct Ending {
  bool crashed = false;
  int status = 0;
  bool fault = false;  ///< it came to the fault
};

constexpr std::size_t kPlenty = std::size_t{1} << 30;  // characters, more than any output has
constexpr int kNoFault = 64;  // added to the status of a child that did not come to its fault

/// Runs `work` in a child; it returns the status to exit with.
template <typename Work>
Ending in_child(Work&& work) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int how = 0;
  waitpid(child, &how, 0);
  if (!WIFEXITED(how)) return {true, WIFSIGNALED(how) ? WTERMSIG(how) : 0, true};
  return {false, WEXITSTATUS(how) & ~kNoFault, (WEXITSTATUS(how) & kNoFault) == 0};
}

Ending with_failing_allocation(const std::vector<std::string>& arguments, long which) {
  return in_child([&] {
    std::istringstream in;
    Full taken(kPlenty);  // takes output without an allocation: one that fails would be an error of output
    std::ostream out(&taken), err(&taken);
    ptxmc::cli::Streams streams{in, out, err};
    allocations_left = which;
    const int status = static_cast<int>(ptxmc::cli::run(arguments, streams));
    const bool fault = allocations_left.exchange(0) <= 0;
    return status + (fault ? 0 : kNoFault);
  });
}

Ending with_room(const std::vector<std::string>& arguments, std::size_t room) {
  return in_child([&] {
    std::istringstream in;
    std::ostringstream err;
    Full full(room);
    std::ostream out(&full);
    ptxmc::cli::Streams streams{in, out, err};
    const int status = static_cast<int>(ptxmc::cli::run(arguments, streams));
    return status + (out.good() ? kNoFault : 0);
  });
}

std::string join(const std::vector<std::string>& words) {
  std::string text = "ptxmc";
  for (const std::string& word : words) text += " " + word;
  return text;
}

class Faults {
 public:
  void allocations(const std::vector<std::string>& arguments) {
    const Ending plain = with_failing_allocation(arguments, 0);
    for (long which = 1;; which += 1 + which / 12) {
      const Ending end = with_failing_allocation(arguments, which);
      if (!end.fault) return;
      ++runs_;
      const bool good =
          !end.crashed && (end.status == static_cast<int>(Status::unknown) || end.status == plain.status);
      if (!good) complain(arguments, fmt::format("allocation {} fails", which), end);
    }
  }

  void output(const std::vector<std::string>& arguments) {
    const int written = with_room(arguments, kPlenty).status;
    for (std::size_t room = 0;; room += 1 + room / 4) {
      const Ending end = with_room(arguments, room);
      if (!end.fault) return;
      ++runs_;
      if (end.crashed || (end.status != static_cast<int>(Status::input) && end.status != written))
        complain(arguments, fmt::format("only {} characters can be written", room), end);
    }
  }

  int report() const {
    std::size_t wrong = 0;
    for (const auto& [what, found] : wrong_) {
      fmt::print("{}, {} times; first: {}\n", what, found.count, found.first);
      wrong += found.count;
    }
    fmt::print("{} runs with a fault, {} went wrong\n", runs_, wrong);
    return wrong == 0 && runs_ > 100 ? 0 : 1;
  }

 private:
  struct Wrong {
    std::size_t count = 0;
    std::string first;
  };

  void complain(const std::vector<std::string>& arguments, const std::string& fault, const Ending& end) {
    Wrong& wrong =
        wrong_[fmt::format("{}: {} {}", join(arguments), end.crashed ? "signal" : "status", end.status)];
    if (++wrong.count == 1) wrong.first = fault;
  }

  std::size_t runs_ = 0;
  std::map<std::string, Wrong> wrong_;  // by command and ending
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> files(argv + 1, argv + argc);
  Faults faults;
  for (const std::string& file : files) {
    for (const char* engine : {"explicit", "smt"})
      faults.allocations({"check", "-j", "1", "--recheck", "all", "--engine", engine, file});
    faults.allocations({"check", "--emit-ptx", file});
    faults.allocations({"races", "--engine", "explicit", file});
    faults.allocations({"explain", "--engine", "explicit", file});
    faults.output({"check", file});
    faults.output({"explain", file});
  }
  faults.allocations({"check", "-j", "2", "--engine", "explicit", files.front(), files.back()});
  return faults.report();
}
