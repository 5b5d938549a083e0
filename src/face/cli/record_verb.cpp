// SPDX-License-Identifier: Apache-2.0
#include "face/cli/record_verb.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "face/cli/architecture.h"
#include "face/cli/configuration.h"
#include "face/cli/interrupt.h"
#include "face/cli/numbers.h"
#include "face/cli/option_rows.h"
#include "face/cli/shell.h"
#include "face/cli/verify_verb.h"
#include "input/record/server.h"
#include "report/json/line.h"
#include "support/nearest.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordFooter =
    "PROGRAM runs with a driver in front of the GPU's, or in place of it where there is none: then memory is "
    "the "
    "host's, and\n"
    "kernels do nothing. Each different launch becomes DIR/KERNEL/launch.json with its module.ptx; launches "
    "of one "
    "stream\n"
    "also become DIR/sequence/sequence.json. Launches of an earlier run in DIR are removed first. Modules must hold PTX: nvcc -gencode "
    "arch=compute_90a,code=[sm_90a,compute_90a].\n"
    "\n"
    "Exit status: 4 an internal error; 2 usage or input error, or nothing was recorded; with --verify that "
    "of verify; "
    "3\n"
    "if the program crashed, so that launches may be missing; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc record -o launches -- ./app --size 1024\n"
    "  ptxmc verify launches/*/launch.json\n"
    "  ptxmc record --verify junit -j 8 -- ./tests > tests.xml\n";

struct RecordCommand {
  record::RecordOptions record;
  std::vector<std::string> command;
  std::string driver;  ///< the folder of ours; empty: where it was installed
  bool pretend = false;
  std::optional<Format> verify;  ///< what was recorded, in this form
  std::optional<Format> report;  ///< or in this one, which --format names
  VerifyOptions how;
  bool json = false;  ///< say what was recorded on standard output
};

const std::vector<std::string> kRecordedFormats = {"text", "json", "sarif", "junit"};

/// `--verify ./app`: the format is left out, and the program follows without `--`.
bool is_program_after_verify(const std::string& option, const std::string& word) {
  return option == "--verify" && !word.starts_with('-') && !nearest(word, kRecordedFormats);
}

/// A line without `--`: options end before the first word that is none. Refuses that word where it is a program.
void refuse_program_before_dashes(const Arguments& arguments, const std::vector<std::string>& rest) {
  if (rest.empty()) return;
  if (rest.front().starts_with('-')) throw CLI::ExtrasError({rest.front()});
  std::string line = "ptxmc record";
  const std::size_t options = arguments.size() - rest.size();
  for (std::size_t i = 0; i < options; ++i) line += " " + shell_word(arguments[i]);
  line += " --";
  for (const std::string& word : rest) line += " " + shell_word(word);
  throw CLI::ParseError(fmt::format("the program and its arguments follow `--`: {}", line),
                        CLI::ExitCodes::ExtrasError);
}

}  // namespace

std::string recording_folder() {
  const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {own / "record", own / ".." / "lib" / "ptxmc" / "record"}) {
    if (fs::exists(folder / "libcuda.so.1")) return fs::canonical(folder).string();
  }
  refuse(
      fmt::format("the recording driver, record/libcuda.so.1, is not beside {}: --driver DIR", own.string()));
}

