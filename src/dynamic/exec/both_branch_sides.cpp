// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/both_branch_sides.h"

#include <algorithm>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

bool is_plain_access(const Step& step) {
  if (step.act != Act::load && step.act != Act::store && step.act != Act::atomic) return false;
  if (step.polls != nullptr || step.takes != nullptr) return false;
  const isa::Modifiers& m = step.modifiers();
  if (step.act != Act::atomic) return m.semantics == isa::Semantics::weak;
  constexpr std::uint16_t kWide = 128;
  return m.semantics == isa::Semantics::relaxed && !step.decides && (!m.type || m.type->bits != kWide);
}

namespace {

/// It goes on after it, whatever its guard says.
bool is_passed(const Step& step) {
  return is_plain_access(step) || step.act == Act::convert_address || step.act == Act::nothing;
}
bool parts(const Step& step) {
  return step.act == Act::none ? step.jumps : step.act == Act::leave;
}
bool is_plain(const Step& step) {
  const bool computes = step.compute != nullptr || step.is_unknown;
  return step.watched == nullptr && (computes || is_passed(step) || parts(step));
}

}  // namespace

bool AccessedBytes::note(trace::Address begin, std::uint32_t bytes, Set& in, const Set& other) {
  bool alone = true;
  for (trace::Address at = begin; at < begin + bytes; ++at) {
    in.insert(at);
    alone = alone && !other.contains(at);
  }
  return alone;
}

const ControlFlow& BothSides::control_flow(const Code& code) {
  const auto [known, fresh] = flows_.try_emplace(&code);
  if (fresh) known->second = exec::control_flow(code);
  return known->second;
}

const Sides& BothSides::of(const Code& code, const Step& step) {
  const auto [known, fresh] = known_.try_emplace(&step);
  Sides& ways = known->second;
  if (!fresh) return ways;
  const std::size_t from = step.site - code.first, end = code.steps.size();
  const bool passed = is_passed(step);
  const ControlFlow& control = control_flow(code);
  const std::size_t meet = passed ? from + 1 : parts(step) ? control.postdominators[from] : flow::kNowhere;
  if (meet == flow::kNowhere) return ways;
  // The end of all ways is the `exit` after the last instruction.
  ways.meet = code.first + static_cast<trace::Site>(std::min(meet, end - 1));
  Slots written;
  std::vector<bool> seen(end + 1, false);
  std::vector<std::size_t> open = passed ? std::vector{from} : control.next[from];
  bool plain = true;
  while (!open.empty() && plain) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == meet || at == end || seen[at]) continue;
    seen[at] = true;
    const Step& one = code.steps[at];
    plain = is_plain(one) && (passed || at != from);
    for (const Slot slot : results_of(code, one)) {
      if (slot != kNoSlot) written.insert(slot);
    }
    open.insert(open.end(), control.next[at].begin(), control.next[at].end());
  }
  ways.plain = plain;
  ways.written.assign(written.begin(), written.end());
  return ways;
}

}  // namespace ptxmc::exec
