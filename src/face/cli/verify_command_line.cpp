// SPDX-License-Identifier: Apache-2.0
// The command line of `verify`.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "face/cli/architecture.h"
#include "face/cli/configuration.h"
#include "face/cli/kernel_inputs.h"
#include "face/cli/modules.h"
#include "face/cli/numbers.h"
#include "face/cli/option_rows.h"
#include "face/cli/shell.h"
#include "face/cli/verify_verb.h"
#include "input/launch/plan_file.h"

namespace ptxmc::cli {

namespace {

const std::map<std::string, Format> kVerifyFormats = {{"text", Format::text},   {"json", Format::json},
                                                      {"sarif", Format::sarif}, {"html", Format::html},
                                                      {"svg", Format::svg},     {"junit", Format::junit}};
const std::map<std::string, bool> kWaitsFail = {{"never", false}, {"once", true}};

constexpr const char* kVerifyFooter =
    "FILE is a .cu source, which nvcc compiles, a .ptx module, a .json file of launches, or a litmus test. From a program, library,\n"
    "object file or fat binary the PTX is taken. A folder stands for the launches, modules and tests below it. For a module,\n"
    "--entry, --grid, --block and --arg describe the launch; --list lists its kernels, with a command line for each.\n"
    "\n"
    "Every thread runs in one schedule. The result covers all schedules where the report says so; otherwise it is\n"
    "incomplete, and the report says what is open. Ctrl-C, --timeout, --memory and --steps end a run with what was\n"
    "found so far.\n"
    "\n"
    "A comment `// ptxmc: ignore RULE: REASON` waives findings of its line and the next one, in a CUDA source or a module.\n"
    "\n"
    "Exit status: 0 no error in any schedule, or none but those that are waived or known; 1 an error; 2 usage or input error; 3 incomplete; 4 internal error.\n"
    "\n"
    "Example:\n"
    "  ptxmc verify --list kernel.cu\n"
    "  ptxmc kernel.cu --target sm_100a --block 128 --arg buffer:4K -- -std=c++17 -Iinclude\n"
    "  ptxmc verify kernel.ptx --entry reduce --block 128 --arg buffer:4K --arg buffer:512 --arg 1024\n"
    "  ptxmc verify kernel.ptx --grid 4 --cta all --block 256 --shared 48K --arg blob:16,0=buffer:4K\n"
    "  ptxmc verify --format html -o run.html launch.json\n"
    "  ptxmc verify -j 8 --shard 1/4 --format json recorded/*/launch.json > part1.jsonl\n"
    "  ptxmc verify --merge part*.jsonl\n";

// add_bounds APP: how much of a launch is looked at.
void add_bounds(App& app, VerifyOptions& options) {
  app.add_option(
         "--choices", options.choices,
         "explore at most N orders of atomics, schedules or contents of memory, where these decide what threads do; 0: those of "
         "the first run only; default 1024, 16 and 8, fewer for a launch that takes long")
      ->check(whole_number(0, 1 << 20, 8))
      ->option_text("N");
  app.add_option_function<std::string>(
         "--explain", [](const std::string&) {}, "print what a rule means, as `ptxmc explain RULE` does")
      ->option_text("RULE");
  app.add_option("--steps", options.steps, "execute at most N thread instructions")
      ->check(whole_number(1, kAnyCount, 1000000))
      ->option_text("N");
}

// add_source_options APP: how CUDA sources are compiled, and which of them, into OPTIONS.
void add_source_options(App& app, VerifyOptions& options) {
  app.add_option_function<std::string>(
         "--target",
         [&options](const std::string& text) { options.nvcc.target = read_architecture("--target", text); },
         "compile CUDA sources for this architecture, and take PTX out of programs that it can compile; default sm_90a, and the "
         "newest PTX")
      ->option_text("sm_NN");
  app.add_flag("--if-launched", options.if_launched,
               "leave out CUDA sources that no file of launches lies beside, as hooks of a repository do");
}

// add_verify_options APP: what `verify` alone takes, and what it shares with other verbs, into OPTIONS.
void add_verify_options(App& app, VerifyOptions& options) {
  options.common.verb = "verify";
  add_options(app, options.common,
              {"--model", "--reading", "--timeout",  "--memory",      "--entry", "--grid",
               "--block", "--cluster", "--shared",   "--cooperative", "--arg",   "--list",
               "--jobs",  "--output",  "--progress", "--color",       "--quiet", "--fail-on",
               "--only",  "--ignore",  "--source",   "--category"});
  say_files(
      app,
      "CUDA sources (.cu; flags of nvcc follow `--`), PTX modules (.ptx), programs and libraries, files of launches (.json), "
      "litmus tests, or folders");
  add_source_options(app, options);
  const OptionRow format = {
      "-f,--format", "text|json|sarif|junit|html|svg",
      "text; a JSON object a launch; a SARIF or JUnit file of all; a page for a browser with the timeline of "
      "each run; a picture of the report and timeline of one; default text",
      nullptr};
  choice(app, format, options.common.format, kVerifyFormats)
      ->type_name(format.value)
      ->option_text(format.value);
  app.add_option(
         "--cta", options.cta,
         "thread blocks of each launch that run; default auto: all of a small one, else those that differ or meet")
      ->option_text("auto|all|N,...");
  app.add_option("--ctas-at-once", options.ctas_at_once,
                 "thread blocks of a larger launch that run together; default as many as have 8192 threads")
      ->check(whole_number(1, 1 << 30, 16))
      ->option_text("N");
  add_acceptance_options(app, options);
  app.add_flag("--practice", options.severities.practice,
               "waive what published code relies on and the manual does not promise; the result names it");
  app.add_flag_callback(
      "--no-confirm", [&] { options.confirm = false; },
      "do not confirm races by an exhaustive check of their litmus tests");
  app.add_option("--emit-litmus", options.litmus,
                 "write the litmus test of each race into this folder, which is made")
      ->option_text("DIR");
  app.add_flag_callback(
      "--no-orders", [&] { options.trace = false; }, "run the kernel only: look for no races");
  app.add_flag_callback(
      "--mutate", [&] { options.mutate = true; },
      "leave out or weaken each instruction of synchronization that runs, one at a time, and say what is found "
      "then");
  const OptionRow wait_fails = {"--wait-fails", "never|once",
                                "each wait for an mbarrier object fails at first; default never", nullptr};
  choice(app, wait_fails, options.waits_fail, kWaitsFail)
      ->type_name(wait_fails.value)
      ->option_text(wait_fails.value);
  app.add_flag("--summary", options.summary, "end with a summary of all launches");
  add_shard_option(app, options.shard,
                   "take the I-th of N shares of the files, dealt out by a hash of their names");
  app.add_flag("--merge", options.merge, "the files are results of --format json: report them together");
  add_bounds(app, options);
  add_configuration_option(app);
}

}  // namespace

void add_acceptance_options(App& app, VerifyOptions& options) {
  app.add_flag("--strict", options.severities.strict, "warnings are errors");
  app.add_flag("--allow-incomplete", options.allowed.incomplete,
               "an incomplete result, which is printed as such, does not make the exit status 3");
  app.add_option("--baseline", options.baseline,
                 "findings in this file are known: they are shown and counted, and do not fail")
      ->option_text("FILE");
  app.add_option("--write-baseline", options.write_baseline,
                 "write this file with all findings, which are known from then on")
      ->option_text("FILE");
}

namespace {

/// What `explain` is asked by `--explain RULE` or `--explain=RULE`, which needs no file; nothing: the line has no such option.
std::optional<Arguments> rules_asked(const Arguments& arguments) {
  constexpr std::string_view kOption = "--explain", kWithRule = "--explain=";
  Arguments out;
  bool asked = false;
  for (const std::string& word : arguments) {
    asked = asked || word == kOption || word.starts_with(kWithRule);
    if (word != kOption) out.push_back(word.starts_with(kWithRule) ? word.substr(kWithRule.size()) : word);
  }
  return asked ? std::optional(std::move(out)) : std::nullopt;
}

/// The words after `--` are flags of nvcc where a source, or what may name one, stands before it.
Arguments without_flags(const Arguments& arguments, std::vector<std::string>& flags) {
  const auto split = std::find(arguments.begin(), arguments.end(), "--");
  const bool compiles = std::any_of(arguments.begin(), split, [](const std::string& word) {
    std::error_code ignored;
    return word.ends_with(".cu") || launch::is_plan_name(word) ||
           std::filesystem::is_directory(word, ignored);
  });
  if (split == arguments.end() || !compiles) return arguments;
  flags.assign(split + 1, arguments.end());
  return {arguments.begin(), split};
}

/// What the files stand for, with notes on standard error.
void take_inputs(VerifyOptions& options, Streams& streams) {
  const LaunchesBeside beside = options.common.list   ? LaunchesBeside::unread
                                : options.if_launched ? LaunchesBeside::required
                                                      : LaunchesBeside::taken;
  KernelInputs taken = kernel_inputs(options.common.files, options.nvcc, options.common.launch, beside);
  if (!options.common.quiet) streams.err << taken.notes;
  options.inputs = std::move(taken.inputs);
}

}  // namespace

Status verify_verb(const Arguments& arguments, Streams& streams) {
  if (const auto rules = rules_asked(arguments)) return explain_verb(*rules, streams);
  App app("Checks a launch of a CUDA kernel, without a GPU: races, deadlocks and misuse in any schedule.",
          "ptxmc verify");
  app.footer(kVerifyFooter);
  VerifyOptions options;
  options.common.command = shell_command("verify", arguments);
  add_verify_options(app, options);
  const Configured own = configured(app, "verify", without_flags(arguments, options.nvcc.flags), streams);
  if (own.configuration) {
    options.accepting.rules = own.configuration->waived();
    options.accepting.configuration = own.configuration->file();
  }
  return parse_and_run(app, own.arguments, streams, [&] {
    if (options.merge) return verify_files(options, streams);
    take_inputs(options, streams);
    if (options.if_launched && options.inputs->empty()) return Status::ok;
    const Listing listing = options.common.format == Format::text   ? Listing::text
                            : options.common.format == Format::json ? Listing::json
                                                                    : Listing::other;
    return list_or_ask(options.common, *options.inputs, listing, streams,
                       [&] { return verify_files(options, streams); });
  });
}

}  // namespace ptxmc::cli
