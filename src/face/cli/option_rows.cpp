// SPDX-License-Identifier: Apache-2.0
#include "face/cli/option_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "face/cli/describe.h"
#include "face/cli/help_format.h"
#include "face/cli/numbers.h"
#include "finding/rules.h"
#include "support/nearest.h"

namespace ptxmc::cli {

namespace {

const std::map<std::string, session::EngineChoice> kEngines = {{"explicit", session::EngineChoice::explicit_},
                                                               {"smt", session::EngineChoice::smt},
                                                               {"auto", session::EngineChoice::auto_},
                                                               {"both", session::EngineChoice::both}};
const std::map<std::string, session::Recheck> kRechecks = {
    {"all", session::Recheck::all}, {"first", session::Recheck::first}, {"off", session::Recheck::off}};
const std::map<std::string, Format> kFormats = {
    {"text", Format::text}, {"json", Format::json},   {"dot", Format::dot},    {"svg", Format::svg},
    {"html", Format::html}, {"sarif", Format::sarif}, {"junit", Format::junit}};
const std::map<std::string, program::Question> kQuestions = {{"condition", program::Question::final_states},
                                                             {"liveness", program::Question::termination}};
const std::map<std::string, lower::ProgressModel> kProgressModels = {{"fair", lower::ProgressModel::fair},
                                                                     {"obe", lower::ProgressModel::obe},
                                                                     {"hsa", lower::ProgressModel::hsa}};
const std::map<std::string, Progress> kProgress = {
    {"auto", Progress::auto_}, {"on", Progress::on}, {"off", Progress::off}};
const std::map<std::string, Color> kColors = {
    {"auto", Color::auto_}, {"always", Color::always}, {"never", Color::never}};
const std::map<std::string, report::Witnesses> kWitnesses = {
    {"none", report::Witnesses::none}, {"first", report::Witnesses::first}, {"all", report::Witnesses::all}};

const std::map<std::string, std::optional<Severity>> kSeverities = {{"error", Severity::error},
                                                                    {"warning", Severity::warning},
                                                                    {"note", Severity::note},
                                                                    {"never", std::nullopt}};

/// Names of rules, also those of before; flags of a user's own model have names of their own.
CLI::Option* rules(App& app, const OptionRow& row, Options& options, std::vector<std::string>& target) {
  app.parse_complete_callback([&options] { check_selected_rules(options); });
  return app.add_option(row.names, target, row.help)->delimiter(',')->allow_extra_args(false);
}

void set_reading(Options& options, const std::string& reading) {
  try {
    options.settings.readings.set(reading);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("--reading", error.what());
  }
}

// CLI11 finds options by name in a function that may not throw, which a failing allocation ends as a crash.
CLI::Option* added(App& app, const std::string& name) {
  const auto found = app.get_options([&](const CLI::Option* option) { return option->check_lname(name); });
  return found.empty() ? nullptr : found.front();
}

using Row = OptionRow;

constexpr OptionRow kOptions[] = {
    {"-m,--model", "NAME|FILE.cat",
     "memory model: a profile (`ptxmc model list`) or a cat file; default ptx-9.4",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.settings.model, r.help); }},
    {"-r,--reading", "NAME=VALUE,...",
     "choose an interpretation where the manual is ambiguous (`ptxmc model readings`)",
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
    {"-u,--unroll", "N", "enter a loop body at most N times, and take answers within that bound as known",
     [](App& app, const Row& r, Options& o) {
       return app
           .add_option_function<int>(
               r.names, [&o](int n) { o.settings.unroll = n; }, r.help)
           ->check(whole_number(0, 1000, 4));
     }},
    {"--all-turns", "",
     "follow each iteration of loops that only wait, not the last one alone (slow; --unroll bounds it)",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.settings.all_turns, r.help);
     }},
    {"--all-cells", "",
     "for races and hangs of large programs, keep all cells of memory, not two of each kind that are "
     "accessed alike (slow; it must change no answer)",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.settings.all_cells, r.help);
     }},
    {"--unbounded", "", "64-bit and untyped values are unbounded integers",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.settings.unbounded, r.help);
     }},
    {"-t,--timeout", "S", "stop with a test after S seconds in all; its answer is then Unknown",
     [](App& app, const Row& r, Options& o) {
       return app
           .add_option_function<double>(
               r.names, [&o](double s) { o.settings.timeout = s; }, r.help)
           ->check(seconds());
     }},
    {"--memory", "MB",
     "stop with a test that takes more megabytes; its answer is then Unknown; default half of "
     "the machine's memory, shared by all that run at once",
     [](App& app, const Row& r, Options& o) {
       return app
           .add_option_function<std::size_t>(
               r.names, [&o](std::size_t mb) { o.settings.memory = mb << 20; }, r.help)
           ->check(whole_number(1, 1 << 24, 4096));
     }},
    {"--property", "condition|liveness",
     "what to check: the condition, or whether a thread may wait forever in a loop or at a barrier; default "
     "condition",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.question, kQuestions); }},
    {"--progress-model", "fair|obe|hsa",
     "with --property liveness, which threads are scheduled for certain: all, those that have started "
     "(occupancy-bound), or the first unfinished CTA of each GPU; default fair",
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
    {"--count", "", "decide the condition, and say how many states there are without listing them",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag_callback(
           r.names, [&o] { o.settings.verdict_only = o.settings.count = true; }, r.help);
     }},
    {"--recheck", "all|first|off",
     "judge witnesses again by the naive evaluator: of every state, or of the first; "
     "default first",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.settings.recheck, kRechecks); }},
    {"--strict", "",
     "warnings about a test's text (a register that is never written, a constant that does not fit) are errors",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.strict, r.help);
     }},
    {"--flags", "",
     "evaluate the model's flags (races ...); default: for a cat file of yours, and where the stated verdict "
     "speaks of races",
     [](App& app, const Row& r, Options& o) {
       return app.add_flag_callback(
           r.names, [&o] { o.settings.flags = true; }, r.help);
     }},
    {"--no-flags", "",
     "do not evaluate them, unless a reading lets them decide the answer (`race=undefined`)",
     [](App& app, const Row& r, Options& o) {
       CLI::Option* const option = app.add_flag_callback(
           r.names, [&o] { o.settings.flags = false; }, r.help);
       if (CLI::Option* const flags = added(app, "flags")) option->excludes(flags);
       return option;
     }},
    {"--require-verdict", "",
     "a test that states no Verdict= for the model counts as not met; verdicts that it states for other "
     "readings "
     "are judged too",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.require_verdict, r.help);
     }},
    {"--entry", "NAME", "launch the kernel of the module whose name, mangled or not, contains this",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.launch.entry, r.help); }},
    {"--grid", "X[,Y,Z]", "thread blocks of the grid; default 1",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.launch.grid, r.help); }},
    {"--block", "X[,Y,Z]", "threads of a block; default 1",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.launch.block, r.help); }},
    {"--cluster", "X[,Y,Z]",
     "thread blocks of a cluster; default: what the kernel says (__cluster_dims__), else no clusters",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.launch.cluster, r.help); }},
    {"--shared", "BYTES", "dynamic shared memory of a block, such as 48K",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.launch.shared, r.help); }},
    {"--cooperative", "", "a cooperative launch, as grid.sync() needs (cudaLaunchCooperativeKernel)",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.launch.cooperative, r.help);
     }},
    {"--arg", "VALUE",
     "the next argument of the kernel: a number, or TYPE:NUMBER, such as f32:0.5; "
     "[NAME=]buffer:SIZE[:zero|opaque], new memory (opaque: its contents may be anything); "
     "NAME[+OFFSET], an address in a buffer that has a name; "
     "tensor:MEMORY:TYPE:DIMS:BOX, then any of :strides=.., :steps=.., :swizzle=N, :fill=nan: a tensor map "
     "(MEMORY: such an address or a SIZE; innermost dimension first, 64x8); "
     "blob:SIZE[,OFFSET=FIELD...], zeroed bytes and in them TYPE:NUMBER, buffer:SIZE, tensor:... or NAME",
     [](App& app, const Row& r, Options& o) {
       return app.add_option(r.names, o.launch.arguments, r.help)->allow_extra_args(false);
     }},
    {"--list", "", "list the kernels of modules, with a command line for each, and check nothing",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.list, r.help);
     }},
    {"--assert", "CONDITION", "of a launch: what must hold in every final state, such as `out[0] == 10`",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.assertion, r.help); }},
    {"-j,--jobs", "N",
     "run N tests or launches at once (`races` shares out one test, `check` a long list of states); 0: one a "
     "core; default 1",
     [](App& app, const Row& r, Options& o) {
       return app.add_option(r.names, o.jobs, r.help)->check(whole_number(0, 1024, 4));
     }},
    {"-f,--format", "text|json|dot|svg|html|sarif|junit",
     "herd's text; a JSON object a line; an execution for Graphviz or as a picture; a page for a "
     "browser; a SARIF or JUnit file of all tests; default text",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.format, kFormats); }},
    {"--fail-on", "error|warning|note|never",
     "the least severity of a finding that makes the exit status 1; default error",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.selection.fail_on, kSeverities); }},
    {"--only", "RULE,...",
     "report findings of these rules only (`verdict`: a stated verdict that is not met)",
     [](App& app, const Row& r, Options& o) { return rules(app, r, o, o.selection.only); }},
    {"--source", "DIR",
     "folder with the CUDA sources that a report quotes; default: where the compiler found them, or beside "
     "the module",
     [](App& app, const Row& r, Options& o) {
       return app.add_option(r.names, o.sources, r.help)
           ->check(CLI::ExistingDirectory)
           ->allow_extra_args(false);
     }},
    {"--category", "NAME",
     "with --format sarif: the id by which code hosts keep the results of this run apart from others",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.category, r.help); }},
    {"--ignore", "RULE,...", "report no findings of these rules",
     [](App& app, const Row& r, Options& o) { return rules(app, r, o, o.selection.ignore); }},
    {"--show", "NAME,...", "with --format dot or svg: definitions of the model to draw too",
     [](App& app, const Row& r, Options& o) {
       return app.add_option(r.names, o.show, r.help)->delimiter(',');
     }},
    {"--witnesses", "none|first|all",
     "with --format json: the states whose executions are written; default first, the one that decides",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.witnesses, kWitnesses); }},
    {"-o,--output", "FILE", "write the reports there",
     [](App& app, const Row& r, Options& o) { return app.add_option(r.names, o.output, r.help); }},
    {"--progress", "auto|on|off", "a progress line on standard error; default on a terminal, for long runs",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.progress, kProgress); }},
    {"--color", "auto|always|never",
     "colour reports and messages; default on a terminal, unless NO_COLOR is set",
     [](App& app, const Row& r, Options& o) { return choice(app, r, o.color, kColors); }},
    {"-q,--quiet", "", "no progress line and no summary",
     [](App& app, const Row& r, Options& o) -> CLI::Option* {
       return app.add_flag(r.names, o.quiet, r.help);
     }},
};

