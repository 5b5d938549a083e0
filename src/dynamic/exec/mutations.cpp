// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/mutations.h"

#include <array>
#include <map>
#include <memory>

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Scope;
using isa::Semantics;

bool can_be_left_out(const program::Instruction& instruction) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (traits.has(isa::Trait::commits) || traits.has(isa::Trait::waits)) return true;
  switch (instruction.opcode) {
    case Opcode::bar_red:  // its results are wanted, too
      return false;
    case Opcode::cp_async_arrive:
    case Opcode::wgmma_fence:
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

bool is_access(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
         isa::is_multimem(opcode);
}

bool has_order(Semantics semantics) {
  return semantics == Semantics::acquire || semantics == Semantics::release ||
         semantics == Semantics::acq_rel;
}

/// The manual has a .relaxed of it (9.7.12.3, 9.7.12.15; a wait for a cluster's barrier always acquires).
bool can_be_relaxed(const program::Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  const bool of_mbarrier = isa::traits(opcode).family == isa::Family::mbarrier;
  return (is_access(opcode) || of_mbarrier || opcode == Opcode::cluster_arrive) &&
         has_order(instruction.modifiers.semantics);
}

bool can_be_narrowed(const program::Instruction& instruction) {
  const isa::Modifiers& m = instruction.modifiers;
  if (m.scope != Scope::cluster && m.scope != Scope::gpu && m.scope != Scope::sys) return false;
  const bool scoped = has_order(m.semantics) || m.semantics == Semantics::relaxed;
  return (is_access(instruction.opcode) && scoped) || instruction.opcode == Opcode::fence ||
         isa::traits(instruction.opcode).family == isa::Family::mbarrier;
}

void weaken(isa::Modifiers& modifiers, Change change) {
  if (change == Change::weaken) modifiers.semantics = Semantics::acq_rel;
  if (change == Change::relax) modifiers.semantics = Semantics::relaxed;
  if (change == Change::narrow) modifiers.scope = Scope::cta;
}

}  // namespace

std::string_view name_of(Change change) {
  constexpr std::array<std::string_view, 5> kNames = {"left out", "without its order", ".acq_rel", "relaxed",
                                                      "of scope .cta"};
  return kNames.at(static_cast<std::size_t>(change));
}

std::vector<Change> changes_of(const program::Instruction& instruction) {
  std::vector<Change> out;
  if (can_be_left_out(instruction)) out.push_back(Change::leave_out);
  if (instruction.opcode == Opcode::bar_red) out.push_back(Change::unorder);
  if (instruction.opcode == Opcode::fence && instruction.modifiers.semantics == Semantics::sc)
    out.push_back(Change::weaken);
  if (can_be_relaxed(instruction)) out.push_back(Change::relax);
  if (can_be_narrowed(instruction)) out.push_back(Change::narrow);
  return out;
}

void weaken(program::Program& program,
            std::span<const std::pair<const program::Instruction*, Change>> changes) {
  std::map<std::shared_ptr<const program::Body>, std::shared_ptr<const program::Body>> bodies;
  for (program::Thread& thread : program.threads) {
    const auto [known, fresh] = bodies.try_emplace(thread.body);
    if (fresh) {
      auto body = std::make_shared<program::Body>(*thread.body);
      for (std::size_t i = 0; i < body->code.size(); ++i) {
        for (const auto& [instruction, change] : changes) {
          if (instruction == &thread.body->code[i]) weaken(body->code[i].modifiers, change);
        }
      }
      known->second = std::move(body);
    }
    thread.body = known->second;
  }
}

}  // namespace ptxmc::exec
