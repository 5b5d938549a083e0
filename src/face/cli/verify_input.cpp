// SPDX-License-Identifier: Apache-2.0
#include "face/cli/verify_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include "dynamic/claim/claim.h"
#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/run.h"
#include "explain/verify/acceptance.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/findings.h"
#include "explain/verify/timeline.h"
#include "face/cli/acceptance_notes.h"
#include "face/cli/answers.h"
#include "face/cli/files_read.h"
#include "face/cli/interrupt.h"
#include "face/cli/output_file.h"
#include "face/cli/progress.h"
#include "face/cli/verify_mutants.h"
#include "face/cli/verify_task.h"
#include "report/draw/timeline.h"
#include "report/html/check.h"
#include "report/html/verify.h"
#include "report/json/results.h"
#include "report/json/verify.h"
#include "report/text/verify.h"
#include "session/between_blocks.h"
#include "session/confirm.h"
#include "session/verify.h"
#include "session/verify_waived.h"
#include "support/refuse.h"
#include "support/source_files.h"

namespace ptxmc::cli {

namespace {

using explore::VerificationTask;
using session::Ran;
using session::Verification;

/// The run is repeated for it.
explain::Timeline timeline_of(const claim::VerifyResult& verified, const Ran& ran) {
  explain::TimelineRecorder recorder(report::drawn_findings(verified));
  exec::Run(ran.program, &recorder, ran.inner_maps).run(ran.limits);
  return recorder.take();
}

/// Memory that this process uses now, in bytes; 0: the system does not say.
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
      : name_(name),
        memory_(soft(options.settings.memory)),
        line_(streams, options.progress, options.quiet) {}

  std::optional<exec::End> look(std::uint64_t instructions) {
    constexpr auto kPeriod = std::chrono::milliseconds(200), kOfMemory = std::chrono::milliseconds(20);
    if (interrupted()) return exec::End::stopped;
    const auto now = std::chrono::steady_clock::now();
    if (memory_ && now - looked_.load() >= kOfMemory) {
      looked_ = now;
      if (resident_bytes() > *memory_) return exec::End::out_of_memory;
    }
    if (ended_ || now - shown_.load() < kPeriod) return std::nullopt;
    shown_ = now;
    line_.show_run(name_, instructions);
    return std::nullopt;
  }
  /// The run is over: what is asked after it, in any number of threads, shows nothing.
  void end() {
    ended_ = true;
    line_.clear();
  }

 private:
  using Moment = std::chrono::steady_clock::time_point;

  /// Before the limit of the process: what was found is still to be said.
  static std::optional<std::size_t> soft(std::optional<std::size_t> bytes) {
    constexpr std::size_t kTenth = 10;
    return bytes ? std::optional(resident_bytes() + *bytes - *bytes / kTenth) : std::nullopt;
  }

  const std::string& name_;
  std::optional<std::size_t> memory_;
  ProgressLine line_;
  std::atomic<Moment> shown_ = std::chrono::steady_clock::now(), looked_ = shown_.load();
  std::atomic<bool> ended_ = false;
};

/// Is more than text printed, or all of it summed up?
bool keeps_results(const VerifyOptions& options) {
  return options.summary || options.common.format == Format::json || options.common.format == Format::junit ||
         options.common.format == Format::sarif;
}

exec::End end_of(Cut cut) {
  switch (cut) {
    case Cut::timeout:
      return exec::End::out_of_time;
    case Cut::memory:
      return exec::End::out_of_memory;
    case Cut::killed:
    case Cut::interrupted:
      break;
  }
  return exec::End::stopped;
}

/// Asks the exact engine about the first race of each group, and writes what it is asked where that is wanted.
void ask_exactly(const VerificationTask& task, const VerifyOptions& options,
                 const session::VerifySettings& settings, Verification& verification) {
  if (!options.confirm && options.litmus.empty()) return;
  const auto told = [&](const std::string& name, const session::Confirmed& confirmed,
                        claim::ExactAnswer& answer) {
    if (options.litmus.empty() || confirmed.test.empty()) return;
    answer.file = (std::filesystem::path(options.litmus) / (name + ".litmus")).string();
    std::error_code ignored;  // the file says what is wrong
    std::filesystem::create_directories(options.litmus, ignored);
    OutputFile file(answer.file, files_read(options.common.files));
    file.stream() << confirmed.test;
    file.commit();
  };
  session::ask_exactly(task, options.common.settings, settings, verification, told);
}

report::VerifySection cut_section(const std::string& name, Cut cut) {
  return {report::html_mistake(name, "Unknown", std::string(name_of(cut))), "", report::Tone::open};
}

/// The tests of an input, one after the other.
class InputWork {
 public:
  InputWork(const Input& input, std::size_t number, const VerifyOptions& options, Streams& shown,
            const Telling& telling)
      : input_(input),
        number_(number),
        options_(options),
        silent_{shown.in, nothing_, nothing_},
        shown_(options.common.jobs == 1 ? shown : silent_),
        telling_(telling) {}

