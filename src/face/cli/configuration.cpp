// SPDX-License-Identifier: Apache-2.0
#include "face/cli/configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <string_view>

#include "face/cli/inputs.h"
#include "finding/rules.h"
#include "support/nearest.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigurationName = ".ptxmc.json";
constexpr std::array<std::string_view, 3> kConfigured = {"races", "verify", "record"};
/// What is of one run alone: it writes a file, asks something else, or says what code is loaded.
constexpr std::array<std::string_view, 10> kOfOneRun = {
    "output", "write-baseline", "emit-litmus", "driver",    "list",
    "merge",  "explain",        "help",        "no-config", "shard"};

/// "; did you mean `timeout`?"
std::string meant_key(const std::string& name, const std::vector<std::string>& known) {
  const auto near = nearest(name, known);
  return near ? fmt::format("; did you mean `{}`?", *near)
              : fmt::format("; there are {}", fmt::join(known, ", "));
}

const launch::JsonObject& object_in(const SourcePtr& source, const launch::Json& json,
                                    const std::string& what) {
  const auto* const object = json.as<launch::JsonObject>();
  if (object == nullptr)
    refuse(source, json.position, fmt::format("{} is an object; found {}", what, launch::kind_of(json)));
  return *object;
}

bool names_option(const CLI::Option& option, const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [&](const std::string& word) {
    const auto& longs = option.get_lnames();
    const auto& shorts = option.get_snames();
    return std::any_of(longs.begin(), longs.end(),
                       [&](const std::string& name) {
                         return word == "--" + name || word.starts_with("--" + name + "=");
                       }) ||
           std::any_of(shorts.begin(), shorts.end(), [&](const std::string& name) {
             return !word.starts_with("--") && word.starts_with("-" + name);
           });
  });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (std::find(kOfOneRun.begin(), kOfOneRun.end(), name) == kOfOneRun.end()) out.push_back(name);
    }
  }
  return out;
}

/// A number or a text as a word; nothing: it is neither.
std::optional<std::string> word_of(const launch::Json& json) {
  if (const auto* text = json.as<std::string>()) return *text;
  if (const auto* number = json.as<std::int64_t>()) return std::to_string(*number);
  if (const auto* number = json.as<std::uint64_t>()) return std::to_string(*number);
  if (const auto* number = json.as<double>()) return fmt::format("{}", *number);
  return std::nullopt;
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{"--describe"} ||
         std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

bool has_word(const std::vector<std::string>& arguments, std::string_view word) {
  return std::find(arguments.begin(), std::find(arguments.begin(), arguments.end(), "--"), word) !=
         std::find(arguments.begin(), arguments.end(), "--");
}

}  // namespace

Configuration::Configuration(const std::string& file) {
  std::istringstream nothing;
  source_ = read_input({file, ""}, nothing);
  if (source_->text.find_first_not_of(" \t\r\n") == std::string::npos)
    refuse(source_, {1, 1},
           "a configuration is an object, such as {\"options\": {\"verify\": {\"jobs\": 4}}}");
  const launch::Json json = launch::parse_json(source_);
  for (const launch::JsonMember& member : object_in(source_, json, "a configuration")) {
    const std::string& name = member.key.name;
    if (name == "options") {
      read_options(member.value);
    } else if (name == "waive") {
      read_waived(member.value);
    } else if (name != "$schema") {
      refuse(source_, member.key.position,
             fmt::format("`{}` is no key of a configuration{}", name, meant_key(name, {"options", "waive"})));
    }
  }
}

void Configuration::read_options(const launch::Json& json) {
  const std::vector<std::string> verbs(kConfigured.begin(), kConfigured.end());
  for (const launch::JsonMember& member : object_in(source_, json, "\"options\"")) {
    const std::string& verb = member.key.name;
    if (std::find(verbs.begin(), verbs.end(), verb) == verbs.end())
      refuse(source_, member.key.position,
             fmt::format("`{}` is no verb that takes a configuration{}", verb, meant_key(verb, verbs)));
    options_.emplace_back(verb, object_in(source_, member.value, fmt::format("the options of `{}`", verb)));
  }
}

