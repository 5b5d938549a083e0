// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/exit_reads.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::exec {

namespace {

constexpr trace::Address kWidest = 32;  // bytes of a load

bool is_guarded_exit(const Step& step) {
  const isa::Opcode opcode = step.instruction->opcode;
  return step.guard != kNoSlot && (opcode == isa::Opcode::exit || opcode == isa::Opcode::ret);
}

}  // namespace

void find_exit_reads(Code& code) {
  std::vector<char> feeds(code.slots, 0);  // by register: such a guard rests on it
  bool changed = false;
  const auto add = [&](Slot slot) {
    if (slot == kNoSlot || feeds[slot] != 0) return;
    feeds[slot] = 1;
    changed = true;
  };
  const auto is_fed = [&](Slot slot) { return slot != kNoSlot && feeds[slot] != 0; };
  for (const Step& step : code.steps) {
    if (is_guarded_exit(step)) add(step.guard);
  }
  while (changed) {
    changed = false;
    for (const Step& step : code.steps) {
      const bool computes = step.compute != nullptr || step.is_unknown;
      if (!computes || !(is_fed(step.to) || is_fed(step.second))) continue;
      add(step.guard);
      for (std::size_t i = 0; i < step.source_count; ++i) add(step.sources[i]);
      for (const auto& [from, opposite] : step.opposites) add(from);
      add(step.slot(isa::Role::predicate));
    }
  }
  for (Step& step : code.steps)
    step.guards_exit = step.instruction->opcode == isa::Opcode::ld &&
                       (is_fed(step.to) || is_fed(step.second) ||
                        std::any_of(step.elements.begin(), step.elements.end(), is_fed));
}

void ExitReads::read(trace::Thread thread, trace::Address begin, const Step& step) {
  PTXMC_CHECK(step.bytes() <= kWidest, "a load is not so wide");
  Readers& readers = reads_.try_emplace({begin, step.site}, Readers{&step, thread, false}).first->second;
  readers.several = readers.several || readers.first != thread;
}

std::vector<const Step*> ExitReads::overwritten(trace::Thread thread, const trace::Range& range) const {
  std::vector<const Step*> out;
  const trace::Address least = range.begin - std::min(range.begin, kWidest - 1);
  for (auto at = reads_.lower_bound({least, 0}); at != reads_.end(); ++at) {
    const trace::Address begin = at->first.first;
    const Readers& readers = at->second;
    if (begin >= range.begin + range.bytes) break;
    const bool overlaps = range.begin < begin + readers.step->bytes();
    if (overlaps && (readers.several || readers.first != thread)) out.push_back(readers.step);
  }
  return out;
}

}  // namespace ptxmc::exec
