// SPDX-License-Identifier: Apache-2.0
// Options that verbs share, a row each; internal to src/face/cli.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "face/cli/one_of.h"
#include "face/cli/verbs.h"
#include "generate/orders.h"

namespace ptxmc::cli {

using App = CLI::App;
using Arguments = std::vector<std::string>;
using Names = std::initializer_list<std::string_view>;

struct OptionRow {
  const char* names;
  const char* value;  ///< how help shows the argument; empty: a flag
  const char* help;
  CLI::Option* (*bind)(App&, const OptionRow&, Options&);
};

/// An option that takes one of some names.
template <typename T>
CLI::Option* choice(App& app, const OptionRow& row, T& target, const std::map<std::string, T>& names) {
  const auto set = [&target, &names](const std::string& name) { target = names.at(name); };
  std::vector<std::string> known;
  known.reserve(names.size());
  for (const auto& [name, value] : names) known.push_back(name);
  return app.add_option_function<std::string>(row.names, set, row.help)->check(one_of(known));
}

/// What says what is launched of a module.
void add_launch_options(App& app, Options& options);
/// Adds those rows whose long names are in `only`, and no files.
void add_settings(App& app, Options& options, Names only);
/// Names of rules of today for those of --only and --ignore, once they are parsed. Throws InputError for a name that is none. The rows
/// of these two ask for it by App::parse_complete_callback.
void check_selected_rules(Options& options);
/// Adds all rows and the files, or those rows whose long names are in `only`.
void add_options(App& app, Options& options, Names only = {});
/// Adds the files and the rows that the arguments name: a line that these parse means the same with all rows. CLI11 compares
/// each new option with all before it, which would be a fifth of a small test.
void add_named_options(App& app, Options& options, const Arguments& arguments);

/// What FILE is, of a verb that does not take tests alone.
void say_files(App& app, const std::string& what);

/// `--format text|json`, of a verb whose text is `words`.
void add_text_or_json(App& app, Options& options, const std::string& words);

/// Whether that is no request for help, and no mistake.
bool parses(App& app, Arguments arguments);
/// Parses and runs; CLI11's help and errors are handled here. `--describe` alone tells what there is, as JSON
/// (describe.h).
Status parse_and_run(App& app, Arguments arguments, Streams& streams, const std::function<Status()>& action);

/// `--time T` of a campaign as a whole.
void add_campaign_time(App& app, CampaignOptions& target, const std::string& help);
/// `--progress`, of a campaign.
void add_progress_option(App& app, Progress& target);
/// `--shard I/N`
void add_shard_option(App& app, Shard& target, const std::string& help);
/// Options of `run` about campaigns and shards (campaign_command_line.cpp).
void add_campaign_options(App& app, GpuOptions& options);

/// Verbs that ask about tests (test_command_lines.cpp), and about kernels (verify_command_line.cpp).
Status check_verb(const Arguments& arguments, Streams& streams);
Status explain_verb(const Arguments& arguments, Streams& streams);
Status races_verb(const Arguments& arguments, Streams& streams);
Status import_verb(const Arguments& arguments, Streams& streams);
Status verify_verb(const Arguments& arguments, Streams& streams);
struct VerifyOptions;
/// What is taken for an error, and what is accepted: --strict, --allow-incomplete, baselines. Of `verify` and `record --verify`.
void add_acceptance_options(App& app, VerifyOptions& options);
/// What there is of models (model_command_line.cpp).
Status model_verb(const Arguments& arguments, Streams& streams);
/// Verbs that change tests (repair_command_line.cpp).
Status repair_verb(const Arguments& arguments, Streams& streams);
Status weaken_verb(const Arguments& arguments, Streams& streams);
/// Options about tests of a size, and about the files of tests that are made (generate_command_line.cpp).
void add_size_options(App& app, std::size_t& events, generate::Alphabet& alphabet);
void add_file_options(App& app, std::string& prefix, std::string& folder);

/// What of the system can be used (doctor_verb.cpp).
Status doctor_verb(const Arguments& arguments, Streams& streams);
/// nvcc, and what it compiles (nvcc_verb.cpp).
Status nvcc_verb(const Arguments& arguments, Streams& streams);
/// The language server (lsp_verb.cpp).
Status lsp_verb(const Arguments& arguments, Streams& streams);
/// Verbs of a GPU (gpu_command_line.cpp).
Status run_verb(const Arguments& arguments, Streams& streams);
Status compare_verb(const Arguments& arguments, Streams& streams);
/// A suite on a GPU (conform_command_line.cpp).
Status conform_verb(const Arguments& arguments, Streams& streams);

}  // namespace ptxmc::cli
