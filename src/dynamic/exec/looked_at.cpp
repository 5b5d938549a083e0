// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/looked_at.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "dynamic/exec/straight_paths.h"
#include "ptx/program/register_use.h"

namespace ptxmc::exec {

namespace {

/// Follows values from where they are written to where they are read.
class Values {
 public:
  Values(const Code& code, const std::function<bool(const Step&)>& carries)
      : code_(code), carries_(carries), next_(successors(code)) {}

  bool decide(std::size_t step) {
    write(step);
    while (!open_.empty()) {
      const auto [at, slot] = open_.back();
      open_.pop_back();
      if (reaches_decision(at, slot)) return true;
    }
    return false;
  }

 private:
  void write(std::size_t at) {
    for (const Slot slot : results_of(code_, code_.steps[at])) {
      if (written_.insert({at, slot}).second) open_.emplace_back(at, slot);
    }
  }

  bool reads(const Step& step, Slot slot) const {
    return slots_of(code_, program::register_use(*step.instruction).reads).contains(slot);
  }
  bool writes(const Step& step, Slot slot) const {
    return step.guard == kNoSlot &&
           slots_of(code_, program::register_use(*step.instruction).writes).contains(slot);
  }

  /// From behind the step on; what is computed from it is followed later.
  bool reaches_decision(std::size_t from, Slot slot) {
    std::vector<bool> seen(code_.steps.size(), false);
    std::vector<std::size_t> open = next_[from];
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (at >= seen.size() || seen[at]) continue;
      seen[at] = true;
      const Step& step = code_.steps[at];
      if (reads(step, slot)) {
        if (!is_pure(step) && (!is_stored(step, slot) || carries_(step))) return true;
        if (is_pure(step)) write(at);
      }
      if (!writes(step, slot)) open.insert(open.end(), next_[at].begin(), next_[at].end());
    }
    return false;
  }

  /// Stored, and nothing else: neither the guard nor a part of the address.
  static bool is_stored(const Step& step, Slot slot) {
    if (step.instruction->opcode != isa::Opcode::st || slot == step.guard || slot == step.address.base)
      return false;
    return slot == step.slot(isa::Role::value) ||
           std::find(step.elements.begin(), step.elements.end(), slot) != step.elements.end();
  }

  const Code& code_;
  const std::function<bool(const Step&)>& carries_;
  const flow::Graph next_;
  std::set<std::pair<std::size_t, Slot>> written_;
  std::vector<std::pair<std::size_t, Slot>> open_;
};

}  // namespace

bool is_looked_at(const Code& code, std::size_t step, const std::function<bool(const Step&)>& carries) {
  return Values(code, carries).decide(step);
}

}  // namespace ptxmc::exec
