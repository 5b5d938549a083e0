// SPDX-License-Identifier: Apache-2.0
#include "report/json/mutants.h"

#include <nlohmann/json.hpp>

namespace ptxmc::report {

std::string mutants_json(const std::string& launch, const std::vector<explain::Mutant>& mutants) {
  nlohmann::ordered_json out = {{"launch", launch}};
  out["mutants"] = nlohmann::ordered_json::array();
  for (const explain::Mutant& mutant : mutants)
    out["mutants"].push_back({{"line", mutant.place.position.line},
                              {"text", mutant.place.text},
                              {"change", kernel::name_of(mutant.change)},
                              {"caught", mutant.caught},
                              {"because", mutant.because}});
  return out.dump() + "\n";
}

}  // namespace ptxmc::report
