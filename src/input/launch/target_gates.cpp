// SPDX-License-Identifier: Apache-2.0
#include "input/launch/target_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "input/launch/devices.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

namespace {

/// What the form needs, and what the number of its operands does (9.7.3.11: min and max of three numbers).
isa::Target need_of(const program::Instruction& instruction) {
  const isa::Target form = isa::target_of(instruction.opcode, instruction.modifiers);
  const bool least = instruction.opcode == isa::Opcode::min || instruction.opcode == isa::Opcode::max;
  return least && instruction.operands.size() > 3 ? both(form, {88, 100, false}) : form;
}

}  // namespace

bool has(const Target& target, const program::Instruction& instruction) {
  const isa::Target need = need_of(instruction);
  const int sm = static_cast<int>(target.sm);
  constexpr int kConsumer = 120;  // from here on without tensor memory (9.7.16.1)
  const std::string name = isa::mnemonic(instruction.opcode, instruction.modifiers);
  if (sm < need.sm || (sm >= kConsumer && name.starts_with("tcgen05"))) return false;
  const bool alone = name.starts_with("wgmma");
  return !need.specific || (target.runs != Runs::later && (!alone || sm == need.sm));
}

void check_targets(const ptx::Module& module, const program::Program& program) {
  std::optional<Target> own;
  std::string_view name;
  for (const std::string_view target : module.targets) {
    if (own) break;
    own = target_of(target);
    name = target;
  }
  if (!own) return;
  Diagnostics errors(program.source);
  std::set<const program::Body*> seen;
  for (const program::Thread& thread : program.threads) {
    if (!seen.insert(thread.body.get()).second) continue;
    const auto& code = thread.code();
    const auto lacks = std::find_if(code.begin(), code.end(), [&](const program::Instruction& one) {
      return one.position.known() && !has(*own, one);
    });
    if (lacks == code.end()) continue;
    const isa::Target need = need_of(*lacks);
    const std::string target = isa::sm_name(need);
    errors.error(
        lacks->position,
        fmt::format(
            "`{}` needs a target of {}{}, and the module is for {}; compile for it (nvcc -arch={}), or change .target",
            isa::mnemonic(lacks->opcode, lacks->modifiers), target, need.specific ? "" : " or later", name,
            target));
  }
  if (errors.has_errors()) throw InputError(errors);
}

}  // namespace ptxmc::launch
