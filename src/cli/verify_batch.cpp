// SPDX-License-Identifier: Apache-2.0
#include "cli/verify_batch.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "cli/child.h"
#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "report/junit/results.h"
#include "report/text/results.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// An input in its process: four messages, and it has ended well.
class Worker {
 public:
  Worker(std::size_t input, const std::function<InputReport(std::size_t)>& work)
      : input_(input), child_({}, [&](const Child::Send& send) {
          const InputReport report = work(input);
          for (const std::string* text : {&report.out, &report.err, &report.results}) send(*text);
          send(std::string(1, static_cast<char>(report.status)));
        }) {}

  std::size_t input() const { return input_; }
  int descriptor() const { return child_.descriptor(); }
  /// Reads what is there. True: it has ended.
  bool take() {
    for (std::string& text : child_.receive()) messages_.push_back(std::move(text));
    return child_.ended();
  }
  InputReport report(const std::string& name) {
    constexpr std::size_t kMessages = 4;
    const Ending ending = child_.ending();
    if (ending.well && messages_.size() == kMessages)
      return {messages_[0], messages_[1], messages_[2], static_cast<Status>(messages_[3].front())};
    const std::string why =
        ending.memory ? "it ran out of memory" : fmt::format("its process died of signal {}", ending.signal);
    const Status status = ending.memory ? Status::unknown : Status::failure;
    return {"", fmt::format("{}: {}\n", name, why), report::error_line(name, static_cast<int>(status), why),
            status};
  }

 private:
  std::size_t input_;
  Child child_;
  std::vector<std::string> messages_;
};

}  // namespace

void verify_in_processes(const std::vector<std::string>& inputs, unsigned jobs,
                         const std::function<InputReport(std::size_t)>& work,
                         const std::function<void(const InputReport&)>& emit) {
  if (jobs == 0) jobs = std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<std::unique_ptr<Worker>> workers;
  std::map<std::size_t, InputReport> done;
  std::size_t next = 0, emitted = 0;
  while (emitted < inputs.size()) {
    while (next < inputs.size() && workers.size() < jobs && !interrupted())
      workers.push_back(std::make_unique<Worker>(next++, work));
    if (workers.empty()) return;  // stopped
    std::vector<pollfd> waiting;
    for (const auto& worker : workers) waiting.push_back({worker->descriptor(), POLLIN, 0});
    constexpr int kMilliseconds = 200;
    if (::poll(waiting.data(), waiting.size(), kMilliseconds) <= 0) continue;
    for (std::size_t i = workers.size(); i-- > 0;) {
      if (waiting[i].revents == 0 || !workers[i]->take()) continue;
      const std::size_t input = workers[i]->input();
      done.emplace(input, workers[i]->report(inputs[input]));
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (auto first = done.find(emitted); first != done.end(); first = done.find(emitted)) {
      emit(first->second);
      done.erase(first);
      ++emitted;
    }
  }
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
    switch (options.format) {
      case VerifyFormat::text:
        out << report::results_text(results);
        break;
      case VerifyFormat::json:
        for (const report::VerifyResult& one : results) out << one.line << "\n";
        break;
      case VerifyFormat::junit:
        out << report::results_junit(results, "ptxmc verify");
        break;
      case VerifyFormat::sarif:
      case VerifyFormat::html:
        refuse("--merge prints text, json or junit: the lines do not hold the rest");
    }
    return status;
  });
}

}  // namespace ptxmc::cli
