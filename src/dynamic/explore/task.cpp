// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/task.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ptxmc::explore {

bool has_fences_of_spaces(const program::Program& program) {
  const auto is_one = [](const program::Instruction& instruction) {
    const isa::Modifiers& m = instruction.modifiers;
    const bool fence =
        instruction.opcode == isa::Opcode::fence || instruction.opcode == isa::Opcode::fence_proxy;
    return fence && (m.space != isa::Space::generic || m.reads_only);
  };
  std::set<const program::Body*> seen;
  return std::any_of(program.threads.begin(), program.threads.end(), [&](const program::Thread& thread) {
    return seen.insert(thread.body.get()).second &&
           std::any_of(thread.code().begin(), thread.code().end(), is_one);
  });
}

VerificationTask weakened(const VerificationTask& task, const exec::Run& run,
                          const std::vector<exec::Changed>& changes) {
  std::vector<std::pair<const program::Instruction*, exec::Change>> instructions;
  for (const auto& [site, change] : changes) instructions.emplace_back(&run.instruction(site), change);
  VerificationTask out = task;
  exec::weaken(out.test, instructions);
  return out;
}

}  // namespace ptxmc::explore
