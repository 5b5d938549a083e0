// SPDX-License-Identifier: Apache-2.0
// The verb `verify`: one execution of a kernel, and what it says of the others.
#include "cli/verify_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "cli/confirm.h"
#include "cli/inputs.h"
#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/verify_batch.h"
#include "cli/verify_mutants.h"
#include "cli/verify_runs.h"
#include "cli/verify_schedules.h"
#include "cli/verify_subject.h"
#include "cli/verify_turns.h"
#include "cli/verify_waits.h"
#include "kernel/run.h"
#include "report/timeline.h"
#include "report/verify.h"
#include "report/verify_findings.h"
#include "report/verify_html.h"
#include "report/verify_json.h"
#include "report/verify_results.h"
#include "support/refuse.h"
#include "trace/detector.h"

namespace ptxmc::cli {

namespace {

constexpr std::size_t kMostAsked = 8;  // findings

/// A kernel's name as a part of a file's: "SamplingFromLogitsKernel".
std::string file_stem(const std::string& kernel) {
  constexpr std::size_t kMost = 60;
  std::string out;
  for (const char c : kernel.substr(kernel.rfind(':') + 1)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '+';
    out += plain ? c : '_';
  }
  return out.substr(0, kMost);
}

/// Asks the exact engine about the first race of each group.
void ask_exactly(const Subject& subject, const Runs& runs, const VerifyOptions& options,
                 report::Verified& verified) {
  if (!options.confirm && options.litmus.empty()) return;
  const std::vector<std::size_t> numbers = report::representatives(verified);
  if (numbers.empty()) return;
  const Session session(options.common.settings);
  std::map<std::size_t, std::vector<trace::Finding>> races;  // by the run that shows them
  for (std::size_t i = 0; i < std::min(numbers.size(), kMostAsked); ++i)
    races[runs.shown_by[numbers[i]]].push_back(verified.findings[numbers[i]]);
  std::map<std::size_t, Confirmer> confirmers;
  std::size_t asked = 0;
  for (const std::size_t number : numbers) {
    report::ExactAnswer& answer = verified.exact[number];
    if (asked++ >= kMostAsked || interrupted()) {
      answer.why = interrupted() ? "interrupted" : "the engine was asked about others";
      continue;
    }
    const std::size_t run = runs.shown_by[number];
    const Ran ran{subject.test, subject.inner_maps, runs.options[run]};
    const Confirmer& confirmer = confirmers.try_emplace(run, session, ran, races[run]).first->second;
    const std::string name = fmt::format("{}-{}", file_stem(verified.name), number);
    const Confirmed confirmed = confirmer.ask(verified.findings[number], name);
    if (confirmed.answer != Confirmation::open) answer.races = confirmed.answer == Confirmation::confirmed;
    answer.why = confirmed.why;
    if (options.litmus.empty() || confirmed.test.empty()) continue;
    answer.file = (std::filesystem::path(options.litmus) / (name + ".litmus")).string();
    std::error_code ignored;  // the file says what is wrong
    std::filesystem::create_directories(options.litmus, ignored);
    OutputFile file(answer.file, {});
    file.stream() << confirmed.test;
    file.commit();
  }
}

/// Reports of all runs together.
struct Collected {
  report::VerifySarif sarif{PTXMC_VERSION};
  report::VerifyHtml html;
  std::string results;  // lines of report/verify_results.h
};

/// The run is repeated for it.
report::Timeline timeline_of(const report::Verified& verified, const Ran& ran) {
  report::TimelineRecorder recorder(report::drawn_findings(verified));
  kernel::Run(ran.program, &recorder, ran.inner_maps).run(ran.limits);
  return recorder.take();
}

void print(const report::Verified& verified, const Ran& ran, const VerifyOptions& options, std::ostream& out,
           Collected& collected) {
  switch (options.format) {
    case VerifyFormat::text:
      out << report::verify_text(verified, options.common.quiet);
      break;
    case VerifyFormat::json:
    case VerifyFormat::junit:  // from those lines
      break;
    case VerifyFormat::sarif:
      collected.sarif.add(verified);
      break;
    case VerifyFormat::html:
      collected.html.add(verified, timeline_of(verified, ran));
      break;
  }
}

Status status_of(const report::Verified& verified, Severity fail_on) {
  if (std::any_of(verified.findings.begin(), verified.findings.end(),
                  [&](const trace::Finding& finding) { return trace::severity_of(finding.rule) >= fail_on; }))
    return Status::unmet;
  switch (report::answer_of(verified)) {
    case report::VerifyAnswer::finding:
      return Status::unmet;
    case report::VerifyAnswer::bounded:
      return Status::unknown;
    case report::VerifyAnswer::exact:
      break;
  }
  return Status::ok;
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
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < kPeriod) return std::nullopt;
    shown_ = now;
    if (!ended_) line_.show_run(name_, instructions);
    return std::nullopt;
  }
  /// The run is over: what is asked behind it shows nothing.
  void end() {
    ended_ = true;
    line_.clear();
  }

 private:
  const std::string& name_;
  std::optional<std::size_t> memory_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
  unsigned calls_ = 0;
  bool ended_ = false;
};

/// Is more than text printed, or all of it summed up?
bool keeps_results(const VerifyOptions& options) {
  return options.summary || options.format == VerifyFormat::json || options.format == VerifyFormat::junit;
}

