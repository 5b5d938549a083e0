// SPDX-License-Identifier: Apache-2.0
// The command line: `ptxmc VERB [options] FILE...`. A verb is a row of kVerbs, an option a row of kOptions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <initializer_list>
#include <map>
#include <ostream>

#include "cli/verbs.h"
#include "model/models.h"
#include "support/diagnostic.h"

#ifndef PTXMC_VERSION
#define PTXMC_VERSION "unversioned"
#endif

namespace ptxmc::cli {

namespace {

// ---- Options
// -----------------------------------------------------------------------------------------------

const std::map<std::string, EngineChoice> kEngines = {{"explicit", EngineChoice::explicit_},
                                                      {"smt", EngineChoice::smt},
                                                      {"auto", EngineChoice::auto_},
                                                      {"both", EngineChoice::both}};
const std::map<std::string, Recheck> kRechecks = {
    {"all", Recheck::all}, {"first", Recheck::first}, {"off", Recheck::off}};
const std::map<std::string, Format> kFormats = {{"text", Format::text},
                                                {"json", Format::json},
                                                {"dot", Format::dot},
                                                {"svg", Format::svg},
                                                {"html", Format::html}};
// Of `explain`.
const std::map<std::string, Format> kPictures = {
    {"text", Format::text}, {"dot", Format::dot}, {"svg", Format::svg}, {"html", Format::html}};
const std::map<std::string, Format> kRaceFormats = {
    {"text", Format::text}, {"json", Format::json}, {"dot", Format::dot}};
const std::map<std::string, Property> kProperties = {{"condition", Property::condition},
                                                     {"liveness", Property::liveness}};
const std::map<std::string, lower::ProgressModel> kProgressModels = {{"fair", lower::ProgressModel::fair},
                                                                     {"obe", lower::ProgressModel::obe},
                                                                     {"hsa", lower::ProgressModel::hsa}};
const std::map<std::string, Progress> kProgress = {
    {"auto", Progress::auto_}, {"on", Progress::on}, {"off", Progress::off}};
const std::map<std::string, Color> kColors = {
    {"auto", Color::auto_}, {"always", Color::always}, {"never", Color::never}};
const std::map<std::string, report::Witnesses> kWitnesses = {
    {"none", report::Witnesses::none}, {"first", report::Witnesses::first}, {"all", report::Witnesses::all}};

struct OptionRow {
  const char* names;
  const char* value;  ///< how help shows the argument; empty: a flag
  const char* help;
  CLI::Option* (*bind)(CLI::App&, const OptionRow&, Options&);
};

template <typename T>
CLI::Option* choice(CLI::App& app, const OptionRow& row, T& target, const std::map<std::string, T>& names) {
  const auto set = [&target, &names](const std::string& name) { target = names.at(name); };
  std::vector<std::string> known;
  for (const auto& [name, value] : names) known.push_back(name);
  return app.add_option_function<std::string>(row.names, set, row.help)->check(CLI::IsMember(known));
}

void set_reading(Options& options, const std::string& reading) {
  try {
    options.settings.readings.set(reading);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("--reading", error.what());
  }
}

using App = CLI::App;
using Row = OptionRow;

constexpr OptionRow kOptions[] = {
    {"-m,--model", "NAME|FILE.cat",
     "memory model: a profile (`ptxmc model list`) or a cat file; default ptx-9",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.settings.model, r.help); }},
    {"-r,--reading", "NAME=VALUE,...",
     "how to read a place that the manual leaves open (`ptxmc model readings`)",
     [](App& app, const Row& r, Options& o) {
       const auto set = [&o](const std::vector<std::string>& list) {
         for (const std::string& reading : list) set_reading(o, reading);
       };
       return app.add_option_function<std::vector<std::string>>(r.names, set, r.help)
           ->delimiter(',')
           ->allow_extra_args(false);
     }},
    {"--sensitivity", "", "say which readings, one at a time, change the answer (with --flags: or the races)",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.settings.sensitivity, r.help);
     }},
    {"-e,--engine", "explicit|smt|auto|both",
     "engine; both: run the two and fail when they disagree; default auto",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.settings.engine, kEngines); }},
    {"-u,--unroll", "N", "enter a loop body at most N times; then answers within the bound count as known",
     [](App& app, const Row& r, Options& o) {
       return app
           .add_option_function<int>(
               r.names, [&o](int n) { o.settings.unroll = n; }, r.help)
           ->check(CLI::Range(0, 1000));
     }},
    {"--unbounded", "", "64-bit and untyped values are unbounded integers",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.settings.unbounded, r.help);
     }},
    {"-t,--timeout", "S", "give up on a test after S seconds; its answer is then Unknown",
     [](App& app, const Row& r, Options& o) {
       return app
           .add_option_function<double>(
               r.names, [&o](double s) { o.settings.timeout = s; }, r.help)
           ->check(CLI::PositiveNumber);
     }},
    {"--property", "condition|liveness",
     "what to check: the condition, or whether anybody can wait for ever in a loop or at a barrier; default "
     "condition",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.property, kProperties); }},
    {"--progress-model", "fair|obe|hsa",
     "with --property liveness, who is scheduled for certain: everybody, who has started (occupancy-bound), "
     "or the first "
     "unfinished CTA of each GPU; default fair",
     [](App& app, const Row& r, Options& o) {
       return choice(app, r, o.settings.progress_model, kProgressModels);
     }},
    {"--emit-ptx", "", "print a PTX module that holds the test's threads, and decide nothing",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.emit_ptx, r.help);
     }},
    {"--verdict", "", "decide the condition alone: stop as early as possible, list no states",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.settings.verdict_only, r.help);
     }},
    {"--recheck", "all|first|off",
     "judge witnesses again by the naive evaluator: of every state, or of the first; "
     "default first",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.settings.recheck, kRechecks); }},
    {"--flags", "",
     "evaluate the model's flags (races ...); default: for a cat file of yours, and where the stated verdict "
     "speaks of races",
     [](App& app, const Row& r, Options& o) {
       return app.add_flag_callback(
           r.names, [&o] { o.settings.flags = true; }, r.help);
     }},
    {"--no-flags", "", "do not evaluate them",
     [](App& app, const Row& r, Options& o) {
       return app
           .add_flag_callback(
               r.names, [&o] { o.settings.flags = false; }, r.help)
           ->excludes("--flags");
     }},
    {"--require-verdict", "",
     "a test that states no Verdict= for the model counts as not met; verdicts that it states for other "
     "readings "
     "are judged too",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.require_verdict, r.help);
     }},
    {"-j,--jobs", "N", "tests at once; 0: one a core; default 1",
     [](App& app, const Row& r, Options& o) {
       return app.add_option(r.names, o.jobs, r.help)->check(CLI::Range(0, 1024));
     }},
    {"-f,--format", "text|json|dot|svg|html",
     "herd's text, a JSON object a line, a Graphviz graph of an execution, that graph drawn by Graphviz, or "
     "a "
     "page for a browser; default text",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.format, kFormats); }},
    {"--show", "NAME,...", "with --format dot: definitions of the model to draw too",
     [](App& app, const Row& r, Options& o) {
       return app.add_option(r.names, o.show, r.help)->delimiter(',');
     }},
    {"--witnesses", "none|first|all",
     "with --format json: executions of which states; default first, the one that decides",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.witnesses, kWitnesses); }},
    {"-o,--output", "FILE", "write the reports there",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.output, r.help); }},
    {"--progress", "auto|on|off", "a progress line on standard error; default on a terminal, for long runs",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.progress, kProgress); }},
    {"--color", "auto|always|never", "colour messages; default on a terminal",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.color, kColors); }},
    {"-q,--quiet", "", "no progress line and no summary",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.quiet, r.help);
     }},
};

