// SPDX-License-Identifier: Apache-2.0
// The command lines of `check`, `explain`, `races` and `import`.
#include <algorithm>
#include <map>

#include "face/cli/configuration.h"
#include "face/cli/explain_rule.h"
#include "face/cli/modules.h"
#include "face/cli/numbers.h"
#include "face/cli/option_rows.h"
#include "face/cli/shell.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

// The formats of `explain`.
const std::map<std::string, Format> kPictures = {{"text", Format::text},
                                                 {"json", Format::json},
                                                 {"dot", Format::dot},
                                                 {"svg", Format::svg},
                                                 {"html", Format::html}};
const std::map<std::string, Format> kRaceFormats = {
    {"text", Format::text}, {"json", Format::json},   {"dot", Format::dot},    {"svg", Format::svg},
    {"html", Format::html}, {"sarif", Format::sarif}, {"junit", Format::junit}};
const std::map<std::string, Format> kImportFormats = {{"text", Format::text}, {"json", Format::json}};
constexpr const char* kCheckFooter =
    "FILE is a .litmus file, a folder (every .litmus below it), @LIST (a file of names), or - (standard "
    "input);\n"
    "or a .ptx module (--entry ... --arg say what is launched, --list what there is), or a .json file of "
    "launches.\n"
    "Of a launch without --assert, and of a test that has no condition and states nothing, races and misuse "
    "are "
    "what is looked for.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a stated Verdict= is not met, nothing is stated or asserted and a race or misuse is found, or "
    "--property "
    "liveness finds a hang that the file does not state; 3 "
    "some answer is unknown; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc check --engine both litmus/manual\n"
    "  ptxmc --model ptx-7.5 --format dot --show cause test.litmus | dot -Tsvg > test.svg\n"
    "  ptxmc check --emit-ptx test.litmus > test.ptx && ptxas -arch=sm_90a test.ptx\n";

constexpr const char* kExplainFooter =
    "With names of rules instead of files: their pages (what a finding means, an example wrong and right).\n"
    "\n"
    "For a forbidden outcome: a smallest set of axioms that forbids it, and an execution with the cycle or "
    "pair that\n"
    "violates each; for an allowed one an execution. `forall` is about the outcomes that violate it.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "3 some answer is unknown; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc explain litmus/manual/MP.litmus\n"
    "  ptxmc explain --format html -o manual.html litmus/manual\n"
    "  ptxmc explain race\n"
    "  ptxmc explain --rules\n";

constexpr const char* kRacesFooter =
    "A race is a pair of accesses that a flag of the model relates in some execution (8.7.1). Reports each "
    "pair once,\n"
    "with such an execution, what is missing, and advice.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a stated verdict is not met, or an error was found that the file does not state (by Racy, by "
    "Undefined, or\n"
    "by its name); 3 unknown; else 0. Warnings and notes change nothing, unless --fail-on says so.\n"
    "\n"
    "Example:\n"
    "  ptxmc races litmus/locks\n"
    "  ptxmc races --format dot test.litmus | dot -Tsvg -O\n";

Status check(const Options& options, Streams& streams) {
  if (options.emit_ptx) return emit_files(options, streams);
  if (options.settings.all_turns && options.question == program::Question::termination)
    refuse("--all-turns: --property liveness takes every loop as it is already");
  return options.question == program::Question::termination ? liveness_files(options, streams)
                                                            : check_files(options, streams);
}

}  // namespace

Status check_verb(const Arguments& arguments, Streams& streams) {
  constexpr const char* kDescription =
      "Says what the memory model allows: the outcomes of litmus tests and the verdicts of their conditions.";
  {
    App app(kDescription, "ptxmc check");
    Options options;
    options.command = shell_command("check", arguments);
    add_named_options(app, options, arguments);
    if (parses(app, arguments)) return list_or_ask(options, streams, [&] { return check(options, streams); });
  }
  App app(kDescription, "ptxmc check");  // help and mistakes: told of all options
  app.footer(kCheckFooter);
  Options options;
  options.command = shell_command("check", arguments);
  add_options(app, options);
  return parse_and_run(app, arguments, streams, [&] {
    return list_or_ask(options, streams, [&] { return check(options, streams); });
  });
}

