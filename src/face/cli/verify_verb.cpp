// SPDX-License-Identifier: Apache-2.0
// The verb `verify`: each input in a process of its own, and what is said of all of them together.
#include "face/cli/verify_verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "face/cli/acceptance_notes.h"
#include "face/cli/answer.h"
#include "face/cli/code_host.h"
#include "face/cli/colors.h"
#include "face/cli/inputs.h"
#include "face/cli/interrupt.h"
#include "face/cli/output_file.h"
#include "face/cli/verify_batch.h"
#include "face/cli/verify_input.h"
#include "report/html/verify.h"
#include "report/json/results.h"
#include "report/junit/results.h"
#include "report/sarif/sarif.h"
#include "report/text/results.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// Reports of all runs together.
struct Collected {
  report::VerifyHtml html;
  std::string results;  // lines of report/json/results.h
};

/// The inputs of this shard.
std::vector<Input> inputs_of(const VerifyOptions& options) {
  std::vector<Input> out = options.inputs ? *options.inputs : expand_inputs(options.common.files);
  std::erase_if(out, [&](const Input& input) { return !options.shard.takes(input.name); });
  return out;
}

/// What is said of all runs together.
void print_collected(const Collected& collected, const VerifyOptions& options, std::ostream& out) {
  std::vector<report::VerifyResult> results;
  if (options.summary || options.common.format == Format::junit)
    report::add_results(collected.results, "results", results);
  if (options.common.format == Format::sarif) {
    report::Sarif sarif(PTXMC_VERSION, options.common.selection, source_of);
    prepare_for_host(options.common, sarif);
    sarif.add(collected.results);
    out << sarif.print();
  }
  if (options.common.format == Format::html) out << collected.html.print();
  if (options.common.format == Format::junit) out << report::results_junit(results, "ptxmc verify");
  if (options.summary && options.common.format == Format::text) out << report::results_text(results);
}

/// A baseline is written of what is known for certain: not where an input is refused, or its process died.
void put_baseline(const AcceptanceNotes& notes, const VerifyOptions& options, Status status,
                  const Named& read, Streams& streams) {
  if (options.write_baseline.empty()) return;
  if (status == Status::input || status == Status::failure) {
    streams.err << fmt::format("ptxmc: error: {} was not written, as not all inputs were verified\n",
                               options.write_baseline);
    return;
  }
  OutputFile file(options.write_baseline, files_read(read));
  file.stream() << notes.baseline();
  file.commit();
  if (!options.common.quiet)
    streams.err << fmt::format("{}: {} finding{} known from now on\n", options.write_baseline,
                               notes.findings(), notes.findings() == 1 ? " is" : "s are");
}

/// Inputs, each in a process.
class Verifying {
 public:
  using Emit = std::function<void(const InputReport&)>;

  /// `most`: so many inputs there are in all.
  Verifying(const VerifyOptions& wanted, std::size_t most, Streams& streams)
      : options_(wanted), streams_(streams) {
    if (options_.mutate && most == 1) {  // whose mutants share the work, then
      const unsigned jobs = std::exchange(options_.common.jobs, 1);
      options_.common.settings.jobs = jobs != 0 ? jobs : std::max(std::thread::hardware_concurrency(), 1U);
    }
    const std::size_t processes =
        options_.common.jobs != 0 ? options_.common.jobs : std::max(std::thread::hardware_concurrency(), 1U);
    confines_ = confines_or_share(options_.common.settings.timeout, options_.common.settings.memory,
                                  std::min(processes, std::max<std::size_t>(most, 1)));
    if (confines_.bytes) options_.common.settings.memory = confines_.bytes;
  }

  /// In their order. Ends early on Ctrl-C.
  void run(const std::vector<Input>& inputs, const Emit& emit) const {
    Batch batch;
    for (const Input& input : inputs) batch.inputs.push_back(input.name);
    batch.jobs = options_.common.jobs;
    batch.confines = confines_;
    batch.work = [&](std::size_t i, const Telling& telling) {
      verify_input(inputs[i], i + 1, options_, streams_, telling);
    };
    batch.nothing = [&](std::size_t i, Cut cut) { return report_of_nothing(inputs[i].name, options_, cut); };
    batch.emit = emit;
    verify_in_processes(batch);
  }

 private:
  VerifyOptions options_;
  Streams& streams_;
  Confines confines_;
};

