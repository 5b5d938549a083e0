// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/looked_at.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ptx/program/register_use.h"

namespace ptxmc::exec {

namespace {

/// Stored, and nothing else: neither the guard nor a part of the address.
bool is_stored(const Step& step, Slot slot) {
  if (step.instruction->opcode != isa::Opcode::st || slot == step.guard || slot == step.address.base)
    return false;
  return slot == step.slot(isa::Role::value) ||
         std::find(step.elements.begin(), step.elements.end(), slot) != step.elements.end();
}

}  // namespace

/// From one instruction on.
class Looked::Search {
 public:
  explicit Search(const Looked& all) : all_(all) {}

  bool decides(std::size_t step) {
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
    for (const Slot slot : results_of(all_.code_, all_.code_.steps[at])) {
      if (written_.insert({at, slot}).second) open_.emplace_back(at, slot);
    }
  }

  /// From after the step on; what is computed from it is followed later.
  bool reaches_decision(std::size_t from, Slot slot) {
    std::vector<bool> seen(all_.code_.steps.size(), false);
    std::vector<std::size_t> open = all_.next_[from];
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (at >= seen.size() || seen[at]) continue;
      seen[at] = true;
      const Step& step = all_.code_.steps[at];
      const Use& use = all_.uses_[at];
      if (use.reads.contains(slot)) {
        if (!is_pure(step) && (!is_stored(step, slot) || use.carries)) return true;
        if (is_pure(step)) write(at);
      }
      if (step.guard != kNoSlot || !use.writes.contains(slot))
        open.insert(open.end(), all_.next_[at].begin(), all_.next_[at].end());
    }
    return false;
  }

  const Looked& all_;
  std::set<std::pair<std::size_t, Slot>> written_;
  std::vector<std::pair<std::size_t, Slot>> open_;
};

Looked::Looked(const Code& code, const std::function<bool(const Step&)>& carries)
    : code_(code), next_(successors(code)) {
  uses_.reserve(code.steps.size());
  for (const Step& step : code.steps) {
    const program::RegisterUse use = program::register_use(*step.instruction);
    uses_.push_back({slots_of(code, use.reads), slots_of(code, use.writes), carries(step)});
  }
}

bool Looked::decides(std::size_t step) const {
  return Search(*this).decides(step);
}

}  // namespace ptxmc::exec