  void run() {
    std::vector<VerificationTask> subjects;
    Watch watch(input_.name, options_.common, shown_);
    const session::VerifySettings settings = watched(watch);
    guarded([&] {
      if (options_.mutate) refuse_with_mutants(options_);
      if (!input_.error.empty()) refuse(input_.error);
      subjects = read_subjects(input_, options_, settings, shown_.in);
      if (options_.common.format == Format::svg && subjects.size() > 1)
        refuse("--format svg is a picture of one launch; --format html is a page of all of them");
    });
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (interrupted()) return telling_.done(left_out(subjects.size() - i));
      const std::string number = i == 0 ? fmt::format("{}", number_) : fmt::format("{}.{}", number_, i);
      guarded([&] {
        Watch own(input_.name, options_.common, shown_);
        verify_one(subjects[i], number, i == 0 ? settings : watched(own), i == 0 ? watch : own);
      });
    }
  }

 private:
  session::VerifySettings watched(Watch& watch) const {
    session::VerifySettings out = settings_of(options_);
    out.stop = [&watch](std::uint64_t instructions) { return watch.look(instructions); };
    return out;
  }

  template <typename Act>
  void guarded(const Act& act) {
    try {
      act();
    } catch (const InputError& error) {
      InputReport report;
      report.err = error.what();
      report.status = status_of(answer_of(error));
      if (keeps_results(options_))
        report.results =
            report::error_line(input_.name, static_cast<int>(report.status), error.diagnostics());
      telling_.done(report);
    }
  }

  InputReport left_out(std::size_t tests) const {
    InputReport out;
    out.status = status_of(Answer::unknown);
    out.err = fmt::format("{}: unknown: interrupted: {} tests were not verified\n", input_.name, tests);
    return out;
  }

  void verify_one(const VerificationTask& task, const std::string& number, session::VerifySettings settings,
                  Watch& watch) {
    settings.note = [&](const Verification& so_far) { note(so_far); };
    const std::unique_ptr<Verification> verification = session::verify(task, settings);
    if (verification->verified.outcome.end == exec::End::out_of_memory) lift_memory_limit();
    note(*verification);
    session::look_under_readings(task, settings, *verification);
    verification->verified.selection = options_.common.selection;
    const std::string accepted = accept(verification->verified);
    watch.end();
    if (options_.mutate) return mutate(task, settings, *verification);
    ask_exactly(task, options_, settings, *verification);
    InputReport report = report_of(verification->verified);
    report.accepted = accepted;
    if (!options_.common.quiet) {
      std::string notes;
      for (const Diagnostic& noted : task.test.notes) notes += render(noted);
      notes += between_blocks(task, *verification);
      report.err.insert(0, notes);
    }
    if (options_.common.format == Format::html) {
      const Ran drawn{task.test, task.inner_maps, verification->shown()};
      SourceFiles compiled(options_.common.sources, verification->verified.file());
      report.sections = {report::verify_section(
          verification->verified, timeline_of(verification->verified, drawn), number, compiled)};
    }
    if (options_.common.format == Format::svg) {
      const Ran drawn{task.test, task.inner_maps, verification->shown()};
      SourceFiles compiled(options_.common.sources, verification->verified.file());
      report.out = report::timeline_svg(verification->verified, timeline_of(verification->verified, drawn),
                                        report::verify_text(verification->verified, true, compiled));
    }
    telling_.done(report);
  }

