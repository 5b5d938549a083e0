// SPDX-License-Identifier: Apache-2.0
// Verbs that treat one test after the other, `check` first: tests are independent, so worker processes take the
// next one that is left, and this process prints the reports in the order of the input as they become complete.
// What goes wrong with one test is that test's report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>
#include <sstream>
#include <thread>

#include "face/cli/code_host.h"
#include "face/cli/colors.h"
#include "face/cli/inputs.h"
#include "face/cli/kernel_folder.h"
#include "face/cli/output_file.h"
#include "face/cli/present.h"
#include "face/cli/progress.h"
#include "face/cli/reports.h"
#include "face/cli/sandbox.h"
#include "face/cli/stated_readings.h"
#include "face/cli/verbs.h"
#include "report/html/page.h"
#include "report/json/line.h"
#include "report/json/results.h"
#include "report/junit/results.h"
#include "report/sarif/sarif.h"
#include "session/analysis.h"
#include "support/diagnostic.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

std::size_t jobs_of(const Options& options) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return options.jobs == 0 ? cores : static_cast<std::size_t>(options.jobs);
}

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

struct Coverage {
  std::string_view verb;
  bool hangs = false;  // of the question whether the threads end
  std::string_view covers, not_covers;
};
constexpr Coverage kCoverage[] = {
    {"races", false, "every execution of each test",
     "other threads, sizes or initial values; deadlocks: `ptxmc check --property liveness`"},
    {"check", true, "every execution of each test",
     "other threads, sizes or initial values; races: `ptxmc races`"},
    {"repair", false, "every execution of each test, as it stands and as repaired",
     "other threads, sizes or initial values; other code that uses this memory"},
    {"weaken", false, "what is listed beside each test, in every execution",
     "what other code relies on: check its tests before you change it"},
};

/// What the answers cover, in two lines; empty: answers of the verb name what they are about.
std::string coverage(const Options& options, bool some_unknown) {
  const bool hangs = options.question == program::Question::termination;
  const auto* const row = std::find_if(std::begin(kCoverage), std::end(kCoverage), [&](const Coverage& one) {
    return one.verb == options.verb && (!one.hangs || hangs);
  });
  if (row == std::end(kCoverage)) return "";
  std::string covers(row->covers);
  if (options.verb == "races" && options.first) covers = "each test up to its first finding";
  if (options.settings.unroll)
    covers += fmt::format(" with at most {} iteration{} of each loop", *options.settings.unroll,
                          *options.settings.unroll == 1 ? "" : "s");
  return fmt::format("covers: {}{}\ndoes not cover: {}\n", covers,
                     some_unknown ? "; an unknown answer covers less" : "", row->not_covers);
}

[[noreturn]] void refuse_second_picture() {
  refuse("--format svg draws one test; --format html takes several");
}

/// What all reports of a run come to.
class Gathered {
 public:
  Gathered(const Options& options, Streams& streams, std::ostream& out)
      : options_(options), streams_(streams), out_(out) {
    prepare_for_host(options, sarif_);
  }

  void add(const TestReport& report) {
    if (options_.format == Format::svg && count_ > 0) refuse_second_picture();
    if (report.write) report.write(out_);
    if (is_gathered(options_.format)) {
      gather_line(report);
    } else if (options_.format == Format::html) {
      add_section(report);
    } else {
      out_ << painted_report(report.output, options_, streams_) << std::flush;
    }
    streams_.err << painted_messages(report.messages, options_, streams_) << std::flush;
    status_ = worse(status_, report.status);
    ++tallies_[static_cast<std::size_t>(report.tally)];
    ++count_;
  }

  Status finish() {
    page_.made_by(options_.command, PTXMC_VERSION);
    if (options_.format == Format::html) out_ << page_.print();
    if (options_.format == Format::sarif) out_ << sarif_.print();
    if (options_.format == Format::junit)
      out_ << report::results_junit(results_, fmt::format("ptxmc {}", options_.verb));
    if (options_.format == Format::text && !options_.quiet && answers() != 0)
      out_ << coverage(options_, tallies_[static_cast<std::size_t>(Tally::unknown)] != 0) << std::flush;
    if (count_ > 1 && !options_.quiet) streams_.err << summary(tallies_);
    return status_;
  }

 private:
  /// Tests that were read and asked about.
  std::size_t answers() const {
    return count_ - tallies_[static_cast<std::size_t>(Tally::bad_input)] -
           tallies_[static_cast<std::size_t>(Tally::failed)];
  }

  void gather_line(const TestReport& report) {
    if (report.output.empty()) return;
    if (options_.format == Format::sarif) sarif_.add(report.output);
    if (options_.format == Format::junit)
      results_.push_back(report::test_result(report.output, static_cast<int>(report.status)));
  }

