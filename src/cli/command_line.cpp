// SPDX-License-Identifier: Apache-2.0
// The command line: `ptxmc VERB [options] FILE...`. A verb is a row of kVerbs, an option a row of kOptions
// (option_rows.cpp).
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <map>
#include <new>
#include <ostream>
#include <sstream>

#include "cli/describe.h"
#include "cli/generate_verb.h"
#include "cli/model_diff_verb.h"
#include "cli/modules.h"
#include "cli/numbers.h"
#include "cli/option_rows.h"
#include "cli/record_verb.h"
#include "cli/verify_verb.h"
#include "model/models.h"
#include "support/diagnostic.h"
#include "support/nearest.h"
#include "support/refuse.h"

#ifndef PTXMC_VERSION
#define PTXMC_VERSION "unversioned"
#endif

namespace ptxmc::cli {

namespace {

// Of `explain`.
const std::map<std::string, Format> kPictures = {{"text", Format::text},
                                                 {"json", Format::json},
                                                 {"dot", Format::dot},
                                                 {"svg", Format::svg},
                                                 {"html", Format::html}};
const std::map<std::string, Format> kRaceFormats = {{"text", Format::text},
                                                    {"json", Format::json},
                                                    {"dot", Format::dot},
                                                    {"sarif", Format::sarif},
                                                    {"junit", Format::junit}};
constexpr const char* kCheckFooter =
    "FILE is a .litmus file, a folder (every .litmus below it), @LIST (a file of names), or - (standard "
    "input);\n"
    "or a .ptx module (--entry ... --arg say what is launched; without them, it is listed), or a .json file "
    "of launches.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a stated Verdict= is not met, or --property liveness finds a hang that the file does not state; 3 "
    "some answer is unknown; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc check --engine both litmus/manual\n"
    "  ptxmc --model ptx-7.5 --format dot --show cause test.litmus | dot -Tsvg > test.svg\n"
    "  ptxmc check --emit-ptx test.litmus > test.ptx && ptxas -arch=sm_90a test.ptx\n";

Status check_verb(const Arguments& arguments, Streams& streams) {
  App app(
      "Says what the memory model allows: the outcomes of litmus tests and the verdicts of their conditions.",
      "ptxmc check");
  app.footer(kCheckFooter);
  Options options;
  add_options(app, options);
  return parse_and_run(app, arguments, streams, [&] {
    if (wants_listing(options)) return list_modules(options, "check", streams);
    if (options.emit_ptx) return emit_files(options, streams);
    if (options.settings.all_turns && options.question == program::Question::termination)
      refuse("--all-turns: --property liveness takes every loop as it is already");
    return options.question == program::Question::termination ? liveness_files(options, streams)
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
  options.verb = "explain";
  add_options(app, options,
              {"--model",   "--reading",     "--engine", "--unroll", "--all-turns", "--unbounded",
               "--timeout", "--memory",      "--entry",  "--grid",   "--block",     "--cluster",
               "--shared",  "--cooperative", "--arg",    "--assert", "--strict",    "--jobs",
               "--output",  "--progress",    "--color",  "--quiet"});
  const OptionRow format = {"-f,--format", "text|json|dot|svg|html",
                            "words, a JSON object a line, a Graphviz graph, that graph drawn by Graphviz, or "
                            "a page for a browser; default text",
                            nullptr};
  choice(app, format, options.format, kPictures)->type_name(format.value)->option_text(format.value);
  app.add_option("-d,--depth", options.depth,
                 "levels of why: 1 the cycle, 2 what its edges are made of ...; default 3")
      ->check(whole_number(1, 100, 3))
      ->option_text("N");
  return parse_and_run(app, arguments, streams, [&] {
    return wants_listing(options) ? list_modules(options, "explain", streams)
                                  : explain_files(options, streams);
  });
}

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

Status races_verb(const Arguments& arguments, Streams& streams) {
  App app("Finds data races: the two accesses, an execution, and what is missing.", "ptxmc races");
  app.footer(kRacesFooter);
  Options options;
  options.verb = "races";
  add_options(
      app, options,
      {"--model",       "--reading", "--engine",  "--unroll", "--all-turns", "--all-cells", "--unbounded",
       "--timeout",     "--memory",  "--entry",   "--grid",   "--block",     "--cluster",   "--shared",
       "--cooperative", "--arg",     "--recheck", "--strict", "--jobs",      "--output",    "--progress",
       "--color",       "--quiet",   "--fail-on", "--only",   "--ignore"});
  const OptionRow format = {"-f,--format", "text|json|dot|sarif|junit",
                            "words, a JSON object a line, a Graphviz graph of each execution, or a SARIF or "
                            "JUnit file of all tests; default text",
                            nullptr};
  choice(app, format, options.format, kRaceFormats)->type_name(format.value)->option_text(format.value);
  app.add_flag("--first", options.first, "stop at the first finding: one of many is found long before all");
  return parse_and_run(app, arguments, streams, [&] {
    return wants_listing(options) ? list_modules(options, "races", streams) : races_files(options, streams);
  });
}

Status import_verb(const Arguments& arguments, Streams& streams) {
  App app("Writes the litmus test that threads of a launched module are, its constants folded.",
          "ptxmc import");
  app.footer(
      "Exit status: 2 usage or input error; else 0.\n"
      "\n"
      "Example:\n"
      "  ptxmc import kernel.ptx --grid 2 --block 64 --arg buffer:4K --threads 0,64 -o kernel.litmus\n");
  Options options;
  add_options(app, options,
              {"--entry", "--grid", "--block", "--cluster", "--shared", "--cooperative", "--arg", "--assert",
               "--output"});
  std::vector<int> threads;
  app.add_option("--threads", threads, "these threads, by number in the launch; default all")
      ->check(whole_number(0, 1 << 20, 64))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("N,...");
  return parse_and_run(app, arguments, streams, [&] {
    return wants_listing(options) ? list_modules(options, "import", streams)
                                  : import_files(options, threads, streams);
  });
}

const std::map<std::string, VerifyFormat> kVerifyFormats = {{"text", VerifyFormat::text},
                                                            {"json", VerifyFormat::json},
                                                            {"sarif", VerifyFormat::sarif},
                                                            {"html", VerifyFormat::html},
                                                            {"junit", VerifyFormat::junit}};
const std::map<std::string, bool> kWaitsFail = {{"never", false}, {"once", true}};

constexpr const char* kVerifyFooter =
    "FILE is a .ptx module (--entry ... --arg say what is launched; without them, it is listed, with a "
    "command line "
    "for\n"
    "each kernel), a .json file of launches, or a litmus test. Every thread runs, in one schedule; what is "
    "said of the "
    "order\n"
    "of its accesses is about all schedules in which it synchronizes as in this one, and the line Claim says "
    "whether "
    "there\n"
    "are others. Ctrl-C, --timeout, --memory and --steps end a run with what was found so far.\n"
    "\n"
    "Exit status: 4 an internal error; 2 usage or input error; 1 a finding; 3 nothing found, but the claim "
    "is "
    "bounded;\n"
    "0 nothing found, and that holds in all schedules.\n"
    "\n"
    "Example:\n"
    "  nvcc -arch=sm_90a -lineinfo -ptx kernel.cu -o kernel.ptx\n"
    "  ptxmc verify kernel.ptx\n"
    "  ptxmc verify kernel.ptx --entry reduce --block 128 --arg buffer:4K --arg buffer:512 --arg 1024\n"
    "  ptxmc verify kernel.ptx --grid 4 --cta all --block 256 --shared 48K --arg blob:16,0=buffer:4K\n"
    "  ptxmc verify --format html -o run.html launch.json\n"
    "  ptxmc verify -j 8 --shard 1/4 --format json recorded/*/launch.json > part1.jsonl\n"
    "  ptxmc verify --merge part*.jsonl\n";

Status verify_verb(const Arguments& arguments, Streams& streams) {
  App app("Runs a kernel, and says what went wrong and what that is worth.", "ptxmc verify");
  app.footer(kVerifyFooter);
  VerifyOptions options;
  options.common.verb = "verify";
  add_options(
      app, options.common,
      {"--timeout", "--memory", "--entry", "--grid", "--block", "--cluster", "--shared", "--cooperative",
       "--arg", "--jobs", "--output", "--progress", "--quiet", "--fail-on", "--only", "--ignore"});
  const OptionRow format = {
      "-f,--format", "text|json|sarif|junit|html",
      "words, a JSON object a launch, a SARIF or JUnit file of all, or a page for a browser "
      "with the timeline of each run; default text",
      nullptr};
  choice(app, format, options.format, kVerifyFormats)->type_name(format.value)->option_text(format.value);
  app.add_option(
         "--cta", options.cta,
         "these CTAs of each launch; default auto: all of a small one, else those that differ or meet")
      ->option_text("auto|all|N,...");
  app.add_option("--ctas-at-once", options.ctas_at_once,
                 "CTAs of a larger launch that run together; default as many as have 8192 threads")
      ->check(whole_number(1, 1 << 30, 16))
      ->option_text("N");
  app.add_flag_callback(
      "--no-confirm", [&] { options.confirm = false; }, "do not ask the exact engine about races");
  app.add_option("--emit-litmus", options.litmus,
                 "write the litmus test of each race into this folder, which is made")
      ->option_text("DIR");
  app.add_flag_callback(
      "--no-orders", [&] { options.trace = false; }, "run alone: do not look at what orders accesses");
  app.add_flag_callback(
      "--mutate", [&] { options.mutate = true; },
      "leave out or weaken each instruction of synchronization that runs, one at a time: what is found "
      "then?");
  const OptionRow wait_fails = {"--wait-fails", "never|once",
                                "each wait for an mbarrier object fails at first; default never", nullptr};
  choice(app, wait_fails, options.waits_fail, kWaitsFail)
      ->type_name(wait_fails.value)
      ->option_text(wait_fails.value);
  app.add_flag("--summary", options.summary, "end with a summary of all launches");
  add_shard_option(app, options.shard,
                   "take the I-th of N shares of the files, dealt out by a hash of their names");
  app.add_flag("--merge", options.merge,
               "the files are results, of --format json: what they come to together");
  app.add_option(
         "--choices", options.choices,
         "where results of atomics, timing or open contents of memory decide what threads do: so many "
         "orders, "
         "schedules or contents, at most; 0: those of the first run alone; default 256, 16 and 8, fewer of a "
         "launch that takes long")
      ->check(whole_number(0, 1 << 20, 8))
      ->option_text("N");
  app.add_option("--steps", options.steps, "at most so many instructions, counted by lane")
      ->check(whole_number(1, kAnyCount, 1000000))
      ->option_text("N");
  return parse_and_run(app, arguments, streams, [&] {
    return wants_listing(options.common)
               ? list_modules(options.common, "verify", options.format == VerifyFormat::json, streams)
               : verify_files(options, streams);
  });
}

constexpr const char* kModelDiffFooter =
    "A and B are profiles or cat files, with readings behind commas (ptx-9,red=acquire), or readings alone, "
    "of the "
    "default profile.\n"
    "Tests are of loads, stores, atomics, reductions and fences of global memory, up to symmetry; those of "
    "the smallest "
    "size that has\n"
    "some are shown, with what each model says by both engines. With FILEs the tests are those there, races "
    "and hangs count,\n"
    "and the smallest that differs is shown, with everything left out that this does not take. --timeout and "
    "--memory\n"
    "bound all that is asked, together.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error; "
    "3 unknown; "
    "else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc model diff ptx-6.0 ptx-7.5\n"
    "  ptxmc model diff ptx-9 red=acquire --events 5 --folder differences\n"
    "  ptxmc model diff ptx-9 test-wait=may-fail litmus/mbarrier\n";

Status model_verb(const Arguments& arguments, Streams& streams) {
  App app("Memory models: which there are, their texts, and what a text may name.", "ptxmc model");
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  ptxmc model show ptx-9 > mine.cat\n"
      "  ptxmc model check mine.cat && ptxmc check --model mine.cat test.litmus\n");
  std::string profile(model::kDefaultProfile);
  std::vector<std::string> files;
  Options common;
  common.verb = "model";
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
  for (App* told : {list, check, base, readings}) add_text_or_json(*told, common, "words");
  ModelDiffOptions difference;
  difference.common.verb = "model";
  App* diff = app.add_subcommand("diff", "the smallest tests that two models judge differently")
                  ->footer(kModelDiffFooter);
  add_settings(*diff, difference.common, {"--timeout", "--memory", "--jobs", "--output"});
  add_text_or_json(*diff, difference.common, "the tests");
  add_size_options(*diff, difference.events, difference.alphabet);
  diff->add_flag("--first", difference.first, "one test will do");
  add_file_options(*diff, difference.prefix, difference.folder);
  diff->add_option("A", difference.first_model, "a profile, a cat file, or NAME=VALUE,...")->required();
  diff->add_option("B", difference.second_model, "the same")->required();
  diff->add_option("FILE", difference.files, "tests to compare the models by, and folders of them");
  return parse_and_run(app, arguments, streams, [&] {
    if (diff->parsed()) return model_diff(difference, streams);
    if (readings->parsed()) return model_readings(common, streams);
    if (list->parsed()) return model_list(common, streams);
    if (show->parsed()) return model_show(profile, streams);
    if (check->parsed()) return model_check(common, files, streams);
    if (base->parsed()) return model_base(common, streams);
    return Status::input;
  });
}

Status completions_verb(const Arguments& arguments, Streams& streams);
Status man_verb(const Arguments& arguments, Streams& streams);

struct Verb {
  std::string_view name;
  std::string_view help;
  Status (*run)(const Arguments&, Streams&);
};

constexpr Verb kVerbs[] = {
    {"check", "allowed outcomes of litmus tests and the condition's verdict (the default)", check_verb},
    {"explain", "why an outcome is forbidden or allowed: axioms, cycle, picture", explain_verb},
    {"races", "data races: the two accesses, an execution, and what is missing", races_verb},
    {"repair", "the least changes that remove an outcome, a race or a hang, each proven", repair_verb},
    {"weaken", "what is stronger than it must be for all that holds of a test to hold", weaken_verb},
    {"verify", "run a kernel on a launch: what goes wrong, and what that is worth", verify_verb},
    {"record", "run a CUDA program, and write each of its launches as a file for verify", record_verb},
    {"import", "threads of a launched PTX module as a litmus test", import_verb},
    {"run", "run tests on a GPU and count what is observed", run_verb},
    {"compare", "what the model allows beside what was observed, or another model", compare_verb},
    {"generate", "litmus tests from cycles of edges, with their verdicts", generate_verb},
    {"model", "list, show, check and compare memory models; what a model may name", model_verb},
    {"lsp", "a language server for editors", lsp_verb},
    {"completions", "a script that completes command lines, for bash, zsh or fish", completions_verb},
    {"man", "manual pages: of the program, or of a verb", man_verb},
};

/// All verbs, each asked to describe itself.
std::vector<VerbText> verb_texts() {
  std::vector<VerbText> out;
  for (const Verb& verb : kVerbs) {
    std::istringstream none;
    std::ostringstream text;
    Streams streams{none, text, text};
    verb.run({"--describe"}, streams);
    out.push_back(verb_of(text.str()));
    out.back().summary = verb.help;
  }
  return out;
}

const std::map<std::string, std::string (*)(const std::vector<VerbText>&)> kShells = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

Status completions_verb(const Arguments& arguments, Streams& streams) {
  App app("Writes a script that completes command lines of ptxmc, out of the same table as --help.",
          "ptxmc completions");
  app.footer(
      "Example:\n"
      "  ptxmc completions bash > ~/.local/share/bash-completion/completions/ptxmc\n"
      "  ptxmc completions zsh > \"${fpath[1]}/_ptxmc\"\n"
      "  ptxmc completions fish > ~/.config/fish/completions/ptxmc.fish\n");
  std::string shell;
  app.add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text("bash|zsh|fish");
  return parse_and_run(app, arguments, streams, [&] {
    streams.out << kShells.at(shell)(verb_texts());
    return Status::ok;
  });
}

Status man_verb(const Arguments& arguments, Streams& streams) {
  App app("Writes manual pages, in man's macros.", "ptxmc man");
  app.footer(
      "Example:\n"
      "  ptxmc man verify | man -l -\n");
  std::string name;
  app.add_option("VERB", name, "of which verb; default: of the program");
  return parse_and_run(app, arguments, streams, [&] {
    const std::vector<VerbText> verbs = verb_texts();
    if (name.empty()) {
      streams.out << man_page(verbs, PTXMC_VERSION);
      return Status::ok;
    }
    for (const VerbText& verb : verbs) {
      if (verb.name != name) continue;
      streams.out << man_page(verb, PTXMC_VERSION);
      return Status::ok;
    }
    refuse(fmt::format("there is no verb {}: `ptxmc --help` has them", name));
  });
}

void print_usage(std::ostream& out) {
  out << "ptxmc: a model checker for the PTX memory consistency model\n\nUsage: ptxmc VERB [options] "
         "FILE...\n\nVerbs:\n";
  for (const Verb& verb : kVerbs) out << fmt::format("  {:<11} {}\n", verb.name, verb.help);
  out << "\n`ptxmc VERB --help` tells the rest; `ptxmc --version` the version.\n\nExample:\n  ptxmc "
         "test.litmus\n";
}

/// A word that is no file, and nearly a verb.
void refuse_misspelt(const std::string& word) {
  std::error_code ignored;
  if (word.find_first_of("-@./") != std::string::npos || std::filesystem::exists(word, ignored)) return;
  std::vector<std::string> known;
  for (const Verb& verb : kVerbs) known.emplace_back(verb.name);
  if (const auto near = nearest(word, known))
    refuse(fmt::format("there is no verb and no file `{}`; did you mean `ptxmc {}`?", word, *near));
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
  refuse_misspelt(first);
  return check_verb(arguments, streams);
}

}  // namespace

namespace {

Status run_guarded(const std::vector<std::string>& arguments, Streams& streams) {
  try {
    return dispatch(arguments, streams);
  } catch (const InputError& error) {
    streams.err << error.what();
    return Status::input;
  } catch (const std::bad_alloc&) {
    streams.err << "ptxmc: unknown: memory\n";
    return Status::unknown;
  } catch (const std::exception& error) {
    streams.err << "ptxmc: internal error: " << error.what() << "\n";
    return Status::failure;
  }
}

}  // namespace

Status run(const std::vector<std::string>& arguments, Streams& streams) {
  const Status status = run_guarded(arguments, streams);
  streams.out.flush();
  if (streams.out) return status;
  streams.err << "ptxmc: error: cannot write standard output\n";
  return worse(status, Status::input);
}

}  // namespace ptxmc::cli
