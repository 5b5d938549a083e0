// SPDX-License-Identifier: Apache-2.0
// The command line: `ptxmc VERB [options] FILE...`. A verb is a row of kVerbs, an option a row of kOptions
// (option_rows.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <new>
#include <ostream>
#include <set>
#include <sstream>

#include "face/cli/answer.h"
#include "face/cli/describe.h"
#include "face/cli/generate_verb.h"
#include "face/cli/kernel_inputs.h"
#include "face/cli/option_rows.h"
#include "face/cli/record_verb.h"
#include "support/diagnostic.h"
#include "support/nearest.h"
#include "support/refuse.h"

#ifndef PTXMC_VERSION
#define PTXMC_VERSION "unversioned"
#endif

namespace ptxmc::cli {

namespace {

Status completions_verb(const Arguments& arguments, Streams& streams);
Status man_verb(const Arguments& arguments, Streams& streams);

struct Verb {
  std::string_view name;
  std::string_view help;
  Status (*run)(const Arguments&, Streams&);
};

constexpr Verb kVerbs[] = {
    {"check", "allowed outcomes of litmus tests and the condition's verdict (the default for tests)",
     check_verb},
    {"explain", "what a rule means; or why an outcome is forbidden or allowed", explain_verb},
    {"races", "data races: the two accesses, an execution, and what is missing", races_verb},
    {"repair", "the least changes that remove an outcome, a race or a hang, each proven", repair_verb},
    {"weaken", "what is stronger than it must be for all that holds of a test to hold", weaken_verb},
    {"verify", "races, deadlocks and misuse in any schedule of a launch (the default for kernels)",
     verify_verb},
    {"record", "run a CUDA program, and write each of its launches as a file for verify", record_verb},
    {"nvcc", "compile with nvcc, and verify the launches that lie beside the sources", nvcc_verb},
    {"import", "threads of a launched PTX module as a litmus test", import_verb},
    {"run", "run tests on a GPU and count what is observed", run_verb},
    {"compare", "what the model allows beside what was observed, or another model", compare_verb},
    {"conform", "a suite of tests on a GPU, and a certificate of what it showed", conform_verb},
    {"generate", "litmus tests from cycles of edges, with their verdicts", generate_verb},
    {"model", "list, show, check and compare memory models; what a model may name", model_verb},
    {"doctor", "what of this system ptxmc can use: Z3, nvcc, a GPU, Graphviz, Python", doctor_verb},
    {"lsp", "a language server for editors", lsp_verb},
    {"completions", "a script that completes command lines, for bash, zsh or fish", completions_verb},
    {"man", "manual pages: of the program, or of a verb", man_verb},
};

/// The verb is asked to describe itself.
VerbText text_of(const Verb& verb) {
  std::istringstream none;
  std::ostringstream text;
  Streams streams{none, text, text};
  verb.run({"--describe"}, streams);
  VerbText out = verb_of(text.str());
  out.summary = verb.help;
  return out;
}

std::vector<VerbText> verb_texts() {
  std::vector<VerbText> out;
  for (const Verb& verb : kVerbs) out.push_back(text_of(verb));
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
      ->check(one_of({"bash", "zsh", "fish"}))
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
  app.add_option("VERB", name, "the verb; default: the program");
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
  out << "ptxmc finds data races, missing fences and deadlocks in CUDA kernels, without a GPU, in every\n"
         "schedule of a launch. It also checks litmus tests against the memory model of the PTX ISA.\n\n"
         "Usage: ptxmc VERB [options] FILE...\n"
         "       ptxmc [options] FILE...     verify kernels (.cu, .ptx, programs), check litmus tests\n\nVerbs:\n";
  for (const Verb& verb : kVerbs) out << fmt::format("  {:<11} {}\n", verb.name, verb.help);
  out << "\n`ptxmc help VERB` tells the rest; `ptxmc --version` the version.\n\n"
         "Example:\n"
         "  ptxmc record --verify -- ./app\n"
         "  ptxmc kernel.cu --block 128 --arg buffer:4K\n"
         "  ptxmc test.litmus\n";
}

/// The verb that a misspelt one may mean.
std::optional<std::string> nearest_verb(const std::string& word) {
  std::vector<std::string> known;
  for (const Verb& verb : kVerbs) known.emplace_back(verb.name);
  return nearest(word, known);
}

/// A word that is no file, and nearly a verb.
void refuse_misspelt(const std::string& word) {
  std::error_code ignored;
  if (word.find_first_of("-@./") != std::string::npos || std::filesystem::exists(word, ignored)) return;
  if (const auto near = nearest_verb(word))
    refuse(fmt::format("there is no verb and no file `{}`; did you mean `ptxmc {}`?", word, *near));
}

/// The verb of that name; null: there is none.
const Verb* verb_named(const std::string& name) {
  const auto* verb =
      std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& v) { return v.name == name; });
  return verb == std::end(kVerbs) ? nullptr : verb;
}

/// `ptxmc help`, `ptxmc help VERB`.
Status help(const Arguments& arguments, Streams& streams) {
  if (arguments.size() < 2) {
    print_usage(streams.out);
    return Status::ok;
  }
  if (const Verb* verb = verb_named(arguments[1])) return verb->run({"--help"}, streams);
  const auto near = nearest_verb(arguments[1]);
  refuse(
      fmt::format("there is no verb `{}`{}", arguments[1],
                  near ? fmt::format("; did you mean `ptxmc help {}`?", *near) : ": `ptxmc help` has them"));
}

/// Names of options in a description.
std::set<std::string> names_of(const VerbText& verb) {
  std::set<std::string> out;
  for (const OptionText& option : verb.options) {
    if (!option.is_positional()) out.insert(option.names.begin(), option.names.end());
  }
  return out;
}

/// The name of an option in a word of a command line: "-e" of "-ez3", "--engine" of "--engine=z3".
std::string option_name(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

/// Who gives an option of `check` that `verify` has not asks for outcomes of tests, or of a kernel as a test.
bool asks_for_outcomes(const Arguments& arguments) {
  const std::set<std::string> of_check = names_of(text_of(*verb_named("check"))),
                              of_verify = names_of(text_of(*verb_named("verify")));
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
    const std::string name = option_name(word);
    return of_check.contains(name) && !of_verify.contains(name);
  });
}

Status dispatch(const Arguments& arguments, Streams& streams) {
  if (arguments.empty()) {
    print_usage(streams.err);
    return Status::input;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") return help(arguments, streams);
  if (first == "--explain") return explain_verb({arguments.begin() + 1, arguments.end()}, streams);
  if (first == "--version") {
    streams.out << "ptxmc " << PTXMC_VERSION << "\n";
    return Status::ok;
  }
  if (const Verb* verb = verb_named(first))
    return verb->run({arguments.begin() + 1, arguments.end()}, streams);
  refuse_misspelt(first);
  const bool verifies = names_kernels(arguments) && !asks_for_outcomes(arguments);
  return verifies ? verify_verb(arguments, streams) : check_verb(arguments, streams);
}

Status run_guarded(const std::vector<std::string>& arguments, Streams& streams) {
  try {
    return dispatch(arguments, streams);
  } catch (const InputError& error) {
    streams.err << error.what();
    return status_of(answer_of(error));
  } catch (const std::exception& error) {
    const std::string open = open_word(error);
    streams.err << (open.empty() ? fmt::format("ptxmc: internal error: {}\n", error.what())
                                 : fmt::format("ptxmc: unknown: {}\n", open));
    return status_of(answer_of(error));
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
