// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/idle_loops.h"

#include <memory>
#include <set>

#include "dynamic/exec/flow.h"
#include "dynamic/exec/known_bits.h"

namespace ptxmc::exec {

namespace {

bool compares_for_equality(const Step& step) {
  const isa::Compare compare = step.modifiers().compare;
  return step.instruction->opcode == isa::Opcode::setp &&
         (compare == isa::Compare::eq || compare == isa::Compare::ne);
}

/// It computes, sleeps or goes on.
bool only_computes(const Step& step) {
  const bool passes = step.act == Act::none || step.act == Act::pass_time;
  return (step.compute != nullptr || step.is_unknown || passes) && !compares_for_equality(step);
}

bool idles(const Code& code, const flow::NaturalLoop& loop) {
  bool clock = false;
  for (std::size_t at = 0; at < code.steps.size(); ++at) {
    if (!loop.holds[at]) continue;
    if (!only_computes(code.steps[at])) return false;
    clock = clock || code.steps[at].reads_clock;
  }
  return clock && loop.has_one_entry;
}

}  // namespace

void find_idle_loops(Code& code) {
  if (code.clocks.empty()) return;
  const flow::Graph next = successors(code);
  for (const flow::NaturalLoop& loop : flow::natural_loops(next)) {
    if (!idles(code, loop)) continue;
    std::set<Slot> written;
    for (std::size_t at = 0; at < code.steps.size(); ++at) {
      if (!loop.holds[at]) continue;
      const std::vector<Slot> own = written_by(code.steps[at]);
      written.insert(own.begin(), own.end());
    }
    const auto registers = std::make_shared<const std::vector<Slot>>(written.begin(), written.end());
    for (std::size_t at = 0; at < code.steps.size(); ++at) {
      if (loop.holds[at] && code.steps[at].guard != kNoSlot) code.steps[at].idles = registers;
    }
  }
}

}  // namespace ptxmc::exec
