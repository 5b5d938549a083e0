// SPDX-License-Identifier: Apache-2.0
#include "face/cli/sandbox.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "face/cli/workers.h"

namespace ptxmc::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTurn = 0.2;  // seconds between two looks at the progress line

// What a child says: I and the input it takes, T and the name of the test it begins, S and the reports that the
// test gets if it is stopped from now on (beyond its time; beyond its memory), R and its report, E at the end of the
// input.
enum class Saying : char { input = 'I', test = 'T', so_far = 'S', report = 'R', end = 'E' };

std::string message(Saying word, std::string_view text = {}) {
  std::string out(1, static_cast<char>(word));
  return out.append(text);
}

/// Much memory, once used, is given back by the end of its process alone; and Z3 that was refused memory does
/// not recover.
bool has_grown(const Confines& confines) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr std::size_t kMuch = std::size_t{256} << 20;
  const std::size_t limit = confines.bytes ? std::min(kMuch, *confines.bytes / 2) : kMuch;
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024 > limit;
}

}  // namespace

/// A number in memory that all children share.
class SandboxedRun::Counter {
 public:
  std::uint64_t take() { return std::atomic_ref(*value_).fetch_add(1); }
  std::uint64_t value() { return std::atomic_ref(*value_).load(); }

 private:
  Shared<std::uint64_t> value_;
};

/// A child, the input that it is at, and since when it is at its test.
class SandboxedRun::Worker {
 public:
  explicit Worker(SandboxedRun& run) : run_(run) { start(); }

  bool busy() const { return child_.has_value(); }
  int descriptor() const { return child_->descriptor(); }

  /// Seconds until it has to be stopped; nothing: no limit.
  std::optional<double> left() const {
    if (!run_.confines_.seconds) return std::nullopt;
    return run_.confines_.patience() - std::chrono::duration<double>(Clock::now() - since_).count();
  }

  void receive() {
    for (const std::string& text : child_->receive()) take(text);
    if (!child_->ended()) return;
    const Ending ending = child_->ending();
    child_.reset();
    if (at_input_) lose(lost_test(ending));
    if (at_input_ || ending.well) start();
  }

  void stop() {
    child_.reset();
    if (at_input_) lose(so_far_ ? so_far_->late : gave_up(run_.work_.options, file(), test_, "timeout"));
    start();
  }

 private:
  const std::string& file() const { return run_.work_.inputs[input_].name; }

  // Goes on where the last child was stopped, or with the next input.
  void start() {
    since_ = Clock::now();
    if (!at_input_ && run_.next_->value() >= run_.work_.inputs.size()) return;
    child_.emplace(run_.confines_, [this](const Child::Send& send) { work(send); });
  }

  // In the child.
  void work(const Child::Send& send) {
    const std::size_t count = run_.work_.inputs.size();
    while (at_input_ || (input_ = run_.next_->take()) < count) {
      send(message(Saying::input, pack(input_)));
      report_on(
          run_.work_, input_, at_input_ ? tests_ : 0,
          [&](const litmus::Test& test) { send(message(Saying::test, test.name)); },
          [&](const TestReport& report) { send(message(Saying::report, pack(report))); },
          [&](const Stopped& stopped) {
            std::string all;
            for (const TestReport* report : {&stopped.late, &stopped.large, &stopped.killed}) {
              const std::string packed = pack(*report);
              all += pack(packed.size()) + packed;
            }
            send(message(Saying::so_far, all));
          });
      send(message(Saying::end));
      at_input_ = false;
      if (has_grown(run_.confines_)) return;
    }
  }

