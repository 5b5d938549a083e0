// SPDX-License-Identifier: Apache-2.0
#include "kernel/changes.h"

#include <array>

#include "kernel/machine.h"

namespace ptxmc::kernel {

namespace {

using isa::Opcode;

bool can_be_left_out(const program::Instruction& instruction) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (traits.has(isa::Trait::commits) || traits.has(isa::Trait::waits)) return true;
  switch (instruction.opcode) {
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_inval:
    case Opcode::mbarrier_pending_count:
    case Opcode::bar_red:  // their results are wanted, too
      return false;
    case Opcode::cp_async_arrive:
    case Opcode::tcgen05_fence:
    case Opcode::tcgen05_wait:
    case Opcode::tcgen05_commit:
    case Opcode::griddep_wait:
      return true;
    default:
      return traits.family == isa::Family::fence || traits.family == isa::Family::barrier ||
             traits.family == isa::Family::mbarrier;
  }
}

bool has_order(isa::Semantics semantics) {
  return semantics == isa::Semantics::acquire || semantics == isa::Semantics::release ||
         semantics == isa::Semantics::acq_rel;
}

bool is_access(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
         isa::is_multimem(opcode);
}

}  // namespace

std::string_view name_of(Change change) {
  constexpr std::array<std::string_view, 3> kNames = {"left out", "relaxed", "of scope .cta"};
  return kNames.at(static_cast<std::size_t>(change));
}

std::vector<Change> changes_of(const program::Instruction& instruction) {
  std::vector<Change> out;
  const isa::Modifiers& m = instruction.modifiers;
  const bool access = is_access(instruction.opcode);
  if (can_be_left_out(instruction)) out.push_back(Change::leave_out);
  if (access && has_order(m.semantics)) out.push_back(Change::relax);
  const bool wide = m.scope == isa::Scope::gpu || m.scope == isa::Scope::sys;
  const bool scoped = instruction.opcode == Opcode::fence ||
                      (access && (has_order(m.semantics) || m.semantics == isa::Semantics::relaxed));
  if (wide && scoped) out.push_back(Change::narrow);
  return out;
}

void Machine::change(trace::Site site, Change change) {
  for (Code& code : codes_) {
    if (site < code.first || site >= code.first + code.steps.size()) continue;
    Step& step = code.steps[site - code.first];
    if (change == Change::leave_out) {
      const Opcode opcode = step.instruction->opcode;
      const bool waits = opcode == Opcode::mbarrier_try_wait || opcode == Opcode::mbarrier_test_wait;
      step.act = waits ? &Machine::succeed : &Machine::nothing;
      return;
    }
    changed_ = *step.instruction;
    if (change == Change::relax) changed_.modifiers.semantics = isa::Semantics::relaxed;
    if (change == Change::narrow) changed_.modifiers.scope = isa::Scope::cta;
    step.instruction = &changed_;
  }
}

/// A wait that is left out: as if the phase were complete.
void Machine::succeed(Warp& warp, const Step& step, LaneMask mask) {
  warp.waiting &= ~mask;
  if (step.to == kNoSlot) return;
  for_lanes(mask, [&](unsigned lane) { warp.row(step.to)[lane] = 1; });
  warp.taint(step.to).assign({}, mask);
}

void Run::change(trace::Site site, Change change) {
  machine_->change(site, change);
}

}  // namespace ptxmc::kernel