/// Reports of all inputs, in the order in which they come.
class Reporting {
 public:
  Reporting(const VerifyOptions& options, std::ostream& out, Streams& streams)
      : options_(options), out_(out), streams_(streams) {
    collected_.html.made_by(options.common.command, PTXMC_VERSION);
  }

  void add(const InputReport& report) {
    out_ << painted_report(report.out, options_.common, streams_) << std::flush;
    streams_.err << painted_messages(report.err, options_.common, streams_);
    collected_.results += report.results;
    accepted_.add(report.accepted);
    for (const report::VerifySection& section : report.sections) collected_.html.add(section);
    status_ = worse(status_, report.status);
    if (options_.common.format == Format::json) out_ << report.results;
  }
  void interrupted(std::size_t left, std::size_t of) {
    streams_.err << fmt::format("ptxmc: unknown: interrupted: {} of {} inputs were not verified\n", left, of);
    status_ = worse(status_, status_of(Answer::unknown));
  }
  Status end(const Named& named) {
    print_collected(collected_, options_, out_);
    if (!options_.common.quiet) streams_.err << accepted_.text(options_.accepting);
    put_baseline(accepted_, options_, status_, named, streams_);
    return status_;
  }

 private:
  const VerifyOptions& options_;
  std::ostream& out_;
  Streams& streams_;
  Status status_ = Status::ok;
  Collected collected_;
  AcceptanceNotes accepted_;
};

/// Adds the reports of sequences. Removes launches from the inputs that need not be verified alone.
void verify_sequences(const VerifyOptions& options, const Verifying& verifying, std::vector<Input>& inputs,
                      Reporting& reporting, Streams& streams) {
  std::vector<Input> files;
  for (const LaunchSequence& sequence : options.sequences) files.push_back({sequence.file, ""});
  std::map<std::string, std::size_t> alone = options.occurrences;
  std::size_t done = 0;
  verifying.run(files, [&](const InputReport& report) {
    const LaunchSequence& sequence = options.sequences[done++];
    if (report.decided || sequence.overlaps) reporting.add(report);
    if (report.decided) {
      for (const std::string& launch : sequence.launches) alone[launch] -= sequence.times;
    } else if (!sequence.launches.empty()) {
      streams.err << fmt::format(
          "note: {}: incomplete in sequence; each launch is verified alone, with any contents\n",
          sequence.file);
    }
  });
  std::erase_if(inputs, [&](const Input& input) {
    const auto found = alone.find(input.name);
    return found != alone.end() && found->second == 0;
  });
}

/// The baseline, if there is one, was read.
Status verify_accepting(const VerifyOptions& options, Streams& streams) {
  const Interruptible interruptible;
  std::vector<Input> inputs = inputs_of(options);
  const std::size_t most = inputs.size() + options.sequences.size();
  if (options.common.format == Format::svg && most > 1)
    refuse("--format svg is a picture of one launch; --format html is a page of all of them");
  const Verifying verifying(options, most, streams);
  streams.out.flush();
  std::vector<std::string> read = options.common.files;
  for (const Input& input : inputs) read.push_back(input.name);  // those of folders, too
  const Named named(std::move(read), options.common.sources);
  return with_output(options.common.output, named, streams, [&](std::ostream& out) {
    Reporting reporting(options, out, streams);
    verify_sequences(options, verifying, inputs, reporting, streams);
    std::size_t done = 0;
    verifying.run(inputs, [&](const InputReport& report) {
      ++done;
      reporting.add(report);
    });
    if (done < inputs.size()) reporting.interrupted(inputs.size() - done, inputs.size());
    return reporting.end(named);
  });
}

}  // namespace

Status verify_files(const VerifyOptions& wanted, Streams& streams) {
  if (wanted.merge) return merge_results(wanted, streams);
  if (wanted.baseline.empty() && wanted.write_baseline.empty()) return verify_accepting(wanted, streams);
  VerifyOptions options = wanted;
  std::error_code ignored;
  const auto place = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(file, ignored);
  };
  if (!wanted.write_baseline.empty() && place(wanted.write_baseline) == place(wanted.common.output))
    refuse(fmt::format("'{}': --output and --write-baseline name one file; nothing is written",
                       wanted.write_baseline));
  options.accepting.baseline_file = wanted.baseline.empty() ? wanted.write_baseline : wanted.baseline;
  options.accepting.all_known = !wanted.write_baseline.empty();
  if (!wanted.baseline.empty()) options.accepting.baseline = read_baseline(wanted.baseline);
  return verify_accepting(options, streams);
}

}  // namespace ptxmc::cli
