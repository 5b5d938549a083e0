// SPDX-License-Identifier: Apache-2.0
#include "observed/missed.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ptxmc::observed {

std::vector<MissedTest> read_missed(const SourcePtr& source) {
  std::vector<MissedTest> out;
  std::string_view rest = source->text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.starts_with('{') || line.find("\"missed\"") == std::string_view::npos) continue;
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("missed") || !object.contains("test")) continue;
    out.push_back({object.value("test", ""), object.value("hash", ""), object.value("missed", ""),
                   object.value("why", "")});
  }
  return out;
}

}  // namespace ptxmc::observed