void print_mutants(const Subject& subject, const VerifyOptions& options, const report::Verified& verified,
                   const kernel::Options& limits, std::ostream& out) {
  const std::vector<report::Mutant> mutants = run_mutants(subject, verified, limits);
  out << (options.format == VerifyFormat::json
              ? report::mutants_json(verified.name, mutants)
              : fmt::format("Verify {}\n{}", verified.name, report::mutants_text(mutants)));
}

/// Do the same writes let loops that poll memory go on in all schedules? If so, each takes no more than what it then does.
void settle_waits(const Subject& subject, const std::map<trace::Address, std::uint8_t>& polled,
                  const kernel::Options& limits, report::Verified& verified) {
  report::Verified settled = verified;
  settled.waits_settled = true;
  if (polled.empty() || report::answer_of(settled) != report::VerifyAnswer::exact) return;
  Waits::Result result = Waits(subject, polled).run(limits);
  if (!result.verified.waits_settled) return;
  verified.waits_settled = true;
  verified.outcome = std::move(result.verified.outcome);
  verified.findings = std::move(result.verified.findings);
}

/// What else holds in other schedules. The runs are those that show the findings.
Runs look_further(const Subject& subject, const trace::Detector& detector, const VerifyOptions& options,
                  const kernel::Options& limits, report::Verified& verified) {
  const kernel::End end = verified.outcome.end;
  const bool whole = end == kernel::End::finished || end == kernel::End::deadlock;
  const bool looks = options.trace && whole && !options.mutate && options.choices != 0;
  Runs runs{{limits}, std::vector<std::size_t>(verified.findings.size(), 0)};
  if (looks && !detector.contended().empty()) {
    runs = take_turn_orders(subject, detector, limits, options.choices, verified);
  } else if (options.trace) {
    settle_waits(subject, detector.polled(), limits, verified);
    runs.shown_by.assign(verified.findings.size(), 0);
  }
  if (looks) try_schedules(subject, limits, options.choices, verified, runs);
  return runs;
}

Status verify_one(const std::string& input, const Subject& subject, const VerifyOptions& options,
                  Streams& streams, std::ostream& out, Collected& collected) {
  trace::Detector detector;
  kernel::Run run(subject.test, options.trace ? &detector : nullptr, subject.inner_maps);
  kernel::Options limits;
  limits.steps = options.steps;
  limits.waits_fail = options.waits_fail;
  limits.budget = options.common.settings.timeout;
  Watch watch(input, options.common, streams);
  limits.stop = [&](std::uint64_t instructions) { return watch.look(instructions); };
  report::Verified verified;
  verified.name = subject.test.name;
  verified.program = &subject.test;
  verified.ctas = subject.ctas;
  verified.of_ctas = subject.of_ctas;
  verified.compared = subject.compared;
  verified.orders = options.trace;
  verified.sizes = subject.sizes;
  verified.peers = subject.peers;
  verified.run = &run;
  verified.outcome = run.run(limits);
  verified.findings = detector.findings();
  const Runs runs = look_further(subject, detector, options, limits, verified);
  watch.end();
  if (options.mutate) {
    if (!interrupted()) print_mutants(subject, options, verified, limits, out);
    return status_of(verified, options.fail_on);
  }
  ask_exactly(subject, runs, options, verified);
  const std::vector<std::size_t>& shown_by = runs.shown_by;
  const Ran drawn{subject.test, subject.inner_maps, runs.options[shown_by.empty() ? 0 : shown_by.front()]};
  print(verified, drawn, options, out, collected);
  const Status status = status_of(verified, options.fail_on);
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
      status = worse(status, Status::input);
      if (keeps_results(options))
        collected.results += report::error_line(input.name, static_cast<int>(Status::input), error.what());
    }
  };
  std::vector<Subject> subjects;
  guarded([&] {
    if (options.mutate && (options.format == VerifyFormat::sarif || options.format == VerifyFormat::junit ||
                           options.summary || !options.trace))
      refuse(
          "--mutate compares findings, in words or as JSON: not with --format sarif or junit, nor with "
          "--summary or "
          "--no-orders");
    if (!input.error.empty()) refuse(input.error);
    subjects = read_subjects(input, options, streams.in);
  });
  for (const Subject& subject : subjects) {
    guarded(
        [&] { status = worse(status, verify_one(input.name, subject, options, streams, out, collected)); });
    if (interrupted()) break;
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
  if (options.format == VerifyFormat::sarif) out << collected.sarif.print();
  if (options.format == VerifyFormat::html) out << collected.html.print();
  if (options.format == VerifyFormat::junit) out << report::results_junit(results);
  if (options.summary && options.format == VerifyFormat::text) out << report::results_text(results);
}

}  // namespace

Status verify_files(const VerifyOptions& options, Streams& streams) {
  if (options.merge) return merge_results(options, streams);
  const Interruptible interruptible;
  const std::vector<Input> inputs = inputs_of(options);
  const bool alone = options.common.jobs == 1;
  if (!alone && (options.format == VerifyFormat::sarif || options.format == VerifyFormat::html))
    refuse("--jobs: a SARIF file or a page is of one process");
  std::vector<std::string> read;
  for (const Input& input : inputs) read.push_back(input.name);
  return with_output(options.common.output, read, streams, [&](std::ostream& out) {
    Status status = Status::ok;
    Collected collected;
    const auto ended = [&](Status its, const std::string& results) {
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
    print_collected(collected, options, out);
    return status;
  });
}

}  // namespace ptxmc::cli
