// SPDX-License-Identifier: Apache-2.0
#include "report/sarif/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "finding/acceptance.h"
#include "finding/manual.h"
#include "finding/pages.h"
#include "finding/rules.h"
#include "support/origins.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

/// A URI reference (RFC 3986): what may not stand in a path is escaped.
std::string uri_of(const std::string& file) {
  std::string out;
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) ||
                       std::string_view("/._-~+,@=()!$&'*;").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

/// Where a result is.
struct Places {
  const Characters& characters;
  const FindSource& find;
  const std::string& file;  ///< of what names none

  /// The place in the CUDA source that a place was compiled from; null: there is none, or it is not found.
  Json compiled_from(const Json& place) const;
  /// The place of what has "file", "line" and "column", or less.
  Json operator()(const Json& place, const std::string& message = "") const;
};

Json Places::operator()(const Json& place, const std::string& message) const {
  Json out;
  const std::string in = place.value("file", file);
  out["physicalLocation"]["artifactLocation"]["uri"] = uri_of(in);
  const int line = std::max(place.value("line", 1), 1), column = std::max(place.value("column", 1), 1);
  Json region = {{"startLine", line}, {"startColumn", characters.column(in, line, column)}};
  if (const int length = place.value("length", 0); length > 0)
    region["endColumn"] = characters.column(in, line, column + length);
  if (place.contains("text")) region["snippet"]["text"] = place["text"];
  out["physicalLocation"]["region"] = std::move(region);
  if (!message.empty()) out["message"]["text"] = message;
  return out;
}

Json Places::compiled_from(const Json& place) const {
  if (!find || !place.contains("source")) return nullptr;
  SourceFrame frame = SourceFrame::parse(place["source"].get<std::string>());
  if (const auto from = place.find("compiled_from"); from != place.end())
    frame = {from->at("path").get<std::string>(), from->at("line").get<std::uint32_t>(),
             from->value("column", 0U)};
  const std::string found = find(frame.path, place.value("file", file));
  if (found.empty() || frame.line == 0) return nullptr;
  Json out = {{"file", found}, {"line", frame.line}};
  if (frame.column != 0) out["column"] = frame.column;
  return out;
}

/// "write by block 0, thread 16 (sum.cu:9)"
std::string told(const Json& place) {
  std::string out = place.contains("access") ? place.value("access", "") : place.value("text", "");
  if (place.contains("cta")) {
    out += fmt::format(" by block {}, thread {}", place["cta"].get<int>(), place["in_cta"].get<int>());
    if (place.contains("kernel")) out += fmt::format(" of `{}`", place["kernel"].get<std::string>());
  } else if (place.contains("thread") && place["thread"].is_number()) {
    out += fmt::format(" by P{}", place["thread"].get<int>());
  }
  if (place.contains("iteration")) out += ", " + place["iteration"].get<std::string>();
  if (place.contains("source")) out += fmt::format(" ({})", place["source"].get<std::string>());
  return out;
}

void add_related(Json location, Json& result) {
  location["id"] = result.value("relatedLocations", Json::array()).size() + 1;
  result["relatedLocations"].push_back(std::move(location));
}

/// Sentences, or one.
std::string joined(const Json& words) {
  if (words.is_string()) return words.get<std::string>();
  std::string out;
  for (const Json& one : words) out += (out.empty() ? "" : "; ") + one.get<std::string>();
  return out;
}

std::string message_of(const Json& finding) {
  const std::string rule = finding.at("rule").get<std::string>();
  std::string out = finding.value("cause", "");
  if (out.empty()) {
    const finding::Rule* text = finding::find_rule(rule);
    out = text != nullptr ? std::string(text->summary) : rule;
  }
  const finding::Rule* known = finding::find_rule(rule);
  const Json pairs = finding.value("pairs", Json::array());
  const std::string bytes = pairs.empty() ? "" : pairs.front().value("bytes", "");
  if (known != nullptr && known->kind == finding::Kind::race && !bytes.empty())
    out = fmt::format("data race on {}: {}", bytes, out);
  if (!finding.value("certain", true)) out = "perhaps: " + out;
  if (finding.contains("condition")) out += ", " + finding["condition"].get<std::string>();
  if (finding.contains("advice") && !finding["advice"].empty()) out += ". Fix: " + joined(finding["advice"]);
  if (finding.contains("section"))
    out += fmt::format(" ({})", finding::citation(finding["section"].get<std::string>()));
  return out;
}