namespace {

/// Where Triton leaves what it compiled, and PyTorch's Inductor what Triton compiled for it.
std::vector<std::string> triton_folders() {
  const auto value = [](const char* variable, const std::string& otherwise) {
    const char* out = std::getenv(variable);
    return out == nullptr ? otherwise : std::string(out);
  };
  const passwd* user = getpwuid(geteuid());
  return {value("TRITON_CACHE_DIR", value("HOME", "") + "/.triton/cache"),
          value("TORCHINDUCTOR_CACHE_DIR",
                fs::temp_directory_path() /
                    fmt::format("torchinductor_{}", user == nullptr ? "" : user->pw_name))};
}

/// Sequences, and each launch that is in none, or in one that is incomplete.
Status verify_recorded(const RecordCommand& options, const record::Writing& writing, Streams& streams) {
  VerifyOptions how = options.how;
  how.common.format = *options.verify;
  how.common.quiet = true;
  how.summary = how.common.format == Format::text;
  for (const record::Recorded& one : writing.recorded()) {
    if (one.sequence) {
      how.sequences.push_back({one.file, one.times, one.launches, one.programmatic});
    } else {
      how.occurrences[one.file] = one.times;
      how.common.files.push_back(one.file);
    }
  }
  return verify_files(how, streams);
}

/// The least exit status by which shells say that a command could not run, or was ended by a signal.
constexpr int kLeastOfShell = 126;

Status record_program(RecordCommand options, Streams& streams) {
  const Interruptible interruptible;
  options.record.ptx_caches = triton_folders();
  const std::string folder =
      options.driver.empty() ? recording_folder() : fs::absolute(options.driver).string();
  if (!options.pretend) options.record.forward_to = record::installed_driver();
  std::error_code none;  // ours may be on the path already, and is nothing to forward to
  if (fs::equivalent(options.record.forward_to, fs::path(folder) / "libcuda.so.1", none))
    options.record.forward_to.clear();
  record::Writing writing(options.record);
  streams.out.flush();
  const record::ProgramEnd end =
      record::run_recorded(options.command, folder, options.record, writing, [] { return interrupted(); });
  streams.err << writing.summary();
  if (options.json) {
    for (const record::Recorded& one : writing.recorded()) {
      nlohmann::ordered_json line = report::json_head("record");
      line["file"] = one.file;
      line["kernel"] = one.kernel;
      line["sequence"] = one.sequence;
      line["programmatic"] = one.programmatic;
      streams.out << report::json_text(line);
    }
  }
  if (end.signal != 0)
    streams.err << fmt::format("warning: the program was ended by signal {}\n", end.signal);
  if (end.status != 0) streams.err << fmt::format("warning: the program's exit status is {}\n", end.status);
  const bool crashed = end.signal != 0 || end.status >= kLeastOfShell;
  if (!writing.recorded().empty()) {
    const Status status = options.verify ? verify_recorded(options, writing, streams) : Status::ok;
    if (!crashed) return status;
    streams.err
        << "unknown: the program crashed, so that launches after those that were recorded may be missing\n";
    return worse(status, Status::unknown);
  }
  const bool cut = end.signal != 0 || end.status != 0;
  streams.err << fmt::format(
      "error: no launch was recorded{}{}\n", cut ? ", as the program did not get so far" : "",
      cut && !options.record.forward_to.empty() ? "; with --pretend it needs no GPU" : "");
  return Status::input;
}

// add_recording: which device is simulated, and what of each launch is written, and where to.
void add_recording(App& app, RecordCommand& options) {
  app.add_option("-o,--output", options.record.folder, "write into this folder; default recorded")
      ->option_text("DIR");
  app.add_flag("--keep", options.record.keep,
               "add to what an earlier run left in DIR, which is removed otherwise");
  app.add_option_function<std::string>(
         "--arch",
         [&options](const std::string& text) {
           const unsigned number = read_architecture("--arch", text).number;
           options.record.major = number / 10;
           options.record.minor = number % 10;
         },
         "the simulated device, and the PTX that is taken; default sm_90a")
      ->option_text("sm_NN");
  app.add_option("--sms", options.record.multiprocessors,
                 "multiprocessors of the simulated device: few make persistent grids small; default 4")
      ->check(whole_number(1, 1024, 8))
      ->option_text("N");
  app.add_flag("--pretend", options.pretend, "without the GPU, though there is one");
  app.add_option("--ptx", options.record.ptx_folders,
                 "where X.ptx lies beside each X.cubin that the program loads, or else PTX with kernels of "
                 "the same names, as Mosaic dumps it; caches of Triton are looked through anyway")
      ->allow_extra_args(false)
      ->option_text("DIR");
  app.add_option("--launches", options.record.launches,
                 "so many different launches of each kernel; default 16")
      ->check(whole_number(1, 1000000, 4))
      ->option_text("N");
  app.add_option(
         "--contents", options.record.contents,
         "record what the host wrote into buffers of so many bytes; larger ones are opaque; default 65536")
      ->check(whole_number(0, 65536, 4096))
      ->option_text("BYTES");
  app.add_option("--driver", options.driver, "the folder of the recording libcuda.so.1; default beside ptxmc")
      ->option_text("DIR");
}

// add_answers: in which format it is told what was recorded, and whether it is verified.
void add_answers(App& app, RecordCommand& options) {
  const std::map<std::string, Format> formats = {
      {"text", Format::text}, {"json", Format::json}, {"sarif", Format::sarif}, {"junit", Format::junit}};
  app.add_option_function<std::string>(
         "-f,--format",
         [&options, formats](const std::string& name) {
           options.json = name == "json";
           options.report = name == "text" || name == "json" ? std::nullopt : std::optional(formats.at(name));
         },
         "a summary on standard error, or also a JSON object for each file on standard output; sarif and junit: of what "
         "--verify finds; default text")
      ->check(one_of(kRecordedFormats))
      ->option_text("text|json|sarif|junit");
  app.add_option_function<std::string>(
         "--verify", [&options, formats](const std::string& name) { options.verify = formats.at(name); },
         "verify what was recorded: findings and a summary, or as --format of verify; --verify alone: text")
      ->expected(0, 1)
      ->default_str("text")
      ->check(one_of(kRecordedFormats))
      ->option_text("[text|json|sarif|junit]");
  app.add_option("-j,--jobs", options.how.common.jobs, "launches that are verified at once; default 1")
      ->check(whole_number(0, 1024, 4))
      ->option_text("N");
  app.add_option("-t,--timeout", options.how.common.settings.timeout, "seconds for verifying a launch")
      ->check(seconds())
      ->option_text("S");
  add_settings(app, options.how.common, {"--fail-on", "--only", "--source", "--category", "--ignore"});
  add_acceptance_options(app, options.how);
  add_configuration_option(app);
}

}  // namespace

Status record_verb(const std::vector<std::string>& arguments, Streams& streams) {
  App app("Runs a CUDA program, and writes each kernel that it launches as a file for verify.",
          "ptxmc record");
  app.footer(kRecordFooter);
  RecordCommand options;
  const auto split = std::find(arguments.begin(), arguments.end(), "--");
  Arguments before(arguments.begin(), split);
  if (split != arguments.end()) {
    options.command.assign(split + 1, arguments.end());
  } else {
    for (std::size_t i = 0; i + 1 < before.size(); ++i)
      if (is_program_after_verify(before[i], before[i + 1])) before[i] = "--verify=text";
    app.prefix_command();
  }
  add_recording(app, options);
  add_answers(app, options);
  app.parse_complete_callback([&] {
    if (split == arguments.end()) refuse_program_before_dashes(arguments, app.remaining());
    check_selected_rules(options.how.common);
  });
  const Configured own = configured(app, "record", before, streams);
  if (own.configuration) {
    options.how.accepting.rules = own.configuration->waived();
    options.how.accepting.configuration = own.configuration->file();
  }
  return parse_and_run(app, own.arguments, streams, [&] {
    if (options.report && !options.verify) refuse("--format sarif and junit are of what --verify finds");
    if (options.report) options.verify = options.report;
    if (options.command.empty()) refuse("say what to run, after `--`: ptxmc record -- ./app");
    return record_program(std::move(options), streams);
  });
}

}  // namespace ptxmc::cli
