// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/task.h"

#include <utility>

namespace ptxmc::explore {

VerificationTask weakened(const VerificationTask& task, const exec::Run& run,
                          const std::vector<exec::Changed>& changes) {
  std::vector<std::pair<const program::Instruction*, exec::Change>> instructions;
  for (const auto& [site, change] : changes) instructions.emplace_back(&run.instruction(site), change);
  VerificationTask out = task;
  exec::weaken(out.test, instructions);
  return out;
}

}  // namespace ptxmc::explore
