// SPDX-License-Identifier: Apache-2.0
#include "kernel/exit_reads.h"

#include <algorithm>

namespace ptxmc::kernel {

namespace {

constexpr trace::Address kBlock = 16;  // bytes

bool is_guarded_exit(const Step& step) {
  const isa::Opcode opcode = step.instruction->opcode;
  return step.guard != kNoSlot && (opcode == isa::Opcode::exit || opcode == isa::Opcode::ret);
}

bool overlap(const trace::Range& a, const trace::Range& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
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

void ExitReads::read(trace::Thread thread, trace::Range range, const Step& step) {
  for (trace::Address at = range.begin / kBlock; at <= (range.begin + range.bytes - 1) / kBlock; ++at) {
    const auto [begin, end] = reads_.equal_range(at);
    const bool known = std::any_of(begin, end, [&](const auto& entry) {
      const Read& other = entry.second;
      return other.thread == thread && other.step == &step && other.range.begin == range.begin;
    });
    if (!known) reads_.emplace(at, Read{thread, range, &step});
  }
}

std::vector<const Step*> ExitReads::overwritten(trace::Thread thread, trace::Range range) const {
  std::vector<const Step*> out;
  for (trace::Address at = range.begin / kBlock; at <= (range.begin + range.bytes - 1) / kBlock; ++at) {
    const auto [begin, end] = reads_.equal_range(at);
    for (auto entry = begin; entry != end; ++entry) {
      const Read& read = entry->second;
      if (read.thread != thread && overlap(read.range, range)) out.push_back(read.step);
    }
  }
  return out;
}

}  // namespace ptxmc::kernel
