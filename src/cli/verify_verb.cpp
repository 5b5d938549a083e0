// SPDX-License-Identifier: Apache-2.0
// The verb `verify`: one execution of a kernel, and what it says of the others.
#include "cli/verify_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/answers.h"
#include "cli/files_read.h"
#include "cli/inputs.h"
#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/verify_batch.h"
#include "cli/verify_mutants.h"
#include "cli/verify_subject.h"
#include "explain/verify/claim.h"
#include "explain/verify/findings.h"
#include "explain/verify/timeline.h"
#include "explain/verify/verified.h"
#include "kernel/run.h"
#include "report/html/verify.h"
#include "report/json/results.h"
#include "report/json/verify.h"
#include "report/junit/results.h"
#include "report/sarif/sarif.h"
#include "report/text/results.h"
#include "report/text/verify.h"
#include "session/confirm.h"
#include "session/verify.h"
#include "session/verify_excused.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

using session::Ran;
using session::Subject;

/// Reports of all runs together.
struct Collected {
  report::VerifyHtml html;
  std::string results;  // lines of report/json/results.h
};

/// The run is repeated for it.
explain::Timeline timeline_of(const explain::Verified& verified, const Ran& ran) {
  explain::TimelineRecorder recorder(report::drawn_findings(verified));
  kernel::Run(ran.program, &recorder, ran.inner_maps).run(ran.limits);
  return recorder.take();
}

void print(const explain::Verified& verified, const Ran& ran, const VerifyOptions& options, std::ostream& out,
           Collected& collected) {
  switch (options.format) {
    case VerifyFormat::text:
      out << report::verify_text(verified, options.common.quiet);
      break;
    case VerifyFormat::json:
    case VerifyFormat::junit:  // from those lines
    case VerifyFormat::sarif:
      break;
    case VerifyFormat::html:
      collected.html.add(verified, timeline_of(verified, ran));
      break;
  }
}

/// Of this process, in memory now; 0: the system does not tell.
std::size_t resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  if (!(statistics >> all >> resident)) return 0;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Looks after a run: shows how far it is, and ends it on Ctrl-C or by --memory.
class Watch {
 public:
  Watch(const std::string& name, const Options& options, Streams& streams)
      : name_(name), memory_(options.settings.memory), line_(streams, options.progress, options.quiet) {}

  std::optional<kernel::End> look(std::uint64_t instructions) {
    constexpr auto kPeriod = std::chrono::milliseconds(200);
    constexpr unsigned kCalls = 256;
    if (interrupted()) return kernel::End::stopped;
    if (++calls_ % kCalls != 0) return std::nullopt;
    if (memory_ && resident_bytes() > *memory_) return kernel::End::out_of_memory;
    if (ended_) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < kPeriod) return std::nullopt;
    shown_ = now;
    line_.show_run(name_, instructions);
    return std::nullopt;
  }
  /// The run is over: what is asked behind it, of any number of threads, shows nothing.
  void end() {
    ended_ = true;
    line_.clear();
  }

 private:
  const std::string& name_;
  std::optional<std::size_t> memory_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
  std::atomic<unsigned> calls_ = 0;
  bool ended_ = false;
};

/// Is more than text printed, or all of it summed up?
bool keeps_results(const VerifyOptions& options) {
  return options.summary || options.format == VerifyFormat::json || options.format == VerifyFormat::junit ||
         options.format == VerifyFormat::sarif;
}

/// Asks the exact engine about the first race of each group, and writes what it is asked where that is wanted.
void ask_exactly(const Subject& subject, const VerifyOptions& options,
                 const session::VerifySettings& settings, session::Verification& verification) {
  if (!options.confirm && options.litmus.empty()) return;
  const auto told = [&](const std::string& name, const session::Confirmed& confirmed,
                        explain::ExactAnswer& answer) {
    if (options.litmus.empty() || confirmed.test.empty()) return;
    answer.file = (std::filesystem::path(options.litmus) / (name + ".litmus")).string();
    std::error_code ignored;  // the file says what is wrong
    std::filesystem::create_directories(options.litmus, ignored);
    OutputFile file(answer.file, files_read(options.common.files));
    file.stream() << confirmed.test;
    file.commit();
  };
  session::ask_exactly(subject, options.common.settings, settings, verification, told);
}

Status verify_one(const std::string& input, const Subject& subject, const VerifyOptions& options,
                  Streams& streams, std::ostream& out, Collected& collected) {
  session::VerifySettings settings = settings_of(options);
  Watch watch(input, options.common, streams);
  settings.stop = [&](std::uint64_t instructions) { return watch.look(instructions); };
  const std::unique_ptr<session::Verification> verification = session::verify(subject, settings);
  session::look_under_readings(subject, settings, *verification);
  verification->verified.selection = options.common.selection;
  const explain::Verified& verified = verification->verified;
  watch.end();
  if (options.mutate) {
    const bool whole =
        !interrupted() && print_mutants(input, subject, options, settings, *verification, streams, out);
    const Status status = status_of(answer_of(verified, options.common.selection));
    return whole ? status : worse(status, Status::unknown);
  }
  ask_exactly(subject, options, settings, *verification);
  const Ran drawn{subject.test, subject.inner_maps, verification->shown()};
  print(verified, drawn, options, out, collected);
  const Status status = status_of(answer_of(verified, options.common.selection));
  if (keeps_results(options))
    collected.results += report::result_line(input, static_cast<int>(status), report::verify_json(verified));
  constexpr double kLong = 0.2;  // seconds
  if (!options.common.quiet && verified.outcome.seconds > kLong)
    streams.err << fmt::format(
        "{}: {:.3} s, {:.3} million lane-instructions a second\n", input, verified.outcome.seconds,
        static_cast<double>(verified.outcome.instructions) / 1e6 / std::max(verified.outcome.seconds, 1e-9));
  return status;
}

