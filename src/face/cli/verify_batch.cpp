// SPDX-License-Identifier: Apache-2.0
#include "face/cli/verify_batch.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "face/cli/interrupt.h"
#include "face/cli/output_file.h"
#include "face/cli/reports.h"
#include "report/junit/results.h"
#include "report/text/results.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWays = std::size(kCuts);
constexpr double kAfterInterrupt = 0.6;  // seconds, in which a process ends by itself

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Texts one after the other, for another process of this program.
class Packed {
 public:
  Packed() = default;
  explicit Packed(std::string_view text) : rest_(text) {}

  void put(std::string_view text) {
    out_ += pack(text.size());
    out_ += text;
  }
  void put(std::uint64_t number) { out_ += pack(number); }
  const std::string& text() const { return out_; }

  std::uint64_t number() {
    const std::uint64_t out = unpack_number(rest_);
    rest_.remove_prefix(sizeof out);
    return out;
  }
  std::string take() {
    const std::uint64_t size = number();
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }

 private:
  std::string out_;
  std::string_view rest_;
};

void put(Packed& to, const InputReport& report) {
  for (const std::string* text : {&report.out, &report.err, &report.results, &report.accepted}) to.put(*text);
  to.put(static_cast<std::uint64_t>(report.status));
  to.put(std::uint64_t{report.decided ? 1U : 0U});
  to.put(std::uint64_t{report.sections.size()});
  for (const report::VerifySection& section : report.sections) {
    to.put(section.html);
    to.put(section.note);
    to.put(static_cast<std::uint64_t>(section.tone));
  }
}

InputReport take_report(Packed& from) {
  InputReport out;
  for (std::string* text : {&out.out, &out.err, &out.results, &out.accepted}) *text = from.take();
  out.status = static_cast<Status>(from.number());
  out.decided = from.number() != 0;
  out.sections.resize(from.number());
  for (report::VerifySection& section : out.sections) {
    section.html = from.take();
    section.note = from.take();
    section.tone = static_cast<report::Tone>(from.number());
  }
  return out;
}

/// What a process says: the report of a test, or those that the next one gets if it is cut.
enum class ReportFor : char { done = 'D', so_far = 'S' };

void work_in_child(const Batch& batch, std::size_t input, const Child::Send& send) {
  outlive_interrupts();
  const auto say = [&](ReportFor word, const Packed& packed) {
    send(static_cast<char>(word) + packed.text());
  };
  const Telling telling{[&](const InputReport& report) {
                          Packed packed;
                          put(packed, report);
                          say(ReportFor::done, packed);
                        },
                        [&](const std::function<InputReport(Cut)>& report_of) {
                          Packed packed;
                          for (const Cut cut : kCuts) put(packed, report_of(cut));
                          say(ReportFor::so_far, packed);
                        }};
  batch.work(input, telling);
}

/// The process of an input.
class Worker {
 public:
  Worker(const Batch& batch, std::size_t input)
      : batch_(batch), input_(input), child_(std::in_place, batch.confines, [&](const Child::Send& send) {
          work_in_child(batch, input, send);
        }) {}

  std::size_t input() const { return input_; }
  int descriptor() const { return child_->descriptor(); }
  bool ended() const { return !child_; }
  const InputReport& report() const { return report_; }

  /// Reads what is there.
  void take() {
    for (const std::string& text : child_->receive()) take(text);
    if (!child_->ended()) return;
    const Ending ending = child_->ending();
    child_.reset();
    if (ending.well) return;
    if (ending.timeout) return cut(Cut::timeout);
    if (ending.memory) return cut(Cut::memory);
    if (ending.killed) return cut(Cut::killed);
    const std::string& name = batch_.inputs[input_];
    const std::string why = fmt::format("its process died of signal {}", ending.signal);
    const Status status = Status::failure;
    InputReport died;
    died.err = fmt::format("{}: {}\n", name, why);
    died.results = report::error_line(name, static_cast<int>(status), why);
    died.status = status;
    report_.add(died);
  }
  /// Ends it if its time is over, or if it was interrupted long ago.
  void look(const std::optional<Clock::time_point>& interrupted_at) {
    if (ended()) return;
    if (interrupted_at) {
      if (!std::exchange(told_, true)) child_->interrupt();
      if (seconds_since(*interrupted_at) > kAfterInterrupt) stop(Cut::interrupted);
    } else if (batch_.confines.seconds && seconds_since(since_) > batch_.confines.patience()) {
      stop(Cut::timeout);
    }
  }

