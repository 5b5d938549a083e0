// SPDX-License-Identifier: Apache-2.0
#include "session/subject.h"

#include <utility>

#include "session/grid_choice.h"

namespace ptxmc::session {

Subject subject_of(litmus::Test launched, launch::Beside& beside) {
  Subject subject;
  subject.test = std::move(launched);
  subject.inner_maps = std::move(beside.inner_maps);
  subject.of_ctas = beside.ctas;
  subject.all_can_run = beside.threads <= widest_choice().threads;
  subject.sizes = std::move(beside.sizes);
  subject.peers = beside.peers;
  subject.module_values = std::move(beside.module_values);
  subject.launched = true;
  if (beside.ran.size() < beside.ctas) subject.ctas = beside.ran;
  return subject;
}

Subject weakened(const Subject& subject, const kernel::Run& run,
                 const std::vector<kernel::Changed>& changes) {
  std::vector<std::pair<const program::Instruction*, kernel::Change>> instructions;
  for (const auto& [site, change] : changes) instructions.emplace_back(&run.instruction(site), change);
  Subject out = subject;
  kernel::weaken(out.test, instructions);
  return out;
}

}  // namespace ptxmc::session
