// SPDX-License-Identifier: Apache-2.0
#include "report/json/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "finding/rules.h"
#include "report/json/line.h"
#include "support/origins.h"
#include "support/refuse.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

std::string place_of(const Json& finding) {
  if (!finding.contains("places") || finding["places"].empty()) return {};
  const Json& place = finding["places"].front();
  if (place.contains("source")) {
    Origin origin{{SourceFrame::parse(place["source"].get<std::string>())}};
    for (const Json& caller : place.value("inlined_at", Json::array()))
      origin.frames.push_back(SourceFrame::parse(caller.get<std::string>()));
    if (place.contains("compiled_from")) {  // the frame that a report shows
      const Json& from = place["compiled_from"];
      const SourceFrame shown{from.value("path", ""), from.value("line", 0U)};
      const auto at = std::find_if(origin.frames.begin(), origin.frames.end(),
                                   [&](const SourceFrame& frame) { return frame.text() == shown.text(); });
      if (at != origin.frames.end()) origin.frames.erase(origin.frames.begin(), at);
    }
    return origin.text();
  }
  return fmt::format("line {}", place.value("line", 0));
}

/// "FILE:LINE:COLUMN: MESSAGE", with line ends between them.
std::string errors_of(const Json& json) {
  std::string out;
  for (const Json& error : json.value("errors", Json::array())) {
    std::string place = error.value("file", "");
    if (error.contains("line"))
      place += fmt::format(":{}:{}", error.at("line").get<int>(), error.at("column").get<int>());
    out += fmt::format("{}{}{}{}", out.empty() ? "" : "\n", place, place.empty() ? "" : ": ",
                       error.at("message").get<std::string>());
  }
  return out;
}

/// The line without what differs from run to run.
std::string lasting(const std::string& line) {
  Json out = Json::parse(line);
  out.erase("ran");
  return out.dump();
}

}  // namespace

std::string result_line(const std::string& input, int status, const std::string& json) {
  Json out = json_head("verify");
  out["input"] = input;
  out["status"] = status;
  out.update(Json::parse(json));
  return json_text(out);
}

std::string error_line(const std::string& input, int status, const std::vector<Diagnostic>& errors) {
  Json out = json_head("verify");
  out["input"] = input;
  out["status"] = status;
  out["errors"] = json_diagnostics(errors);
  return json_text(out);
}

std::string error_line(const std::string& input, int status, const std::string& error) {
  return error_line(input, status, {{Severity::error, nullptr, {}, error}});
}

VerifyResult test_result(const std::string& line, int status) {
  const Json json = Json::parse(line);
  VerifyResult out;
  out.input = json.value("file", "");
  out.launch = json.value("test", "");
  out.status = status;
  out.error = errors_of(json);
  out.seconds = json.value("seconds", 0.0);
  out.answer = json.value("answer", "");
  out.unknown = json.value("unknown", "");
  if (const auto stated = json.find("stated"); stated != json.end() && stated->at("met") == false) {
    const std::string place =
        stated->contains("line") ? fmt::format("line {}", stated->at("line").get<int>()) : "";
    out.findings.push_back({std::string(finding::name_of(finding::RuleId::verdict)), "error",
                            fmt::format("stated {}, found {}", stated->at("verdict").get<std::string>(),
                                        stated->at("found").get<std::string>()),
                            place});
  }
  for (const Json& finding : json.value("findings", Json::array())) {
    if (finding.value("stated", false)) continue;
    out.findings.push_back({finding.at("rule").get<std::string>(), finding.at("severity").get<std::string>(),
                            finding.value("cause", ""), place_of(finding)});
  }
  return out;
}

VerifyResult parse_result(const std::string& line, const std::string& from, std::size_t number) {
  VerifyResult out;
  out.line = line;
  try {
    const Json json = Json::parse(line);
    out.input = json.at("input").get<std::string>();
    out.status = json.at("status").get<int>();
    out.error = errors_of(json);
    if (!out.error.empty()) return out;
    out.launch = json.at("launch").get<std::string>();
    if (const auto claim = json.find("claim"); claim != json.end()) {
      for (const Json& open : claim->value("open", Json::array()))
        out.limits.push_back(open.at("message").get<std::string>());
    }
    out.answer = json.at("answer").get<std::string>();
    out.seconds = json.at("ran").at("seconds").get<double>();
    for (const Json& finding : json.at("findings"))
      out.findings.push_back({finding.at("rule").get<std::string>(),
                              finding.at("severity").get<std::string>(),
                              finding.at("cause").get<std::string>(), place_of(finding)});
    constexpr int kMostStatus = 4;
    if (out.status >= 0 && out.status <= kMostStatus) return out;
  } catch (const nlohmann::json::exception&) {
  }
  refuse(fmt::format("'{}', line {}: no result of `ptxmc verify --format json`", from, number));
}

void add_results(std::string_view text, const std::string& from, std::vector<VerifyResult>& results) {
  std::map<std::pair<std::string, std::string>, std::string> known;
  for (const VerifyResult& one : results) known.emplace(std::pair(one.input, one.launch), lasting(one.line));
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    VerifyResult one = parse_result(line, from, number);
    const auto [at, fresh] = known.emplace(std::pair(one.input, one.launch), lasting(line));
    if (fresh) {
      results.push_back(std::move(one));
    } else if (at->second != lasting(line)) {
      refuse(
          fmt::format("'{}', line {}: another result of '{}' says something else", from, number, one.input));
    }
  }
}

}  // namespace ptxmc::report