constexpr const char* kCheckFooter =
    "FILE is a .litmus file, a folder (every .litmus below it), @LIST (a file of names), or - (standard "
    "input).\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a stated Verdict= is not met, or --property liveness finds a hang that the file does not state; 3 "
    "some answer is unknown; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc check --engine both litmus/manual\n"
    "  ptxmc --model ptx-7.5 --format dot --show cause test.litmus | dot -Tsvg > test.svg\n"
    "  ptxmc check --emit-ptx test.litmus > test.ptx && ptxas -arch=sm_90a test.ptx\n";

using Names = std::initializer_list<std::string_view>;

/// Adds all rows, or those whose long names are in `only`.
void add_options(App& app, Options& options, Names only = {}) {
  for (const OptionRow& row : kOptions) {
    const std::string_view names(row.names);
    const std::string_view name = names.substr(names.find("--"));
    if (only.size() != 0 && std::find(only.begin(), only.end(), name) == only.end()) continue;
    CLI::Option* option = row.bind(app, row, options);
    if (*row.value != '\0') option->type_name(row.value)->option_text(row.value);
  }
  app.add_option("FILE", options.files, "tests")->required()->option_text("...");
}

// ---- Verbs
// -------------------------------------------------------------------------------------------------

using Arguments = std::vector<std::string>;