  /// A launch in which no two blocks meet says nothing about what is between them; empty: they meet, or it is not known.
  std::string between_blocks(const VerificationTask& task, const Verification& verification) const {
    if (claim::verdict_of(verification.verified) == claim::Verdict::violated || interrupted()) return "";
    if (session::blocks_meet(task, verification) != false) return "";
    return fmt::format(
        "{}: note: no two blocks of {} access the same bytes of global memory, one of them with a write: nothing between "
        "blocks was exercised\n",
        input_.name, explain::launch_title(verification.verified));
  }

  /// What the answer is if the work is cut from here on.
  void note(const Verification& so_far) const {
    telling_.so_far([&](Cut cut) {
      claim::VerifyResult verified = so_far.verified;
      verified.selection = options_.common.selection;
      verified.outcome.end = end_of(cut);
      const std::string accepted = accept(verified);
      InputReport out = report_of(verified);
      out.accepted = accepted;
      out.err = fmt::format("{}: unknown: {}\n", input_.name, name_of(cut));
      if (options_.common.format == Format::html) out.sections = {cut_section(input_.name, cut)};
      return out;
    });
  }

  /// Waivers and the baseline, applied; a line of acceptance_notes.h.
  std::string accept(claim::VerifyResult& verified) const {
    if (verified.program == nullptr) return "";
    SourceFiles compiled(options_.common.sources, verified.file());
    return acceptance_line(verified, explain::accept(verified, compiled, options_.accepting));
  }

  InputReport report_of(const claim::VerifyResult& verified) const {
    InputReport out;
    out.status = status_of(answer_of(verified, options_.common.selection), options_.allowed);
    const claim::Verdict verdict = claim::verdict_of(verified);
    out.decided = verdict == claim::Verdict::proven || verdict == claim::Verdict::violated;
    if (options_.common.format == Format::text) {
      SourceFiles compiled(options_.common.sources, verified.file());
      out.out = report::verify_text(verified, options_.common.quiet, compiled);
    }
    if (keeps_results(options_))
      out.results =
          report::result_line(input_.name, static_cast<int>(out.status), report::verify_json(verified));
    constexpr double kLong = 0.2;  // seconds
    if (!options_.common.quiet && verified.outcome.seconds > kLong)
      out.err = fmt::format("{}: {:.3} s, {:.3} million thread instructions a second\n", input_.name,
                            verified.outcome.seconds,
                            static_cast<double>(verified.outcome.instructions) / 1e6 /
                                std::max(verified.outcome.seconds, 1e-9));
    return out;
  }

  void mutate(const VerificationTask& task, const session::VerifySettings& settings,
              const Verification& verification) const {
    std::ostringstream out;
    const bool whole =
        !interrupted() && print_mutants(input_.name, task, options_, settings, verification, shown_, out);
    InputReport report;
    report.out = std::move(out).str();
    report.status = status_of(answer_of(verification.verified, options_.common.selection), options_.allowed);
    if (!whole) report.status = worse(report.status, Status::unknown);
    telling_.done(report);
  }

  const Input& input_;
  std::size_t number_;
  const VerifyOptions& options_;
  std::ostringstream nothing_;
  Streams silent_;
  Streams& shown_;
  const Telling& telling_;
};

}  // namespace

void verify_input(const Input& input, std::size_t number, const VerifyOptions& options, Streams& shown,
                  const Telling& telling) {
  InputWork(input, number, options, shown, telling).run();
}

InputReport report_of_nothing(const std::string& input, const VerifyOptions& options, Cut cut) {
  InputReport out;
  out.status = Status::unknown;
  out.err = fmt::format("{}: unknown: {}, before anything ran\n", input, name_of(cut));
  if (options.common.format == Format::text)
    out.out = fmt::format("{}: incomplete: nothing ran\n  open: {}\n", input,
                          cut == Cut::interrupted ? "the run was interrupted"
                          : cut == Cut::killed    ? "the run was killed"
                                                  : fmt::format("--{} ended the run", name_of(cut)));
  if (keeps_results(options))
    out.results = report::error_line(input, static_cast<int>(out.status),
                                     fmt::format("unknown: {}, before anything ran", name_of(cut)));
  if (options.common.format == Format::html) out.sections = {cut_section(input, cut)};
  return out;
}

}  // namespace ptxmc::cli
