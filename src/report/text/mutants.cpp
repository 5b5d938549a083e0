// SPDX-License-Identifier: Apache-2.0
#include "report/text/mutants.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::report {

std::string mutants_text(const std::vector<explain::Mutant>& mutants) {
  std::string out;
  for (const explain::Mutant& mutant : mutants)
    out +=
        fmt::format("{:<7} {}: {}, {}: {}\n", mutant.caught.empty() ? "Spare" : "Caught",
                    line_of(mutant.place), mutant.place.text, kernel::name_of(mutant.change),
                    !mutant.caught.empty()   ? mutant.caught
                    : mutant.because.empty() ? "not needed in this launch"
                                             : fmt::format("not needed in this launch: {}", mutant.because));
  const auto caught = std::count_if(mutants.begin(), mutants.end(),
                                    [](const explain::Mutant& mutant) { return !mutant.caught.empty(); });
  out += fmt::format("Mutants {} of {} caught\n", caught, mutants.size());
  return out;
}

}  // namespace ptxmc::report
