// SPDX-License-Identifier: Apache-2.0
// The verb `model`: what models there are, their texts, whether a text is one, and what it may name.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "axiomatic/event/base.h"
#include "face/cli/verbs.h"
#include "model/models.h"
#include "report/json/line.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

std::string_view sort_name(relation::Sort sort) {
  return sort == relation::Sort::set ? "set" : "relation";
}

std::string_view provider_name(relation::Provider provider) {
  switch (provider) {
    case relation::Provider::fixed:
      return "fixed";
    case relation::Provider::reads_from:
      return "chosen";
    case relation::Provider::enumerated:
      return "enumerated";
  }
  return "";
}

using Json = nlohmann::ordered_json;

/// A line of `model`, of what kind of row.
Json row_of(std::string_view about) {
  Json out = report::json_head("model");
  out["about"] = about;
  return out;
}

bool as_json(const Options& options) {
  return options.format == Format::json;
}

}  // namespace

Status model_list(const Options& options, Streams& streams) {
  for (const model::Profile& profile : model::profiles()) {
    const bool is_default = profile.name == model::kDefaultProfile;
    if (as_json(options)) {
      Json out = row_of("profile");
      out["name"] = profile.name;
      out["file"] = profile.file;
      out["words"] = profile.description;
      out["default"] = is_default;
      streams.out << report::json_text(out);
      continue;
    }
    streams.out << fmt::format("{:<10} {:<14} {}{}\n", profile.name, profile.file, profile.description,
                               is_default ? " (default)" : "");
  }
  return Status::ok;
}

Status model_show(const std::string& name, Streams& streams) {
  const model::Profile* const profile = model::find_profile(name);
  if (const SourcePtr text = model::text_of(profile == nullptr ? name : std::string(profile->file))) {
    streams.out << text->text;
    return Status::ok;
  }
  refuse(fmt::format("no built-in model is named '{}'; `ptxmc model list` lists them", name));
}

Status model_check(const Options& options, const std::vector<std::string>& files, Streams& streams) {
  Status status = Status::ok;
  for (const std::string& file : files) {
    try {
      const relation::MemoryModel model = model::load(file, event::base_signature());
      if (as_json(options)) {
        Json out = row_of("text");
        out["file"] = file;
        out["name"] = model.name;
        out["definitions"] = model.definitions.size();
        out["axioms"] = model.axioms.size();
        out["flags"] = model.flags.size();
        out["orders"] = model.orders.size();
        streams.out << report::json_text(out);
        continue;
      }
      streams.out << fmt::format("{}: {}: {} definitions, {} axioms, {} flags, {} orders\n", file, model.name,
                                 model.definitions.size(), model.axioms.size(), model.flags.size(),
                                 model.orders.size());
    } catch (const InputError& error) {
      streams.err << error.what();
      if (as_json(options)) streams.out << report::json_errors("model", file, error.diagnostics());
      status = worse(status, Status::input);
    }
  }
  return status;
}

Status model_base(const Options& options, Streams& streams) {
  const relation::Signature& signature = event::base_signature();
  for (const relation::BaseRow& row : signature.rows()) {
    if (as_json(options)) {
      Json out = row_of("base");
      out["name"] = row.name;
      out["sort"] = sort_name(row.sort);
      out["provider"] = provider_name(row.provider);
      out["words"] = row.doc;
      if (!row.section.empty()) out["section"] = row.section;
      streams.out << report::json_text(out);
      continue;
    }
    streams.out << fmt::format("{:<10} {:<9} {:<11} {}{}\n", row.name, sort_name(row.sort),
                               provider_name(row.provider), row.doc,
                               row.section.empty() ? "" : " (" + row.section + ")");
  }
  return Status::ok;
}

Status model_readings(const Options& options, Streams& streams) {
  for (const model::Reading& reading : model::readings()) {
    if (as_json(options)) {
      Json out = row_of("reading");
      out["name"] = reading.name;
      out["values"] = reading.values;  // the first is the default
      out["words"] = reading.doc;
      out["rules"] = reading.rules;
      out["acts"] = name_of(reading.acts);
      streams.out << report::json_text(out);
      continue;
    }
    std::string values;
    for (const std::string_view value : reading.values) {
      values += values.empty() ? fmt::format("{} (default)", value) : fmt::format(", {}", value);
    }
    streams.out << fmt::format("{}: {}\n    {} ({}; {})\n", reading.name, values, reading.doc, reading.rules,
                               name_of(reading.acts));
  }
  return Status::ok;
}

}  // namespace ptxmc::cli
