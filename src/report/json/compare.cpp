// SPDX-License-Identifier: Apache-2.0
#include "report/json/compare.h"

#include <nlohmann/json.hpp>

#include "report/json/line.h"

namespace ptxmc::report {

std::string compare_json(const observed::Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json out = json_head("compare");
  out["test"] = comparison.test;
  out["file"] = comparison.file;
  out["model"] = comparison.model;
  if (!comparison.other.empty()) out["against"] = comparison.other;
  if (!comparison.unknown.empty()) out["unknown"] = comparison.unknown;
  if (!comparison.other_unknown.empty()) out["against_unknown"] = comparison.other_unknown;
  if (comparison.other_undefined) out["against_undefined"] = true;
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
