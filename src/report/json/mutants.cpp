// SPDX-License-Identifier: Apache-2.0
#include "report/json/mutants.h"

#include <nlohmann/json.hpp>

#include "report/json/line.h"

namespace ptxmc::report {

std::string mutants_json(const std::string& launch, const std::string& file,
                         const explain::Mutants& mutants) {
  nlohmann::ordered_json out = json_head("verify");
  out["launch"] = launch;
  out["file"] = file;
  out["mutants"] = nlohmann::ordered_json::array();
  for (const explain::Mutant& mutant : mutants.tried) {
    nlohmann::ordered_json one;
    add_position(one, file, mutant.place.position, mutant.place.origin);
    one["text"] = mutant.place.text;
    one["change"] = exec::name_of(mutant.change);
    one["caught"] = mutant.caught;
    one["because"] = mutant.because;
    if (mutant.caught.empty()) {
      one["masked"] = mutant.masked;
      one["without"] = name_of(mutant.without);
      one["litmus"] = {{"asked", mutant.asked}, {"ordered", mutant.ordered}, {"racing", mutant.racing}};
    }
    if (!mutant.limit.empty()) one["limit"] = mutant.limit;
    out["mutants"].push_back(std::move(one));
  }
  out["left"] = mutants.left;
  out["needless"] = mutants.needless;
  if (mutants.needless != 0) out["without_needless"] = name_of(mutants.without_needless);
  return json_text(out);
}

}  // namespace ptxmc::report
