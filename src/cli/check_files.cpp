// SPDX-License-Identifier: Apache-2.0
// Verbs that treat one test after the other, `check` first: tests are independent, so worker threads take the
// next one that is left, and the calling thread prints the reports in the order of the input as they become
// complete. What goes wrong with one test is that test's report.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include "cli/check_test.h"
#include "cli/inputs.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "cli/stated_readings.h"
#include "cli/verbs.h"
#include "report/html.h"
#include "support/check.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

/// What `report` returns, or what went wrong in it.
template <typename F>
TestReport guarded(const Options& options, const Input& input, F&& report) {
  try {
    return report();
  } catch (const InputError& error) {
    return bad_input(options, input.name, error.what());
  } catch (const std::exception& error) {
    return failed(options, input.name, error.what());
  }
}

/// One report for each test of a file.
using Reports = std::vector<TestReport>;

Reports reports_on(const Session& session, const Options& options, Treatment treat, const Input& input,
                   std::istream& in) {
  Reports out;
  std::vector<litmus::Test> tests;
  TestReport unread = guarded(options, input, [&] {
    tests = parse_input(read_input(input, in));
    return TestReport{};
  });
  if (tests.empty()) out.push_back(std::move(unread));
  for (const litmus::Test& test : tests)
    out.push_back(guarded(options, input, [&] { return treat(session, options, test); }));
  return out;
}

/// Worker threads over the inputs; reports are taken in order. Without need for a thread the taker does the
/// work.
class Pool {
 public:
  Pool(const Session& session, const Options& options, Treatment treat, const std::vector<Input>& inputs,
       std::istream& in, bool with_progress)
      : session_(session),
        options_(options),
        treat_(treat),
        inputs_(inputs),
        in_(in),
        reports_(inputs.size()) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t workers =
        std::min<std::size_t>(options.jobs == 0 ? cores : options.jobs, inputs.size());
    if (workers <= 1 && !with_progress) return;
    for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    next_ = inputs_.size();  // a pool that is left early takes no more work
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// The reports of input `index`, to be taken once each; calls `idle(done)` now and then while it waits.
  template <typename F>
  Reports take(std::size_t index, F&& idle) {
    if (threads_.empty()) return reports_on(session_, options_, treat_, inputs_[index], in_);
    constexpr std::chrono::milliseconds kTurn{200};
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kTurn, [&] { return reports_[index].has_value(); })) idle(done_);
    Reports reports = std::move(*reports_[index]);
    reports_[index].emplace();
    return reports;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < inputs_.size(); i = next_++) {
      Reports reports = reports_on(session_, options_, treat_, inputs_[i], in_);
      const std::lock_guard lock(mutex_);
      reports_[i] = std::move(reports);
      ++done_;
      changed_.notify_all();
    }
  }

  const Session& session_;
  const Options& options_;
  const Treatment treat_;
  const std::vector<Input>& inputs_;
  std::istream& in_;  // read by the one worker that takes "-"; expand_inputs() leaves at most one
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards reports_ and done_
  std::condition_variable changed_;
  std::vector<std::optional<Reports>> reports_;
  std::size_t done_ = 0;
  std::vector<std::thread> threads_;
};

// Words of the summary, by Tally.
constexpr std::array<std::string_view, 7> kTallyWords = {
    "as stated", "not as stated", "unknown", "without a stated verdict", "bad input", "failed", "explained",
};

std::string summary(const std::array<std::size_t, kTallyWords.size()>& tallies) {
  std::size_t total = 0;
  std::string parts;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    total += tallies[i];
    if (tallies[i] == 0) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", tallies[i], kTallyWords[i]);
  }
  return fmt::format("{} tests: {}\n", total, parts);
}

std::string painted(const std::string& messages, const Options& options, const Streams& streams) {
  const bool paint =
      options.color == Color::always || (options.color == Color::auto_ && streams.err_is_terminal);
  if (!paint) return messages;
  std::string out = messages;
  for (const std::string_view word : {"internal error:", "error:", "unknown:"}) {
    for (std::size_t at = 0; (at = out.find(": " + std::string(word), at)) != std::string::npos;) {
      const std::string replacement =
          fmt::format(": \x1b[1;{}m{}\x1b[0m", word == "unknown:" ? 33 : 31, word);
      out.replace(at, word.size() + 2, replacement);
      at += replacement.size();
    }
  }
  return out;
}

[[noreturn]] void refuse_second_picture() {
  Diagnostics diagnostics;
  diagnostics.error({}, "--format svg draws one test; --format html takes several");
  throw InputError(diagnostics);
}

Status treat_inputs(const Session& session, const Options& options, Treatment treat,
                    const std::vector<Input>& inputs, Streams& streams, std::ostream& out) {
  Status status = Status::ok;
  std::array<std::size_t, kTallyWords.size()> tallies{};
  std::size_t count = 0;
  if (options.format == Format::html) out << report::html_head();
  ProgressLine progress(streams, options.progress, options.quiet);
  Pool pool(session, options, treat, inputs, streams.in, progress.enabled());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Reports reports =
        pool.take(i, [&](std::size_t done) { progress.show(done, inputs.size(), inputs[i].name); });
    progress.clear();
    for (const TestReport& report : reports) {
      if (options.format == Format::svg && count > 0) refuse_second_picture();
      out << report.output << std::flush;
      streams.err << painted(report.messages, options, streams) << std::flush;
      status = worse(status, report.status);
      ++tallies[static_cast<std::size_t>(report.tally)];
      ++count;
    }
  }
  if (options.format == Format::html) out << report::html_tail();
  if (count > 1 && !options.quiet) streams.err << summary(tallies);
  return status;
}

}  // namespace

Status treat_files(const Options& options, Streams& streams, Treatment treat) {
  Settings settings = options.settings;
  // Text shows no witness; one is enough to re-check the first.
  if (options.format == Format::text && settings.recheck != Recheck::all) settings.witnesses = 1;
  const Session session(std::move(settings));
  const std::vector<Input> inputs = expand_inputs(options.files);
  if (options.output.empty()) return treat_inputs(session, options, treat, inputs, streams, streams.out);
  std::ofstream file(options.output, std::ios::binary);
  Status status = Status::input;
  if (file) status = treat_inputs(session, options, treat, inputs, streams, file);
  if (!file) {
    streams.err << fmt::format("ptxmc: error: '{}': cannot write this file\n", options.output);
    status = worse(status, Status::input);
  }
  return status;
}

Status check_files(const Options& options, Streams& streams) {
  return treat_files(options, streams,
                     [](const Session& session, const Options& how, const litmus::Test& test) {
                       const std::unique_ptr<Analysis> analysis = check_test(session, test);
                       TestReport report = present(session, how, *analysis);
                       if (how.require_verdict) judge_other_readings(session, how, *analysis, report);
                       return report;
                     });
}

}  // namespace ptxmc::cli