/// The first place is that of the result: in the source, where it is found. The others are related, as is the PTX of each.
void add_places(const Json& places, const Places& location_of, Json& result) {
  result["locations"] = Json::array();
  result["relatedLocations"] = Json::array();
  if (places.empty()) result["locations"].push_back(location_of(Json::object()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Json source = location_of.compiled_from(places[i]);
    const Json& shown = source.is_null() ? places[i] : source;
    if (i == 0) {
      result["locations"].push_back(location_of(shown, told(places[i])));
    } else {
      add_related(location_of(shown, told(places[i])), result);
    }
    if (!source.is_null()) add_related(location_of(places[i], "PTX: " + places[i].value("text", "")), result);
  }
}

/// A waiver in a source, or one of a configuration or a baseline.
Json suppression_of(const Json& accepted) {
  const std::string where = accepted.value("where", "");
  const bool in_source = accepted.at("as") == finding::name_of(finding::AcceptedAs::waived) &&
                         SourceFrame::parse(where).line != 0;
  Json out = {{"kind", in_source ? "inSource" : "external"}};
  out["justification"] = accepted.contains("reason")
                             ? fmt::format("{} ({})", accepted["reason"].get<std::string>(), where)
                             : fmt::format("it is in the baseline ({})", where);
  return out;
}

Json result_of(const Json& finding, const Places& location_of, bool all_stated) {
  Json out = {{"ruleId", finding.at("rule")}, {"level", finding.at("severity")}};
  out["message"]["text"] = message_of(finding);
  if (finding.contains("instances")) out["occurrenceCount"] = finding["instances"];
  const Json places = finding.value("places", Json::array());
  add_places(places, location_of, out);
  if (finding.contains("fingerprint")) out["partialFingerprints"]["ptxmc/v1"] = finding["fingerprint"];
  if (const auto accepted = finding.find("accepted"); accepted != finding.end())
    out["suppressions"].push_back(suppression_of(*accepted));
  if (all_stated || finding.value("stated", false)) {
    Json suppression = {{"kind", "inSource"}, {"justification", "the file states it in its Verdict= line"}};
    out["suppressions"].push_back(std::move(suppression));
  }
  return out;
}

Json rule_of(const std::string& name) {
  Json out = {{"id", name}};
  const finding::Rule* text = finding::find_rule(name);
  if (text == nullptr) {
    const std::string words = fmt::format("flag {} of the model", name);
    out["shortDescription"]["text"] = words;
    out["fullDescription"]["text"] = words + ", in whose text it is defined.";
    out["help"]["text"] = "See the model's text.";
    return out;
  }
  out["shortDescription"]["text"] = text->summary;
  out["fullDescription"]["text"] = fmt::format("{}.", text->summary);
  std::string help(text->fix);
  if (!text->section.empty()) {
    help += fmt::format(". {}", finding::citation(text->section));
    out["helpUri"] = finding::manual_url(text->section);
    out["properties"]["section"] = text->section;
  }
  out["help"]["text"] = help + ".";
  out["defaultConfiguration"]["level"] = name_of(text->severity);
  out["help"]["markdown"] = finding::page_of(text->id);
  return out;
}

}  // namespace

void Sarif::add(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end != 0) add_line(Json::parse(lines.substr(0, end)));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

