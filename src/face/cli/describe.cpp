// SPDX-License-Identifier: Apache-2.0
#include "face/cli/describe.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ptxmc::cli {

namespace {

using Json = nlohmann::ordered_json;

OptionText text_of(const CLI::Option& option) {
  OptionText out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (out.names.empty()) out.names.push_back(option.get_name());
  out.help = option.get_description();
  if (option.get_expected_max() == 0) return out;
  out.value = option.get_option_text();
  if (out.value == "...") out.value.clear();  // of files
  if (out.value.empty()) out.value = out.is_positional() ? out.names.front() : option.get_type_name();
  return out;
}

Json json(const VerbText& verb) {
  Json out = {{"name", verb.name},
              {"description", verb.description},
              {"options", Json::array()},
              {"footer", verb.footer}};
  for (const OptionText& option : verb.options)
    out["options"].push_back({{"names", option.names}, {"value", option.value}, {"help", option.help}});
  out["verbs"] = Json::array();
  for (const VerbText& inner : verb.verbs) out["verbs"].push_back(json(inner));
  return out;
}

VerbText verb(const Json& json) {
  VerbText out;
  out.name = json.at("name").get<std::string>();
  out.description = json.at("description").get<std::string>();
  out.footer = json.at("footer").get<std::string>();
  for (const Json& option : json.at("options"))
    out.options.push_back({option.at("names").get<std::vector<std::string>>(),
                           option.at("value").get<std::string>(), option.at("help").get<std::string>()});
  for (const Json& inner : json.at("verbs")) out.verbs.push_back(verb(inner));
  return out;
}

}  // namespace

bool OptionText::takes_file() const {
  return value.find("FILE") != std::string::npos || value.find("DIR") != std::string::npos;
}

std::vector<std::string> OptionText::words() const {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    const std::string word = value.substr(at, end - at);
    const bool fixed = std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (fixed && !word.empty()) out.push_back(word);
    at = end + 1;
  }
  return out;
}

VerbText describe(const CLI::App& app) {
  VerbText out;
  out.name = app.get_name();
  out.name.erase(0, out.name.rfind(' ') + 1);  // "ptxmc check"
  out.description = app.get_description();
  out.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) out.options.push_back(text_of(*option));
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; }))
    out.verbs.push_back(describe(*inner));
  return out;
}

std::string json_of(const VerbText& verb) {
  return json(verb).dump(2) + "\n";
}
VerbText verb_of(const std::string& text) {
  return verb(Json::parse(text));
}

}  // namespace ptxmc::cli
