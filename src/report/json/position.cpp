// SPDX-License-Identifier: Apache-2.0
#include "report/json/position.h"

namespace ptxmc::report {

void add_position(nlohmann::ordered_json& out, Position position, const Origin& origin) {
  if (!position.known()) return;
  out["line"] = position.line;
  out["column"] = position.column;
  if (!origin.known()) return;
  out["source"] = origin.frames.front();
  for (std::size_t i = 1; i < origin.frames.size(); ++i) out["inlined_at"].push_back(origin.frames[i]);
}

}  // namespace ptxmc::report
