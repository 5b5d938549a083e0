// SPDX-License-Identifier: Apache-2.0
#include "report/json/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/origins.h"
#include "support/refuse.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

std::string place_of(const Json& finding) {
  if (!finding.contains("places") || finding["places"].empty()) return {};
  const Json& place = finding["places"].front();
  if (place.contains("source")) {
    Origin origin{{place["source"].get<std::string>()}};
    for (const Json& caller : place.value("inlined_at", Json::array())) origin.frames.push_back(caller);
    return origin.text();
  }
  return fmt::format("line {}", place.value("line", 0));
}

/// The line without what differs from run to run.
std::string lasting(const std::string& line) {
  Json out = Json::parse(line);
  out.erase("ran");
  return out.dump();
}

}  // namespace

std::string result_line(const std::string& input, int status, const std::string& json) {
  Json out = {{"input", input}, {"status", status}};
  out.update(Json::parse(json));
  return out.dump() + "\n";
}

std::string error_line(const std::string& input, int status, const std::string& error) {
  return Json({{"input", input}, {"status", status}, {"error", error}})
             .dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

VerifyResult parse_result(const std::string& line, const std::string& from, std::size_t number) {
  VerifyResult out;
  out.line = line;
  try {
    const Json json = Json::parse(line);
    out.input = json.at("input").get<std::string>();
    out.status = json.at("status").get<int>();
    out.error = json.value("error", "");
    if (!out.error.empty()) return out;
    out.launch = json.at("launch").get<std::string>();
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