/// Parses and runs; CLI11's help and errors are handled here.
template <typename F>
Status parse_and_run(App& app, Arguments arguments, Streams& streams, F&& action) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& request) {
    app.exit(request, streams.out, streams.err);
    return Status::ok;
  } catch (const CLI::ParseError& error) {
    streams.err << "ptxmc: error: " << error.what() << "\n"
                << fmt::format("Try `{} --help`.\n", app.get_name());
    return Status::input;
  }
  return action();
}

Status check_verb(const Arguments& arguments, Streams& streams) {
  App app(
      "Says what the memory model allows: the outcomes of litmus tests and the verdicts of their conditions.",
      "ptxmc check");
  app.footer(kCheckFooter);
  Options options;
  add_options(app, options);
  return parse_and_run(app, arguments, streams, [&] {
    if (options.emit_ptx) return emit_files(options, streams);
    return options.property == Property::liveness ? liveness_files(options, streams)
                                                  : check_files(options, streams);
  });
}

constexpr const char* kExplainFooter =
    "For a forbidden outcome: a smallest set of axioms that forbids it, and an execution with the cycle or "
    "pair that\n"
    "violates each; for an allowed one an execution. `forall` is about the outcomes that violate it.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "3 some answer is unknown; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc explain litmus/manual/MP.litmus\n"
    "  ptxmc explain --format html -o manual.html litmus/manual\n";

Status explain_verb(const Arguments& arguments, Streams& streams) {
  App app("Says why an outcome is forbidden (axioms, manual sections, the cycle) or allowed (an execution).",
          "ptxmc explain");
  app.footer(kExplainFooter);
  Options options;
  add_options(app, options,
              {"--model", "--reading", "--engine", "--unroll", "--unbounded", "--timeout", "--jobs",
               "--output", "--progress", "--color", "--quiet"});
  const Row format = {
      "-f,--format", "text|dot|svg|html",
      "words, a Graphviz graph, that graph drawn by Graphviz, or a page for a browser; default text",
      nullptr};
  choice(app, format, options.format, kPictures)->type_name(format.value)->option_text(format.value);
  app.add_option("-d,--depth", options.depth,
                 "levels of why: 1 the cycle, 2 what its edges are made of ...; default 3")
      ->check(CLI::Range(1, 100))
      ->option_text("N");
  return parse_and_run(app, arguments, streams, [&] { return explain_files(options, streams); });
}

constexpr const char* kRacesFooter =
    "A race is a pair of accesses that a flag of the model relates in some execution (8.7.1). Reports each "
    "pair once,\n"
    "with such an execution, what is missing, and advice.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a race that the file does not state by Verdict=... Racy, or none where it does; 3 unknown; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc races litmus/locks\n"
    "  ptxmc races --format dot test.litmus | dot -Tsvg -O\n";

Status races_verb(const Arguments& arguments, Streams& streams) {
  App app("Finds data races: the two accesses, an execution, and what is missing.", "ptxmc races");
  app.footer(kRacesFooter);
  Options options;
  add_options(app, options,
              {"--model", "--reading", "--engine", "--unroll", "--unbounded", "--timeout", "--recheck",
               "--jobs", "--output", "--progress", "--color", "--quiet"});
  const Row format = {"-f,--format", "text|json|dot",
                      "words, a JSON object a line, or a Graphviz graph of each execution; default text",
                      nullptr};
  choice(app, format, options.format, kRaceFormats)->type_name(format.value)->option_text(format.value);
  return parse_and_run(app, arguments, streams, [&] { return races_files(options, streams); });
}