/// "; did you mean `--engine`?", of the first option that the verb does not have.
std::string meant(const App& app, const Arguments& given) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& argument : given) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    return near ? fmt::format("; did you mean `{}`?", *near) : "";
  }
  return "";
}

void add_row(App& app, Options& options, const OptionRow& row) {
  CLI::Option* option = row.bind(app, row, options);
  if (*row.value != '\0') option->type_name(row.value)->option_text(row.value);
}

void add_rows(App& app, Options& options, Names only) {
  for (const OptionRow& row : kOptions) {
    const std::string_view names(row.names);
    const std::string_view name = names.substr(names.find("--"));
    if (only.size() != 0 && std::find(only.begin(), only.end(), name) == only.end()) continue;
    add_row(app, options, row);
  }
}

/// "-m,--model" is named by -m ..., --model and --model=...
bool is_named(std::string_view names, const std::string& argument) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (!argument.starts_with(name)) continue;
    if (!name.starts_with("--") || argument.size() == name.size() || argument[name.size()] == '=')
      return true;
  }
  return false;
}

void add_files(App& app, Options& options) {
  app.add_option("FILE", options.files, "tests")->required()->option_text("...");
}

}  // namespace

void check_selected_rules(Options& options) {
  const bool own = options.settings.model.ends_with(".cat");
  for (auto* names : {&options.selection.only, &options.selection.ignore})
    for (std::string& name : *names) {
      if (!own) finding::check_rule_name(names == &options.selection.only ? "--only" : "--ignore", name);
      name = finding::current_name(name);
    }
}

