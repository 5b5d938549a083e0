// SPDX-License-Identifier: Apache-2.0
#include "cli/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "launch/list.h"
#include "launch/plan_file.h"
#include "launch/program.h"
#include "litmus/code.h"
#include "ptx/module.h"
#include "session/launched.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

constexpr std::size_t kMaxModuleBytes = std::size_t{1} << 28;

bool is_module_name(const std::string& file) {
  return file.ends_with(".ptx");
}

[[noreturn]] void refuse(const SourcePtr& source, const std::string& message) {
  ptxmc::refuse(source, {}, message);
}

/// The module that a file of launches names, beside that file.
SourcePtr module_of(const launch::Plan& plan, std::istream& standard_input) {
  const auto path = std::filesystem::path(plan.source->name).parent_path() / plan.module;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_directory(path, ignored))
    ptxmc::refuse(
        plan.source, plan.module_position,
        fmt::format("module: '{}' is no file; its name is looked up beside this file", path.string()));
  return read_input({path.string(), ""}, standard_input, kMaxModuleBytes);
}

}  // namespace

bool is_launch_name(const std::string& file) {
  return is_module_name(file) || launch::is_plan_name(file);
}

SourcePtr read_module(const Input& input, std::istream& standard_input) {
  SourcePtr source = read_input(input, standard_input, kMaxModuleBytes);
  return is_module_name(input.name) ? source : module_of(launch::read_plan(source), standard_input);
}

litmus::Test read_launch(const Input& input, const Options& options, std::istream& standard_input) {
  return read_launch(input, options, standard_input, {}, nullptr);
}

litmus::Test read_launch(const Input& input, const Options& options, std::istream& standard_input,
                         const launch::Choice& choice, launch::Beside* beside, const std::string* instead) {
  SourcePtr source = read_input(input, standard_input, kMaxModuleBytes);
  launch::Plan plan;
  if (is_module_name(input.name)) {
    if (!options.launch.any())
      refuse(nullptr,
             fmt::format("'{}': say what to launch by --entry, --grid, --block, --arg, or in a launch.json",
                         input.name));
    plan = launch::read_words(options.launch);
  } else {
    if (options.launch.any())
      refuse(nullptr, fmt::format("'{}' says what is launched: options beside it are not read", input.name));
    plan = launch::read_plan(source);
    source = module_of(plan, standard_input);
  }
  if (instead != nullptr) source = std::make_shared<const Source>(Source{source->name, *instead});
  litmus::Test out = session::launched(source, plan, choice, beside);
  if (!options.assertion.empty()) {
    const auto text = std::make_shared<const Source>(Source{"--assert", options.assertion});
    out.property = program::Property::always(litmus::read_condition(text, out));
    litmus::Verdict holds;  // which is what an assertion states
    holds.proposition = litmus::Stated::required;
    out.verdicts.push_back(std::move(holds));
  }
  return out;
}

bool wants_listing(const Options& options) {
  return !options.launch.any() && !options.files.empty() &&
         std::all_of(options.files.begin(), options.files.end(), is_module_name);
}

Status list_modules(const Options& options, const std::string& verb, Streams& streams) {
  for (const Input& input : expand_inputs(options.files))
    streams.out << launch::list(ptx::parse_module(read_input(input, streams.in, kMaxModuleBytes)), verb);
  return Status::ok;
}

}  // namespace ptxmc::cli
