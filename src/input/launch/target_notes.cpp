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

namespace {

/// What only one architecture has, its family or later ones have as `a` or `f`; wgmma is no other's.
bool has(const Target& own, const program::Instruction& instruction) {
  const isa::Target need = isa::target_of(instruction.opcode, instruction.modifiers);
  const int sm = static_cast<int>(own.sm);
  if (sm < need.sm) return false;
  const bool alone = isa::mnemonic(instruction.opcode, instruction.modifiers).starts_with("wgmma");
  return !need.specific || (own.runs != Runs::later && (!alone || sm == need.sm));
}

}  // namespace

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