Status model_verb(const Arguments& arguments, Streams& streams) {
  App app("Memory models: which there are, their texts, and what a text may name.", "ptxmc model");
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  ptxmc model show ptx-9 > mine.cat\n"
      "  ptxmc model check mine.cat && ptxmc check --model mine.cat test.litmus\n");
  std::string profile(model::kDefaultProfile);
  std::vector<std::string> files;
  App* list = app.add_subcommand("list", "the built-in models")->footer("Example:\n  ptxmc model list\n");
  App* show = app.add_subcommand("show", "the text of a built-in model")
                  ->footer("Example:\n  ptxmc model show ptx-9\n");
  show->add_option("NAME", profile, "profile or file name; default ptx-9");
  App* check = app.add_subcommand("check", "read models and say what is wrong with them")
                   ->footer("Example:\n  ptxmc model check mine.cat\n");
  check->add_option("FILE", files, "cat files or profiles")->required();
  App* base = app.add_subcommand("base", "the base sets and relations that a model may name")
                  ->footer("Example:\n  ptxmc model base\n");
  App* readings =
      app.add_subcommand("readings", "what the manual leaves open, and how it may be read")
          ->footer("Example:\n  ptxmc model readings\n  ptxmc --reading fence-sc=only-sc test.litmus\n");
  return parse_and_run(app, arguments, streams, [&] {
    if (readings->parsed()) return model_readings(streams);
    if (list->parsed()) return model_list(streams);
    if (show->parsed()) return model_show(profile, streams);
    if (check->parsed()) return model_check(files, streams);
    if (base->parsed()) return model_base(streams);
    return Status::input;
  });
}

constexpr const char* kRunFooter =
    "Runs thousands of instances of a test at once, round after round, and counts their outcomes. In a "
    "folder, "
    "what cannot run\non the GPU is named and skipped.\n"
    "\n"
    "Exit status, the first that applies: 4 an internal error; 2 usage or input error, no GPU or no driver; "
    "3 a test hung\nand the GPU had to be taken from it; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc run --time 2 litmus/classic/MP+relaxed.gpu.litmus\n"
    "  ptxmc run --format json -o runs.jsonl litmus/classic\n"
    "  ptxmc run --emit-ptx test.litmus > kernel.ptx\n";

std::string power_of_two(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string::npos;
  const unsigned long n = digits ? std::stoul(text) : 0;
  return n != 0 && (n & (n - 1)) == 0 ? "" : "expected a power of two";
}

void add_gpu_options(App& app, GpuOptions& o) {
  gpu::HarnessOptions& harness = o.run.harness;
  app.add_option("-t,--time", o.run.seconds, "run each test for about S seconds of GPU time; default 1")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  app.add_option("-n,--size", o.run.instances, "or until N instances ran")->option_text("N");
  app.add_option("--seed", o.run.seed, "of all that is drawn; default 1")->option_text("N");
  app.add_option("--device", o.device, "number of the GPU; default 0")->option_text("N");
  app.add_option("--instances", harness.instances,
                 "instances that a CTA plays at once, a power of two; default 128")
      ->check(CLI::Range(32, 1024))
      ->check(CLI::Validator(power_of_two, ""))
      ->option_text("N");
  app.add_option("--stride", harness.stride,
                 "bytes from a variable to the next instance's, a power of two; default 16")
      ->check(CLI::Range(1, 4096))
      ->check(CLI::Validator(power_of_two, ""))
      ->option_text("N");
  app.add_option("--fuel", harness.fuel,
                 "how often a thread may jump backwards before its instance counts as hung; default 4096")
      ->check(CLI::Range(1, 1 << 30))
      ->option_text("N");
  app.add_option("--patience", o.run.patience,
                 "seconds that a launch may take, of some 0.1 s as a rule, before its test counts as hung; "
                 "default 5")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  app.add_option("--ctas", o.run.ctas, "CTAs of a launch at most; default as many as the GPU holds at once")
      ->option_text("N");
  app.add_flag("--emit-ptx", o.emit_ptx, "print the kernel, and run nothing; needs no GPU");
  app.add_option_function<std::string>(
         "-f,--format", [&o](const std::string& name) { o.json = name == "json"; },
         "the herd family's histogram, or a JSON object a line; default text")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("text|json");
  app.add_option("-o,--output", o.output, "write the logs there")->option_text("FILE");
  app.add_flag("-q,--quiet", o.quiet, "no summary, and no word about tests of a folder that cannot run");
  app.add_option("FILE", o.files, "tests")->required()->option_text("...");
}

