// SPDX-License-Identifier: Apache-2.0
#include "report/json/merged.h"

#include <nlohmann/json.hpp>

#include "report/json/line.h"

namespace ptxmc::report {

std::string merged_json(const observed::LoggedTest& test) {
  using Json = nlohmann::ordered_json;
  Json out = json_head("run");  // as `run` itself prints it
  out["test"] = test.name;
  if (!test.file.empty()) out["file"] = test.file;
  out["hash"] = test.hash;
  if (!test.condition.empty()) out["condition"] = test.condition;
  Json states = Json::array();
  for (const auto& [state, count] : test.states) {
    Json one;
    one["state"] = state;
    one["count"] = count;
    one["satisfied"] = test.satisfied.count(state) != 0;
    states.push_back(std::move(one));
  }
  out["states"] = std::move(states);
  out["positive"] = test.positive();
  out["negative"] = test.observed - test.positive();
  out["instances"] = test.instances;
  out["hung"] = test.hung;
  out["stuck"] = test.stuck;
  out["unrecorded"] = test.unrecorded;
  out["seconds"] = test.seconds;
  out["instances_per_second"] = test.per_second(test.instances);
  out["weak_per_second"] = test.per_second(test.positive());
  out["devices"] = test.devices;
  out["runs"] = test.runs;
  out["run_ids"] = test.ids;
  return json_text(out);
}

}  // namespace ptxmc::report