void Configuration::read_waived(const launch::Json& json) {
  const auto* const list = json.as<launch::JsonArray>();
  if (list == nullptr) refuse(source_, json.position, "\"waive\" is a list of rules with reasons");
  for (const launch::Json& one : *list) {
    finding::WaivedRule waived;
    for (const launch::JsonMember& member : object_in(source_, one, "a waived rule")) {
      const auto* const text = member.value.as<std::string>();
      const bool known = member.key.name == "rule" || member.key.name == "reason";
      if (!known)
        refuse(source_, member.key.position,
               fmt::format("`{}` is no key of a waived rule{}", member.key.name,
                           meant_key(member.key.name, {"rule", "reason"})));
      if (text == nullptr || text->empty())
        refuse(source_, member.value.position, fmt::format("\"{}\" is a text", member.key.name));
      (member.key.name == "rule" ? waived.rule : waived.reason) = *text;
    }
    if (waived.rule.empty() || waived.reason.empty())
      refuse(source_, one.position, "a waived rule has a \"rule\" and a \"reason\"");
    const finding::Rule* const rule = finding::find_rule(waived.rule);
    if (rule == nullptr || rule->kind == finding::Kind::answer) {
      const auto near = finding::nearest_rule(waived.rule);
      refuse(source_, one.position,
             fmt::format("there is no rule `{}` that can be waived{}", waived.rule,
                         near && *near != waived.rule ? fmt::format("; did you mean `{}`?", *near) : ""));
    }
    waived.rule = rule->name;
    waived_.push_back(std::move(waived));
  }
}

std::optional<Configuration> Configuration::find() {
  std::error_code error;
  fs::path folder = fs::current_path(error);
  while (!error && !folder.empty()) {
    const fs::path file = folder / kConfigurationName;
    std::error_code none;
    if (fs::is_regular_file(file, none)) return Configuration(fs::proximate(file, none).string());
    if (fs::exists(file, none))
      refuse(fmt::format("'{}' is no regular file", fs::proximate(file, none).string()));
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

void Configuration::add_words(const CLI::App& app, const launch::JsonMember& option,
                              const std::vector<std::string>& arguments,
                              std::vector<std::string>& out) const {
  const std::string& name = option.key.name;
  const CLI::Option* const known = app.get_option_no_throw("--" + name);
  if (std::find(kOfOneRun.begin(), kOfOneRun.end(), name) != kOfOneRun.end())
    refuse(source_, option.key.position,
           fmt::format("`{}` is of one run alone: give it on the command line", name));
  if (known == nullptr)
    refuse(
        source_, option.key.position,
        fmt::format("`{}` is no option of {}{}", name, app.get_name(), meant_key(name, option_names(app))));
  if (names_option(*known, arguments)) return;
  const bool flag = known->get_items_expected_max() == 0;
  const auto* const on = option.value.as<bool>();
  if (flag && on == nullptr)
    refuse(source_, option.value.position, fmt::format("`{}` is true or false", name));
  if (flag) {
    if (*on) out.push_back("--" + name);
    return;
  }
  const bool is_path = known->get_option_text() == "FILE" || known->get_option_text() == "DIR";
  const auto add = [&](const launch::Json& value) {
    std::optional<std::string> word = word_of(value);
    if (!word)
      refuse(source_, value.position, fmt::format("`{}` takes a number, a text or a list of them", name));
    if (is_path && fs::path(*word).is_relative()) word = (fs::path(file()).parent_path() / *word).string();
    out.push_back(fmt::format("--{}={}", name, *word));
  };
  if (const auto* const list = option.value.as<launch::JsonArray>()) {
    for (const launch::Json& value : *list) add(value);
  } else {
    add(option.value);
  }
}

std::vector<std::string> Configuration::words(const CLI::App& app, const std::string& verb,
                                              const std::vector<std::string>& arguments) const {
  std::vector<std::string> out;
  for (const auto& [of, options] : options_) {
    if (of != verb) continue;
    for (const launch::JsonMember& option : options) add_words(app, option, arguments, out);
  }
  return out;
}

void add_configuration_option(CLI::App& app) {
  app.add_flag_callback(
      "--no-config", [] {}, "read no .ptxmc.json, which the current folder or one above it may have");
}

Configured configured(const CLI::App& app, const std::string& verb, const std::vector<std::string>& arguments,
                      Streams& streams) {
  Configured out{arguments, std::nullopt};
  if (has_word(arguments, "--no-config") || asks_for_help(arguments)) return out;
  out.configuration = Configuration::find();
  if (!out.configuration) return out;
  std::vector<std::string> words = out.configuration->words(app, verb, arguments);
  const bool quiet = has_word(arguments, "-q") || has_word(arguments, "--quiet");
  if (!words.empty() && !quiet)
    streams.err << fmt::format("{}: note: adds {}\n", out.configuration->file(), fmt::join(words, " "));
  out.arguments.insert(out.arguments.begin(), words.begin(), words.end());
  return out;
}

}  // namespace ptxmc::cli