Status run_verb(const Arguments& arguments, Streams& streams) {
  App app("Runs litmus tests on a GPU, through the CUDA driver, and prints what was observed.", "ptxmc run");
  app.footer(kRunFooter);
  GpuOptions options;
  add_gpu_options(app, options);
  return parse_and_run(app, arguments, streams, [&] { return run_files(options, streams); });
}

constexpr const char* kCompareFooter =
    "With --log: every observed state must be allowed. A state that is forbidden but observed is a "
    "violation, and "
    "is\nexplained. With --against: the two models must allow the same states. Tests are found in the logs "
    "by "
    "name and\nhash; counts of several logs add up.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a forbidden state was observed, or the models differ; 3 an observed state is not known to be allowed; "
    "else "
    "0.\n"
    "\n"
    "Example:\n"
    "  ptxmc run -o gpu.log litmus/classic; ptxmc compare --log gpu.log litmus/classic\n"
    "  ptxmc compare --model ptx-9 --against ptx-6.0 --quiet litmus/classic\n";

Status compare_verb(const Arguments& arguments, Streams& streams) {
  App app("Sets what the model allows beside what was observed, or beside another model.", "ptxmc compare");
  app.footer(kCompareFooter);
  CompareOptions options;
  add_options(app, options.check,
              {"--model", "--reading", "--engine", "--unroll", "--unbounded", "--timeout", "--output"});
  app.add_option("-l,--log", options.logs,
                 "log of `ptxmc run`, text or JSON, or of the herd family; repeatable")
      ->allow_extra_args(false)
      ->option_text("FILE");
  app.add_option("-a,--against", options.against, "the other model")->option_text("NAME|FILE.cat");
  app.add_option_function<std::string>(
         "-f,--format",
         [&options](const std::string& name) {
           options.check.format = name == "html" ? Format::html : Format::text;
         },
         "words, or a page with a heat table; default text")
      ->check(CLI::IsMember({"text", "html"}))
      ->option_text("text|html");
  app.add_flag("-q,--quiet", options.check.quiet, "show the tests that differ, and the summary");
  return parse_and_run(app, arguments, streams, [&] { return compare_files(options, streams); });
}

struct Verb {
  std::string_view name;
  std::string_view help;
  Status (*run)(const Arguments&, Streams&);
};

constexpr Verb kVerbs[] = {
    {"check", "allowed outcomes of litmus tests and the condition's verdict (the default)", check_verb},
    {"explain", "why an outcome is forbidden or allowed: axioms, cycle, picture", explain_verb},
    {"races", "data races: the two accesses, an execution, and what is missing", races_verb},
    {"run", "run tests on a GPU and count what is observed", run_verb},
    {"compare", "what the model allows beside what was observed, or another model", compare_verb},
    {"model", "list, show and check memory models; what a model may name", model_verb},
};

void print_usage(std::ostream& out) {
  out << "ptxmc: a model checker for the PTX memory consistency model\n\nUsage: ptxmc VERB [options] "
         "FILE...\n\nVerbs:\n";
  for (const Verb& verb : kVerbs) out << fmt::format("  {:<8} {}\n", verb.name, verb.help);
  out << "\n`ptxmc VERB --help` tells the rest; `ptxmc --version` the version.\n\nExample:\n  ptxmc "
         "test.litmus\n";
}

Status dispatch(const Arguments& arguments, Streams& streams) {
  if (arguments.empty()) {
    print_usage(streams.err);
    return Status::input;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print_usage(streams.out);
    return Status::ok;
  }
  if (first == "--version") {
    streams.out << "ptxmc " << PTXMC_VERSION << "\n";
    return Status::ok;
  }
  for (const Verb& verb : kVerbs) {
    if (verb.name == first) return verb.run({arguments.begin() + 1, arguments.end()}, streams);
  }
  return check_verb(arguments, streams);
}

}  // namespace

Status run(const std::vector<std::string>& arguments, Streams& streams) {
  try {
    return dispatch(arguments, streams);
  } catch (const InputError& error) {
    streams.err << error.what();
    return Status::input;
  } catch (const std::exception& error) {
    streams.err << "ptxmc: internal error: " << error.what() << "\n";
    return Status::failure;
  }
}

}  // namespace ptxmc::cli