void Sarif::add_line(const Json& line) {
  const std::string file = line.value("file", line.value("input", ""));
  const Places location_of{characters_, find_, file};
  for (const Json& error : line.value("errors", Json::array())) {
    Json result = {{"ruleId", finding::name_of(finding::RuleId::input)}, {"level", error.at("severity")}};
    result["message"]["text"] = error.at("message");
    result["locations"].push_back(location_of(error));
    for (const Json& note : error.value("notes", Json::array()))
      add_related(location_of(note, note.at("message").get<std::string>()), result);
    add_result(std::move(result));
  }
  add_claim(line);
  bool stated_met = false;  // which a test that states Unknown is, too
  if (const auto stated = line.find("stated"); stated != line.end()) {
    stated_met = stated->at("met") == true;
    if (stated->at("met") == false) {
      Json result = {{"ruleId", finding::name_of(finding::RuleId::verdict)}, {"level", "error"}};
      result["message"]["text"] =
          fmt::format("{}: stated {}, found {}", line.value("test", ""),
                      stated->at("verdict").get<std::string>(), stated->at("found").get<std::string>());
      result["locations"].push_back(location_of(*stated));
      add_result(std::move(result));
    }
  }
  for (const Json& finding : line.value("findings", Json::array()))
    add_result(result_of(finding, location_of, stated_met && line.value("property", "") == "liveness"));
  if (line.contains("unknown") && !stated_met) {
    Json result = {
        {"ruleId", finding::name_of(finding::RuleId::unknown)}, {"kind", "open"}, {"level", "none"}};
    result["message"]["text"] =
        fmt::format("{}: unknown: {}", line.value("test", ""), line["unknown"].get<std::string>());
    result["locations"].push_back(location_of(Json::object()));
    add_result(std::move(result));
  }
}

Sarif::Sarif(std::string version, finding::Selection selection, ReadSource read)
    : version_(std::move(version)),
      selection_(std::move(selection)),
      characters_(std::move(read)),
      results_(std::make_unique<Json>(Json::array())),
      notifications_(std::make_unique<Json>(Json::array())) {}

Sarif::~Sarif() = default;

void Sarif::add_claim(const Json& line) {
  const Json claim = line.value("claim", Json::object());
  for (const auto& [part, level] : {std::pair{"assumptions", "note"}, std::pair{"open", "warning"}}) {
    for (const Json& one : claim.value(part, Json::array())) {
      Json out = {{"level", level}};
      out["descriptor"]["id"] = fmt::format("{}/{}", part, one.at("id").get<std::string>());
      out["message"]["text"] =
          fmt::format("{}: {}", line.value("launch", ""), one.at("message").get<std::string>());
      notifications_->push_back(std::move(out));
    }
  }
}

void Sarif::add_result(Json result) {
  // That an input was refused, or an answer is open, is no finding of a rule that --only leaves out.
  const std::string rule = result.at("ruleId").get<std::string>();
  const bool always =
      rule == finding::name_of(finding::RuleId::input) || rule == finding::name_of(finding::RuleId::unknown);
  if (always || selection_.takes(rule)) results_->push_back(std::move(result));
}

std::string Sarif::print() const {
  Json rules = Json::array(), results = *results_;
  std::map<std::string, std::size_t> numbers;
  for (Json& result : results) {
    const std::string name = result.at("ruleId").get<std::string>();
    const auto [at, fresh] = numbers.emplace(name, rules.size());
    if (fresh) rules.push_back(rule_of(name));
    result["ruleIndex"] = at->second;
  }
  Json run;
  run["tool"]["driver"] = {{"name", "ptxmc"}, {"version", version_}, {"rules", std::move(rules)}};
  if (!id_.empty()) run["automationDetails"]["id"] = id_;
  run["columnKind"] = "unicodeCodePoints";
  if (!notifications_->empty()) {
    Json invocation = {{"executionSuccessful", true}};
    invocation["toolExecutionNotifications"] = *notifications_;
    run["invocations"].push_back(std::move(invocation));
  }
  run["results"] = std::move(results);
  Json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  out["runs"].push_back(std::move(run));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ptxmc::report
