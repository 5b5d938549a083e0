// SPDX-License-Identifier: Apache-2.0
#include "input/launch/target_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "input/launch/devices.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"

namespace ptxmc::launch {

bool has(const Target& target, const program::Instruction& instruction) {
  const isa::Target need = isa::target_of(instruction.opcode, instruction.modifiers);
  const int sm = static_cast<int>(target.sm);
  constexpr int kConsumer = 120;  // from here on without tensor memory (9.7.16.1)
  const std::string name = isa::mnemonic(instruction.opcode, instruction.modifiers);
  if (sm < need.sm || (sm >= kConsumer && name.starts_with("tcgen05"))) return false;
  const bool alone = name.starts_with("wgmma");
  return !need.specific || (target.runs != Runs::later && (!alone || sm == need.sm));
}

std::vector<Diagnostic> target_notes(const ptx::Module& module, const program::Program& program) {
  std::optional<Target> own;
  std::string_view name;
  for (const std::string_view target : module.targets) {
    if (own) break;
    own = target_of(target);
    name = target;
  }
  if (!own) return {};
  Diagnostics notes(program.source);
  std::set<const program::Body*> seen;
  for (const program::Thread& thread : program.threads) {
    if (!seen.insert(thread.body.get()).second) continue;
    const auto& code = thread.code();
    const auto lacks = std::find_if(code.begin(), code.end(), [&](const program::Instruction& one) {
      return one.position.known() && !has(*own, one);
    });
    if (lacks == code.end()) continue;
    notes.note(lacks->position,
               fmt::format("`{}` needs a target of {} or later, and the module is for {}: ptxas refuses it",
                           isa::mnemonic(lacks->opcode, lacks->modifiers),
                           isa::sm_name(isa::target_of(lacks->opcode, lacks->modifiers)), name));
  }
  return notes.all();
}

}  // namespace ptxmc::launch
