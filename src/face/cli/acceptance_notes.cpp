// SPDX-License-Identifier: Apache-2.0
#include "face/cli/acceptance_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "explain/finding.h"
#include "explain/verify/findings.h"
#include "face/cli/inputs.h"
#include "input/launch/json.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kBaselineVersion = 1;

/// The value of a key; null: there is none.
const launch::Json* member_of(const launch::JsonObject& object, std::string_view name) {
  const auto at = std::find_if(object.begin(), object.end(),
                               [&](const launch::JsonMember& member) { return member.key.name == name; });
  return at == object.end() ? nullptr : &at->value;
}

[[noreturn]] void refuse_baseline(const SourcePtr& source, Position position, const std::string& what) {
  refuse(source, position, what + "; `ptxmc verify --write-baseline FILE` writes a baseline");
}

void read_row(const SourcePtr& source, const launch::Json& row, finding::Baseline& out) {
  const auto* const object = row.as<launch::JsonObject>();
  if (object == nullptr) refuse_baseline(source, row.position, "a finding of a baseline is an object");
  const launch::Json* const fingerprint = member_of(*object, "fingerprint");
  const launch::Json* const count = member_of(*object, "count");
  const auto* const text = fingerprint == nullptr ? nullptr : fingerprint->as<std::string>();
  const auto* const number = count == nullptr ? nullptr : count->as<std::int64_t>();
  if (text == nullptr || number == nullptr || *number < 1)
    refuse_baseline(source, row.position,
                    "a finding of a baseline has a \"fingerprint\" and a \"count\" from 1");
  out[*text] += static_cast<std::size_t>(*number);
}

}  // namespace

finding::Baseline read_baseline(const std::string& file) {
  std::istringstream nothing;
  const SourcePtr source = read_input({file, ""}, nothing, kMaxLogBytes);
  const launch::Json json = launch::parse_json(source);
  const auto* const object = json.as<launch::JsonObject>();
  const launch::Json* const version = object == nullptr ? nullptr : member_of(*object, "ptxmc_baseline");
  if (version == nullptr) refuse_baseline(source, json.position, "this is no baseline");
  const auto* const number = version->as<std::int64_t>();
  if (number == nullptr || *number != kBaselineVersion)
    refuse_baseline(source, version->position,
                    fmt::format("a baseline of another version than {}", kBaselineVersion));
  const launch::Json* const findings = member_of(*object, "findings");
  const auto* const rows = findings == nullptr ? nullptr : findings->as<launch::JsonArray>();
  if (rows == nullptr) refuse_baseline(source, json.position, "a baseline has a list of \"findings\"");
  finding::Baseline out;
  for (const launch::Json& row : *rows) read_row(source, row, out);
  return out;
}

std::string acceptance_line(const claim::VerifyResult& verified, const explain::Accepted& accepted) {
  Json out = {{"waivers", Json::array()}, {"warnings", Json::array()}, {"findings", Json::array()}};
  for (const explain::WaiverUse& use : accepted.waivers)
    out["waivers"].push_back({{"place", use.place}, {"rule", use.rule}, {"used", use.used}});
  for (const Diagnostic& warning : accepted.warnings) out["warnings"].push_back(render(warning));
  for (const explain::Finding& finding : explain::findings_of(verified)) {
    if (finding.severity == Severity::note || finding.accepted.as == finding::AcceptedAs::waived) continue;
    out["findings"].push_back(
        {{"fingerprint", finding.fingerprint},
         {"rule", finding.name},
         {"kernel", verified.name},
         {"place", finding.places.empty() ? "" : explain::line_of(finding.places.front())}});
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void AcceptanceNotes::add(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const Json line = Json::parse(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    for (const Json& use : line.at("waivers")) {
      bool& used = waivers_[{use.at("place").get<std::string>(), use.at("rule").get<std::string>()}];
      used = used || use.at("used").get<bool>();
    }
    for (const Json& warning : line.at("warnings")) warnings_.insert(warning.get<std::string>());
    std::map<std::string, std::size_t> counts;
    for (const Json& finding : line.at("findings")) {
      const auto fingerprint = finding.at("fingerprint").get<std::string>();
      Row& row = rows_[fingerprint];
      row = {finding.at("rule").get<std::string>(), finding.at("kernel").get<std::string>(),
             finding.at("place").get<std::string>(), std::max(row.count, ++counts[fingerprint])};
    }
  }
}

std::string AcceptanceNotes::text(const explain::Accepting& accepting) const {
  std::string out;
  for (const std::string& warning : warnings_) out += warning;
  for (const auto& [waiver, used] : waivers_) {
    if (!used)
      out += fmt::format(
          "{}: note: this waiver of {} was not needed: no launch here has such a finding in its line or the next\n",
          waiver.first, waiver.second);
  }
  const auto gone = std::count_if(accepting.baseline.begin(), accepting.baseline.end(),
                                  [&](const auto& known) { return !rows_.contains(known.first); });
  if (gone != 0)
    out +=
        fmt::format("{}: note: {} of this baseline {} not found in these launches\n", accepting.baseline_file,
                    explain::plural(static_cast<std::uint64_t>(gone), "finding"), gone == 1 ? "was" : "were");
  return out;
}

std::string AcceptanceNotes::baseline() const {
  Json out = {{"ptxmc_baseline", kBaselineVersion}, {"findings", Json::array()}};
  for (const auto& [fingerprint, row] : rows_)
    out["findings"].push_back({{"fingerprint", fingerprint},
                               {"rule", row.rule},
                               {"kernel", row.kernel},
                               {"place", row.place},
                               {"count", row.count}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ptxmc::cli