void add_launch_options(App& app, Options& options) {
  add_rows(app, options, {"--entry", "--grid", "--block", "--cluster", "--shared", "--cooperative", "--arg"});
}

void add_settings(App& app, Options& options, Names only) {
  add_rows(app, options, only);
}

void add_options(App& app, Options& options, Names only) {
  add_rows(app, options, only);
  add_files(app, options);
}

void add_named_options(App& app, Options& options, const Arguments& arguments) {
  for (const OptionRow& row : kOptions)
    if (std::any_of(arguments.begin(), arguments.end(),
                    [&](const std::string& argument) { return is_named(row.names, argument); }))
      add_row(app, options, row);
  add_files(app, options);
}

void say_files(App& app, const std::string& what) {
  app.get_option("FILE")->description(what);
}

void add_text_or_json(App& app, Options& options, const std::string& words) {
  static const std::map<std::string, Format> kTextOrJson = {{"text", Format::text}, {"json", Format::json}};
  const std::string help = words + ", or a JSON object a line; default text";
  const OptionRow row = {"-f,--format", "text|json", help.c_str(), nullptr};
  choice(app, row, options.format, kTextOrJson)->type_name(row.value)->option_text(row.value);
}

bool parses(App& app, Arguments arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Error&) {
    return false;
  }
  return true;
}

Status parse_and_run(App& app, Arguments arguments, Streams& streams, const std::function<Status()>& action) {
  if (arguments == Arguments{"--describe"}) {
    streams.out << json_of(describe(app));
    return Status::ok;
  }
  const auto format = std::make_shared<HelpFormat>();
  app.formatter(format);
  for (App* inner : app.get_subcommands([](App*) { return true; })) inner->formatter(format);
  const Arguments given = arguments;
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& request) {
    app.exit(request, streams.out, streams.err);
    return Status::ok;
  } catch (const CLI::ParseError& error) {
    streams.err << "ptxmc: error: " << error.what() << meant(app, given) << "\n"
                << fmt::format("Try `{} --help`.\n", app.get_name());
    return Status::input;
  }
  return action();
}

}  // namespace ptxmc::cli