 private:
  void take(const std::string& text) {
    Packed packed(std::string_view(text).substr(1));
    switch (static_cast<ReportFor>(text.front())) {
      case ReportFor::done:
        report_.add(take_report(packed));
        so_far_.reset();
        since_ = Clock::now();
        break;
      case ReportFor::so_far:
        so_far_.emplace();
        for (InputReport& report : *so_far_) report = take_report(packed);
        break;
    }
  }
  void stop(Cut why) {
    child_.reset();
    cut(why);
  }
  void cut(Cut why) {
    report_.add(so_far_ ? (*so_far_).at(static_cast<std::size_t>(why)) : batch_.nothing(input_, why));
    const std::string note = why == Cut::memory ? memory_note(batch_.confines) : "";
    if (!note.empty()) report_.err += fmt::format("{}: note: {}\n", batch_.inputs[input_], note);
  }

  const Batch& batch_;
  std::size_t input_;
  std::optional<Child> child_;
  InputReport report_;
  std::optional<std::array<InputReport, kWays>> so_far_;
  Clock::time_point since_ = Clock::now();
  bool told_ = false;  // that it is interrupted
};

class Processes {
 public:
  explicit Processes(const Batch& batch) : batch_(batch) {}

  void run() {
    while (emitted_ < batch_.inputs.size()) {
      start();
      if (workers_.empty()) return;  // interrupted
      wait();
      std::erase_if(workers_, [&](const std::unique_ptr<Worker>& worker) {
        if (!worker->ended()) return false;
        done_.emplace(worker->input(), worker->report());
        return true;
      });
      emit();
    }
  }

 private:
  void start() {
    const unsigned jobs = batch_.jobs != 0 ? batch_.jobs : std::max(std::thread::hardware_concurrency(), 1U);
    while (next_ < batch_.inputs.size() && workers_.size() < jobs && !interrupted())
      workers_.push_back(std::make_unique<Worker>(batch_, next_++));
  }

  void wait() {
    constexpr int kMilliseconds = 50;
    std::vector<pollfd> waiting;
    for (const auto& worker : workers_) waiting.push_back({worker->descriptor(), POLLIN, 0});
    const int found = ::poll(waiting.data(), waiting.size(), kMilliseconds);
    if (interrupted() && !interrupted_at_) interrupted_at_ = Clock::now();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (found > 0 && waiting[i].revents != 0) workers_[i]->take();
      workers_[i]->look(interrupted_at_);
    }
  }

  /// In their order; of those that are interrupted all that there are.
  void emit() {
    const bool all = interrupted_at_ && workers_.empty();
    for (auto first = done_.begin(); first != done_.end() && (all || first->first == emitted_);
         first = done_.begin()) {
      batch_.emit(first->second);
      done_.erase(first);
      ++emitted_;
    }
  }

  const Batch& batch_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<std::size_t, InputReport> done_;
  std::size_t next_ = 0, emitted_ = 0;
  std::optional<Clock::time_point> interrupted_at_;
};

}  // namespace

std::string_view name_of(Cut cut) {
  constexpr std::array<std::string_view, kWays> kNames = {"timeout", "memory", "killed", "interrupted"};
  return kNames.at(static_cast<std::size_t>(cut));
}

void InputReport::add(const InputReport& next) {
  out += next.out;
  err += next.err;
  results += next.results;
  accepted += next.accepted;
  sections.insert(sections.end(), next.sections.begin(), next.sections.end());
  status = worse(status, next.status);
  decided = decided || next.decided;
}

void verify_in_processes(const Batch& batch) {
  Processes(batch).run();
}

Status merge_results(const VerifyOptions& options, Streams& streams) {
  std::vector<report::VerifyResult> results;
  std::vector<std::string> read;
  for (const std::string& file : options.common.files) {
    const Input input{file, ""};
    read.push_back(file);
    report::add_results(read_input(input, streams.in, kMaxLogBytes)->text, file, results);
  }
  if (results.empty()) refuse("--merge: no results in these files");
  Status status = Status::ok;
  for (const report::VerifyResult& one : results) status = worse(status, static_cast<Status>(one.status));
  return with_output(options.common.output, read, streams, [&](std::ostream& out) {
    switch (options.common.format) {
      case Format::text:
        out << report::results_text(results);
        break;
      case Format::json:
        for (const report::VerifyResult& one : results) out << one.line << "\n";
        break;
      case Format::junit:
        out << report::results_junit(results, "ptxmc verify");
        break;
      default:
        refuse("--merge prints text, json or junit: the lines do not hold the rest");
    }
    return status;
  });
}

}  // namespace ptxmc::cli