Status explain_verb(const Arguments& arguments, Streams& streams) {
  App app(
      "Says why an outcome is forbidden (axioms, manual sections, the cycle) or allowed (an execution), or what a rule means.",
      "ptxmc explain");
  app.footer(kExplainFooter);
  Options options;
  options.verb = "explain";
  options.command = shell_command("explain", arguments);
  add_options(app, options,
              {"--model",   "--reading",     "--engine",   "--unroll", "--all-turns", "--unbounded",
               "--timeout", "--memory",      "--entry",    "--grid",   "--block",     "--cluster",
               "--shared",  "--cooperative", "--arg",      "--list",   "--assert",    "--strict",
               "--jobs",    "--output",      "--progress", "--color",  "--quiet"});
  say_files(app, "names of rules; or litmus tests, PTX modules (.ptx) or files of launches (.json)");
  const OptionRow format = {
      "-f,--format", "text|json|dot|svg|html",
      "text, a JSON object a line, a Graphviz graph, that graph as a picture, or a page "
      "for a browser; default text",
      nullptr};
  choice(app, format, options.format, kPictures)->type_name(format.value)->option_text(format.value);
  app.add_option("-d,--depth", options.depth,
                 "levels of why: 1 the cycle, 2 what its edges are made of ...; default 3")
      ->check(whole_number(1, 100, 3))
      ->option_text("N");
  bool rules = false;
  app.add_flag("--rules", rules, "list the rules, one a line, instead of a file");
  if (std::find(arguments.begin(), arguments.end(), "--rules") != arguments.end())
    app.get_option("FILE")->required(false);
  return parse_and_run(app, arguments, streams, [&] {
    if (rules) return list_rules(options, streams);
    if (const auto status = explain_rules(options, streams)) return *status;
    return list_or_ask(options, streams, [&] { return explain_files(options, streams); });
  });
}

Status races_verb(const Arguments& arguments, Streams& streams) {
  App app("Finds data races: the two accesses, an execution, and what is missing.", "ptxmc races");
  app.footer(kRacesFooter);
  Options options;
  options.verb = "races";
  options.command = shell_command("races", arguments);
  add_options(app, options,
              {"--model",     "--reading", "--engine",      "--unroll",   "--all-turns", "--all-cells",
               "--unbounded", "--timeout", "--memory",      "--entry",    "--grid",      "--block",
               "--cluster",   "--shared",  "--cooperative", "--arg",      "--list",      "--recheck",
               "--strict",    "--jobs",    "--output",      "--progress", "--color",     "--quiet",
               "--fail-on",   "--only",    "--ignore",      "--source",   "--category"});
  say_files(app, "litmus tests, PTX modules (.ptx) or files of launches (.json)");
  const OptionRow format = {"-f,--format", "text|json|dot|svg|html|sarif|junit",
                            "text; a JSON object a line; a Graphviz graph of each execution; these as a "
                            "picture; a page for a browser; a SARIF or JUnit file of all tests; default text",
                            nullptr};
  choice(app, format, options.format, kRaceFormats)->type_name(format.value)->option_text(format.value);
  app.add_flag("--first", options.first, "stop at the first finding: one of many is found long before all");
  add_configuration_option(app);
  const Configured own = configured(app, "races", arguments, streams);
  return parse_and_run(app, own.arguments, streams, [&] {
    return list_or_ask(options, streams, [&] { return races_files(options, streams); });
  });
}

Status import_verb(const Arguments& arguments, Streams& streams) {
  App app("Writes threads of a launched module as a litmus test, with constants folded.", "ptxmc import");
  app.footer(
      "Exit status: 2 usage or input error; 3 a limit of time or memory was reached; else 0.\n"
      "\n"
      "Example:\n"
      "  ptxmc import kernel.ptx --grid 2 --block 64 --arg buffer:4K --threads 0,64 -o kernel.litmus\n");
  Options options;
  options.verb = "import";
  add_options(app, options,
              {"--timeout", "--memory", "--entry", "--grid", "--block", "--cluster", "--shared",
               "--cooperative", "--arg", "--list", "--assert", "--output"});
  say_files(app, "PTX modules (.ptx) or files of launches (.json)");
  const OptionRow format = {"-f,--format", "text|json",
                            "the test, or a JSON object a line with its text; default text", nullptr};
  choice(app, format, options.format, kImportFormats)->type_name(format.value)->option_text(format.value);
  std::vector<int> threads;
  app.add_option("--threads", threads, "these threads, by number in the launch; default all")
      ->check(whole_number(0, 1 << 20, 64))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("N,...");
  return parse_and_run(app, arguments, streams, [&] {
    return list_or_ask(options, streams, [&] { return import_files(options, threads, streams); });
  });
}

}  // namespace ptxmc::cli
