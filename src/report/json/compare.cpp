// SPDX-License-Identifier: Apache-2.0
#include "report/json/compare.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/json/line.h"

namespace ptxmc::report {

namespace {

std::string_view name_of(observed::Standing standing) {
  switch (standing) {
    case observed::Standing::seen:
      return "seen";
    case observed::Standing::unseen:
      return "unseen";
    case observed::Standing::forbidden:
      return "forbidden";
    case observed::Standing::open:
      return "open";
    case observed::Standing::undefined:
      return "undefined";
  }
  return "";
}

}  // namespace

std::string compare_json(const observed::Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json out = json_head("compare");
  out["test"] = comparison.test;
  out["file"] = comparison.file;
  out["model"] = comparison.model;
  if (!comparison.other.empty()) out["against"] = comparison.other;
  if (!comparison.unknown.empty()) out["unknown"] = comparison.unknown;
  out["undefined"] = comparison.undefined;
  out["states"] = Json::array();
  for (const observed::Row& row : comparison.rows)
    out["states"].push_back(
        {{"state", row.state}, {"count", row.count}, {"standing", name_of(row.standing)}});
  if (comparison.other.empty()) {
    out["observed"] = comparison.observed;
    out["weak"] = comparison.weak;
    out["hung"] = comparison.hung;
    out["seconds"] = comparison.seconds;
  }
  if (!comparison.explanation.empty()) out["explanation"] = comparison.explanation;
  return json_text(out);
}

}  // namespace ptxmc::report