  void add_section(const TestReport& report) {
    report::Tone tone = report::Tone::plain;
    if (report.tally == Tally::as_stated) tone = report::Tone::good;
    if (report.status == Status::unknown) tone = report::Tone::open;
    if (report.status != Status::ok && report.status != Status::unknown) tone = report::Tone::bad;
    const bool told = report.tally == Tally::as_stated || report.tally == Tally::not_as_stated;
    page_.add_section(report.output,
                      told ? std::string(kTallyWords[static_cast<std::size_t>(report.tally)]) : "", tone);
  }

  const Options& options_;
  Streams& streams_;
  std::ostream& out_;
  report::Page page_{options_.verb, "tests"};
  report::Sarif sarif_{PTXMC_VERSION, options_.selection, source_of};
  std::vector<report::VerifyResult> results_;
  Status status_ = Status::ok;
  std::array<std::size_t, kTallyWords.size()> tallies_{};
  std::size_t count_ = 0;
};

Status gather(SandboxedRun& run, const Work& work, ProgressLine& progress, Gathered& gathered) {
  const std::vector<Input>& inputs = work.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<TestReport> reports =
        run.take(i, [&](std::size_t done) { progress.show(done, inputs.size(), inputs[i].name); });
    progress.clear();
    for (const TestReport& report : reports) gathered.add(report);
  }
  return gathered.finish();
}

/// All of standard input where a test is read from it, within the limits: a child that goes on for another needs it, too.
Outcome read_ahead(const std::vector<Input>& inputs, std::istream& in, const Confines& limits) {
  if (std::none_of(inputs.begin(), inputs.end(), [](const Input& i) { return i.name == "-"; })) return {};
  constexpr char kRead = '+', kBad = '-', kLong = '>';  // in front of the text: a child throws nothing
  Outcome out = run_confined(limits, [&] {
    const std::optional<std::string> text = read_bounded(in, kMaxTestBytes);
    if (in.bad()) return std::string(1, kBad);
    return text ? kRead + *text : std::string(1, kLong);
  });
  if (out.text.starts_with(kBad)) refuse("standard input cannot be read");
  if (out.text.starts_with(kLong)) refuse(fmt::format("'-': more than {} bytes", kMaxTestBytes));
  if (!out.text.empty()) out.text.erase(0, 1);
  return out;
}

Status treat_inputs(const session::Session& session, const Options& options, Treatment treat,
                    const std::vector<Input>& inputs, Streams& streams, std::ostream& out) {
  ProgressLine progress(streams, options.progress, options.quiet);
  Gathered gathered(options, streams, out);
  const std::size_t workers = std::min(jobs_of(options), inputs.size());
  const Confines limits = confines_or_share(options.settings.timeout, options.settings.memory, workers);
  Outcome ahead = read_ahead(inputs, streams.in, limits);
  if (!ahead.unknown.empty()) {
    streams.err << fmt::format("ptxmc: <stdin>: unknown: {}\n", ahead.unknown);
    if (options.format == Format::json)
      out << report::json_unknown(options.verb, "", "<stdin>", ahead.unknown);
    return Status::unknown;
  }
  std::istringstream in(std::move(ahead.text));
  const Work work{session, options, treat, inputs, in};
  SandboxedRun run(work, limits, workers);
  return gather(run, work, progress, gathered);
}

}  // namespace

Status treat_files(const Options& options, Streams& streams, Treatment treat) {
  session::Settings settings = options.settings;
  // Where nothing shows a witness one is enough, to re-check the first. JSON may show that of one state: few states have one each,
  // of many it is looked for.
  const bool shown = options.format != Format::text && !is_gathered(options.format) &&
                     (options.format != Format::json || options.witnesses == report::Witnesses::all);
  settings.decisive_witness = options.format == Format::json && options.witnesses == report::Witnesses::first;
  if (shown || settings.recheck == session::Recheck::all) {
    settings.packed = false;
  } else {
    settings.witnesses = settings.decisive_witness ? session::kManyStates - 1 : 1;
  }
  const std::vector<Input> inputs = expand_inputs(options.files);
  if (!options.quiet) streams.err << kernels_left(options.files);
  // Where there are fewer tests than jobs, each gets a share of them.
  settings.jobs = std::max<std::size_t>(1, jobs_of(options) / std::max<std::size_t>(1, inputs.size()));
  const session::Session session(std::move(settings));
  std::vector<std::string> read{options.settings.model};
  read.insert(read.end(), options.files.begin(), options.files.end());
  read.push_back(options.repair.costs);
  return with_output(options.output, Named(read, options.sources), streams, [&](std::ostream& out) {
    return treat_inputs(session, options, treat, inputs, streams, out);
  });
}

Status check_files(const Options& options, Streams& streams) {
  Options packing = options;
  packing.settings.packed = true;
  return treat_files(
      packing, streams,
      [](const session::Session& session, const Options& how, const litmus::Test& test, const SoFar&) {
        const std::shared_ptr<const session::Analysis> analysis = check_test(session, test);
        TestReport report = present(session, how, analysis);
        if (how.require_verdict) judge_other_readings(session, how, *analysis, report);
        return report;
      });
}

}  // namespace ptxmc::cli
