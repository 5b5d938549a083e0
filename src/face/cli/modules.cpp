// SPDX-License-Identifier: Apache-2.0
#include "face/cli/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "face/cli/answer.h"
#include "input/launch/list.h"
#include "input/launch/plan_file.h"
#include "input/launch/program.h"
#include "input/litmus/code.h"
#include "ptx/text/module.h"
#include "report/json/line.h"
#include "session/launched.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

constexpr std::size_t kMaxModuleBytes = std::size_t{1} << 28;

bool is_module_name(const std::string& file) {
  return file.ends_with(".ptx");
}

bool is_module(const Input& input) {
  return input.text != nullptr || is_module_name(input.name);
}

[[noreturn]] void refuse_source(const SourcePtr& source, const std::string& message) {
  ptxmc::refuse(source, {}, message);
}

/// The module that a file of launches names, beside that file.
SourcePtr module_of(const launch::Plan& plan, std::istream& standard_input) {
  if (plan.module.ends_with(".cu"))
    ptxmc::refuse(
        plan.source, plan.module_position,
        fmt::format("module: '{}' is CUDA source, which `ptxmc verify` alone compiles; name the .ptx "
                    "that nvcc -arch=sm_90a -lineinfo -ptx makes of it",
                    plan.module));
  const auto path = std::filesystem::path(plan.source->name).parent_path() / plan.module;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_directory(path, ignored)) {
    auto cuda = path;
    cuda.replace_extension(".cu");
    const bool has_source = std::filesystem::is_regular_file(cuda, ignored);
    ptxmc::refuse(
        plan.source, plan.module_position,
        fmt::format("module: '{}' is no file; its name is looked up beside this file{}", path.string(),
                    has_source ? fmt::format("; if this file names {}, `ptxmc verify` compiles it",
                                             cuda.filename().string())
                               : ""));
  }
  return read_input({path.string(), ""}, standard_input, kMaxModuleBytes);
}

std::string list_json(const ptx::Module& module, const std::string& verb, const std::string& file) {
  using Json = nlohmann::ordered_json;
  Json out = report::json_head(verb);
  out["file"] = module.source->name;
  out["ptx"] = fmt::format("{}.{}", module.major, module.minor);
  out["entries"] = Json::array();
  for (const launch::ListedEntry& entry : launch::listed(module, verb, file)) {
    Json one = {{"name", entry.name}, {"symbol", entry.symbol}, {"parameters", Json::array()}};
    for (const launch::ListedEntry::Parameter& parameter : entry.parameters) {
      Json row = {{"type", parameter.type}, {"bytes", parameter.bytes}, {"alignment", parameter.alignment}};
      if (!parameter.language.empty()) row["language"] = parameter.language;
      row["address"] = parameter.address;
      row["tensor_map"] = parameter.tensor_map;
      one["parameters"].push_back(std::move(row));
    }
    one["shared"] = entry.shared;
    one["dynamic_shared"] = entry.dynamic_shared;
    one["command"] = entry.command;
    if (!entry.error.empty()) one["error"] = entry.error;
    out["entries"].push_back(std::move(one));
  }
  return report::json_text(out);
}

}  // namespace

bool is_launch_name(const std::string& file) {
  return is_module_name(file) || launch::is_plan_name(file);
}

bool is_launch(const Input& input) {
  return is_module(input) || launch::is_plan_name(input.name);
}

SourcePtr read_module(const Input& input, std::istream& standard_input) {
  SourcePtr source = read_input(input, standard_input, kMaxModuleBytes);
  if (is_module(input)) return source;
  return input.module != nullptr ? input.module : module_of(launch::read_plan(source), standard_input);
}

litmus::Test read_launch(const Input& input, const Options& options, std::istream& standard_input) {
  return read_launch(input, options, standard_input, launch::Choice{}, nullptr);
}

launch::Plan read_plan(const Input& input, const Options& options, std::istream& standard_input,
                       SourcePtr* module) {
  SourcePtr source = read_input(input, standard_input, kMaxModuleBytes);
  launch::Plan plan;
  if (is_module(input)) {
    if (!options.launch.any())
      refuse_source(
          nullptr,
          fmt::format("'{}': say what to launch by --entry, --grid, --block, --arg, or in a launch.json; "
                      "`ptxmc verify --list` says what there is{}{}",
                      input.name, input.unlaunched.empty() ? "" : "; ", input.unlaunched));
    plan = launch::read_words(options.launch);
  } else {
    if (options.launch.any())
      refuse_source(nullptr,
                    fmt::format("'{}' says what is launched: options beside it are not read", input.name));
    plan = launch::read_plan(source);
    source = input.module != nullptr ? input.module : module_of(plan, standard_input);
  }
  if (module != nullptr) *module = source;
  return plan;
}

litmus::Test read_launch(const Input& input, const Options& options, std::istream& standard_input,
                         const launch::Choice& choice, launch::Beside* beside, const Instead& instead) {
  SourcePtr source;
  launch::Plan plan = read_plan(input, options, standard_input, &source);
  if (instead.launch) instead.launch(plan);
  if (instead.module != nullptr)
    source = std::make_shared<const Source>(Source{source->name, *instead.module});
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

namespace {

/// What each of the modules has to launch; an input that is none is left, where there are some.
Status list_modules(const Options& options, const std::vector<Input>& inputs, bool json, Streams& streams) {
  Status status = Status::ok;
  const bool some = std::any_of(inputs.begin(), inputs.end(), is_module);
  for (const Input& input : inputs) {
    if (some && input.error.empty() && !is_module(input)) continue;
    try {
      const ptx::Module module = ptx::parse_module(read_input(input, streams.in, kMaxModuleBytes));
      const std::string& file = input.file.empty() ? input.name : input.file;
      streams.out << (json ? list_json(module, options.verb, file)
                           : launch::list(module, options.verb, file));
    } catch (const InputError& error) {
      if (!json) throw;
      streams.err << error.what();
      streams.out << report::json_errors(options.verb, input.name, error.diagnostics());
      status = worse(status, status_of(answer_of(error)));
    }
  }
  return status;
}

/// `modules`: all of the inputs are modules.
Status list_or_ask_of(const Options& options, bool modules, const std::function<std::vector<Input>()>& inputs,
                      Listing format, Streams& streams, const std::function<Status()>& ask) {
  if (options.list) return list_modules(options, inputs(), format == Listing::json, streams);
  const bool listed = format == Listing::text && options.output.empty();
  if (modules && listed && !options.launch.any()) list_modules(options, inputs(), false, streams);
  return ask();
}

}  // namespace

Status list_or_ask(const Options& options, const std::vector<Input>& inputs, Listing format, Streams& streams,
                   const std::function<Status()>& ask) {
  const bool modules = std::all_of(inputs.begin(), inputs.end(), [](const Input& input) {
    return input.error.empty() && is_module(input);
  });
  return list_or_ask_of(
      options, modules, [&] { return inputs; }, format, streams, ask);
}

Status list_or_ask(const Options& options, Streams& streams, const std::function<Status()>& ask) {
  const Listing format = options.format == Format::text   ? Listing::text
                         : options.format == Format::json ? Listing::json
                                                          : Listing::other;
  const bool modules = std::all_of(options.files.begin(), options.files.end(), is_module_name);
  return list_or_ask_of(
      options, modules, [&] { return expand_inputs(options.files); }, format, streams, ask);
}

}  // namespace ptxmc::cli