  void take(const std::string& text) {
    const std::string_view rest = std::string_view(text).substr(1);
    if (static_cast<Saying>(text[0]) != Saying::so_far) since_ = Clock::now();
    switch (static_cast<Saying>(text[0])) {
      case Saying::so_far: {
        std::string_view reports = rest;
        so_far_.emplace();
        for (TestReport* report : {&so_far_->late, &so_far_->large, &so_far_->killed}) {
          const std::uint64_t size = unpack_number(reports);
          *report = unpack_report(reports.substr(sizeof size, size));
          reports.remove_prefix(sizeof size + size);
        }
        return;
      }
      case Saying::input:
        if (!at_input_) tests_ = 0;
        input_ = unpack_number(rest);
        at_input_ = true;
        begun_ = false;
        test_.clear();
        return;
      case Saying::test:
        test_ = rest;
        begun_ = true;
        so_far_.reset();
        return;
      case Saying::report:
        return report(unpack_report(rest));
      case Saying::end:
        return end();
    }
  }

  void report(TestReport report) {
    run_.reports_[input_].push_back(std::move(report));
    ++tests_;
    begun_ = false;
    test_.clear();
    so_far_.reset();
  }

  void end() {
    at_input_ = false;
    run_.complete_[input_] = 1;
    ++run_.done_;
  }

  // A test took its child along; without a test, the input did, and there is nothing to go on with.
  void lose(TestReport lost) {
    const bool readable = begun_;
    report(std::move(lost));
    if (!readable) end();
  }

  TestReport large() const {
    TestReport out = so_far_ ? so_far_->large : gave_up(run_.work_.options, file(), test_, "memory");
    const std::string note = memory_note(run_.confines_);
    if (!note.empty()) out.messages += fmt::format("{}: note: {}\n", file(), note);
    return out;
  }

  TestReport lost_test(const Ending& ending) const {
    const Options& options = run_.work_.options;
    if (ending.memory) return large();
    if (ending.killed) return so_far_ ? so_far_->killed : gave_up(options, file(), test_, "killed");
    return failed(options, file(),
                  fmt::format("the process that worked on it died of signal {}", ending.signal));
  }

  SandboxedRun& run_;
  std::optional<Child> child_;
  std::size_t input_ = 0;
  std::size_t tests_ = 0;          // of the input, that have their reports
  bool at_input_ = false;          // it has begun, and not ended
  bool begun_ = false;             // a test of it has, and has no report
  std::string test_;               // its name
  std::optional<Stopped> so_far_;  // what it has said of it
  Clock::time_point since_;
};

SandboxedRun::SandboxedRun(const Work& work, const Confines& confines, std::size_t workers)
    : work_(work),
      confines_(confines),
      next_(std::make_unique<Counter>()),
      reports_(work.inputs.size()),
      complete_(work.inputs.size(), 0) {
  for (std::size_t i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>(*this));
}

SandboxedRun::~SandboxedRun() = default;

std::vector<TestReport> SandboxedRun::take(std::size_t input, const std::function<void(std::size_t)>& idle) {
  auto last = Clock::now();
  while (!complete(input)) {
    if (!wait()) reports_[input].push_back(abandoned(input));
    if (std::chrono::duration<double>(Clock::now() - last).count() < kTurn) continue;
    last = Clock::now();
    idle(done_);
  }
  return std::move(reports_[input]);
}

// Its child died before it could say what it is at.
TestReport SandboxedRun::abandoned(std::size_t input) {
  complete_[input] = 1;
  ++done_;
  return gave_up(work_.options, work_.inputs[input].name, "", "memory");
}

// False: no worker works any more.
bool SandboxedRun::wait() {
  std::vector<pollfd> descriptors;
  std::vector<Worker*> busy;
  double seconds = kTurn;
  for (const auto& worker : workers_) {
    if (!worker->busy()) continue;
    busy.push_back(worker.get());
    descriptors.push_back({worker->descriptor(), POLLIN, 0});
    if (const auto left = worker->left()) seconds = std::min(seconds, std::max(*left, 0.0));
  }
  if (busy.empty()) return false;
  const int found = ::poll(descriptors.data(), descriptors.size(), static_cast<int>(seconds * 1000) + 1);
  if (found < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  for (std::size_t i = 0; i < busy.size(); ++i) {
    if (found > 0 && descriptors[i].revents != 0) {
      busy[i]->receive();
    } else if (const auto left = busy[i]->left(); left && *left < 0) {
      busy[i]->stop();
    }
  }
  return true;
}

}  // namespace ptxmc::cli
