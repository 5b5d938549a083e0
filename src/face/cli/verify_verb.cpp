// SPDX-License-Identifier: Apache-2.0
// The verb `verify`: each input in a process of its own, and what is said of all of them together.
#include "face/cli/verify_verb.h"

#include <fmt/format.h>

#include <algorithm>
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

/// The baseline, if there is one, was read.
Status verify_accepting(const VerifyOptions& wanted, Streams& streams) {
  const Interruptible interruptible;
  const std::vector<Input> inputs = inputs_of(wanted);
  if (wanted.common.format == Format::svg && inputs.size() > 1)
    refuse("--format svg is a picture of one launch; --format html is a page of all of them");
  VerifyOptions options = wanted;
  if (options.mutate && inputs.size() == 1) {  // whose mutants share the work, then
    const unsigned jobs = std::exchange(options.common.jobs, 1);
    options.common.settings.jobs = jobs != 0 ? jobs : std::max(std::thread::hardware_concurrency(), 1U);
  }
  Batch batch;
  for (const Input& input : inputs) batch.inputs.push_back(input.name);
  batch.jobs = options.common.jobs;
  const std::size_t processes =
      batch.jobs != 0 ? batch.jobs : std::max(std::thread::hardware_concurrency(), 1U);
  batch.confines = confines_or_share(options.common.settings.timeout, options.common.settings.memory,
                                     std::min(processes, std::max<std::size_t>(inputs.size(), 1)));
  if (batch.confines.bytes) options.common.settings.memory = batch.confines.bytes;
  batch.work = [&](std::size_t i, const Telling& telling) {
    verify_input(inputs[i], i + 1, options, streams, telling);
  };
  batch.nothing = [&](std::size_t i, Cut cut) { return report_of_nothing(inputs[i].name, options, cut); };
  streams.out.flush();
  std::vector<std::string> read = options.common.files;
  read.insert(read.end(), batch.inputs.begin(), batch.inputs.end());  // those of folders, too
  const Named named(std::move(read), options.common.sources);
  return with_output(options.common.output, named, streams, [&](std::ostream& out) {
    Status status = Status::ok;
    Collected collected;
    AcceptanceNotes accepted;
    collected.html.made_by(options.common.command, PTXMC_VERSION);
    std::size_t done = 0;
    batch.emit = [&](const InputReport& report) {
      ++done;
      out << painted_report(report.out, options.common, streams) << std::flush;
      streams.err << painted_messages(report.err, options.common, streams);
      collected.results += report.results;
      accepted.add(report.accepted);
      for (const report::VerifySection& section : report.sections) collected.html.add(section);
      status = worse(status, report.status);
      if (options.common.format == Format::json) out << report.results;
    };
    verify_in_processes(batch);
    if (done < inputs.size()) {  // interrupted
      streams.err << fmt::format("ptxmc: unknown: interrupted: {} of {} inputs were not verified\n",
                                 inputs.size() - done, inputs.size());
      status = worse(status, status_of(Answer::unknown));
    }
    print_collected(collected, options, out);
    if (!options.common.quiet) streams.err << accepted.text(options.accepting);
    put_baseline(accepted, options, status, named, streams);
    return status;
  });
}

}  // namespace

Status verify_files(const VerifyOptions& wanted, Streams& streams) {
  if (wanted.merge) return merge_results(wanted, streams);
  if (wanted.baseline.empty() && wanted.write_baseline.empty()) return verify_accepting(wanted, streams);
  VerifyOptions options = wanted;
  options.accepting.baseline_file = wanted.baseline.empty() ? wanted.write_baseline : wanted.baseline;
  options.accepting.all_known = !wanted.write_baseline.empty();
  if (!wanted.baseline.empty()) options.accepting.baseline = read_baseline(wanted.baseline);
  return verify_accepting(options, streams);
}

}  // namespace ptxmc::cli