/// Each test of an input; one that cannot be run is no reason to leave out the others.
Status verify_input(const Input& input, const VerifyOptions& options, Streams& streams, std::ostream& out,
                    Collected& collected) {
  Status status = Status::ok;
  const auto guarded = [&](const auto& act) {
    try {
      act();
    } catch (const InputError& error) {
      streams.err << error.what();
      const Status its = status_of(answer_of(error));
      status = worse(status, its);
      if (keeps_results(options))
        collected.results += report::error_line(input.name, static_cast<int>(its), error.diagnostics());
    }
  };
  std::vector<Subject> subjects;
  guarded([&] {
    if (options.mutate) refuse_with_mutants(options);
    if (!input.error.empty()) refuse(input.error);
    subjects = read_subjects(input, options, streams.in);
  });
  for (const Subject& subject : subjects) {
    guarded(
        [&] { status = worse(status, verify_one(input.name, subject, options, streams, out, collected)); });
    if (!interrupted()) continue;
    if (&subject != &subjects.back()) status = worse(status, status_of(Answer::unknown));
    break;
  }
  return status;
}

/// The inputs of this shard.
std::vector<Input> inputs_of(const VerifyOptions& options) {
  std::vector<Input> out = expand_inputs(options.common.files);
  std::erase_if(out, [&](const Input& input) { return !options.shard.takes(input.name); });
  return out;
}

/// An input in a process of its own.
InputReport report_of(const Input& input, const VerifyOptions& options, std::istream& in) {
  std::istringstream no_input;
  std::ostringstream out, err;
  Streams streams{input.name == "-" ? in : no_input, out, err};
  Collected collected;
  InputReport report;
  report.status = verify_input(input, options, streams, out, collected);
  report.out = out.str();
  report.err = err.str();
  report.results = std::move(collected.results);
  return report;
}

/// What is said of all runs together.
void print_collected(const Collected& collected, const VerifyOptions& options, std::ostream& out) {
  std::vector<report::VerifyResult> results;
  if (options.summary || options.format == VerifyFormat::junit)
    report::add_results(collected.results, "results", results);
  if (options.format == VerifyFormat::sarif) {
    report::Sarif sarif(PTXMC_VERSION, options.common.selection, source_of);
    sarif.add(collected.results);
    out << sarif.print();
  }
  if (options.format == VerifyFormat::html) out << collected.html.print();
  if (options.format == VerifyFormat::junit) out << report::results_junit(results, "ptxmc verify");
  if (options.summary && options.format == VerifyFormat::text) out << report::results_text(results);
}

}  // namespace

Status verify_files(const VerifyOptions& wanted, Streams& streams) {
  if (wanted.merge) return merge_results(wanted, streams);
  const Interruptible interruptible;
  const std::vector<Input> inputs = inputs_of(wanted);
  VerifyOptions options = wanted;
  if (options.mutate && inputs.size() == 1) {  // whose mutants share the work, then
    const unsigned jobs = std::exchange(options.common.jobs, 1);
    options.common.settings.jobs = jobs != 0 ? jobs : std::max(std::thread::hardware_concurrency(), 1U);
  }
  const bool alone = options.common.jobs == 1;
  if (!alone && options.format == VerifyFormat::html) refuse("--jobs: a page is of one process");
  std::vector<std::string> read;
  for (const Input& input : inputs) read.push_back(input.name);
  return with_output(options.common.output, options.common.files, streams, [&](std::ostream& out) {
    Status status = Status::ok;
    Collected collected;
    std::size_t done = 0;
    const auto ended = [&](Status its, const std::string& results) {
      ++done;
      status = worse(status, its);
      if (options.format == VerifyFormat::json) out << results;
    };
    for (std::size_t i = 0; alone && i < inputs.size() && !interrupted(); ++i) {
      const std::size_t before = collected.results.size();
      const Status its = verify_input(inputs[i], options, streams, out, collected);
      ended(its, collected.results.substr(before));
    }
    if (!alone) {
      verify_in_processes(
          read, options.common.jobs, [&](std::size_t i) { return report_of(inputs[i], options, streams.in); },
          [&](const InputReport& report) {
            out << report.out;
            streams.err << report.err;
            collected.results += report.results;
            ended(report.status, report.results);
          });
    }
    if (done < inputs.size()) {  // interrupted
      streams.err << fmt::format("ptxmc: unknown: interrupted: {} of {} inputs were not verified\n",
                                 inputs.size() - done, inputs.size());
      status = worse(status, status_of(Answer::unknown));
    }
    print_collected(collected, options, out);
    return status;
  });
}

}  // namespace ptxmc::cli
