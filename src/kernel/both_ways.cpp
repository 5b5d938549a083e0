// SPDX-License-Identifier: Apache-2.0
#include "kernel/both_ways.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

#include "kernel/machine.h"

namespace ptxmc::kernel {

namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};

/// Of each step, those that may follow it, and the end.
Graph with_end(const Code& code) {
  Graph out = successors(code);
  const std::size_t end = out.size();
  for (std::size_t at = 0; at < end; ++at) {
    if (code.steps[at].act == &Machine::leave || at + 1 == end) out[at].push_back(end);
  }
  return out;
}

/// It orders nothing, and no order rests on it.
bool is_plain_access(const Step& step) {
  if (step.act != &Machine::load && step.act != &Machine::store && step.act != &Machine::atomic) return false;
  if (step.polls != nullptr || step.takes != nullptr) return false;
  const isa::Modifiers& m = step.modifiers();
  if (step.act != &Machine::atomic) return m.semantics == isa::Semantics::weak;
  constexpr std::uint16_t kWide = 128;
  return m.semantics == isa::Semantics::relaxed && !step.decides && (!m.type || m.type->bits != kWide);
}

/// It goes on behind it, whatever its guard says.
bool is_passed(const Step& step) {
  return is_plain_access(step) || step.act == &Machine::convert_address || step.act == &Machine::nothing;
}
bool parts(const Step& step) {
  return step.act == nullptr ? step.jumps : step.act == &Machine::leave;
}
bool is_plain(const Step& step) {
  const bool computes = step.compute != nullptr || step.is_unknown;
  return step.watched == nullptr && (computes || is_passed(step) || parts(step));
}

}  // namespace

bool Looked::note(trace::Address begin, std::uint32_t bytes, Set& in, const Set& other) {
  bool alone = true;
  for (trace::Address at = begin; at < begin + bytes; ++at) {
    in.insert(at);
    alone = alone && !other.contains(at);
  }
  return alone;
}

/// Postdominators: dominators in the graph of all steps turned round, from the end on.
const BothWays::Flow& BothWays::flow_of(const Code& code) {
  const auto [known, fresh] = flows_.try_emplace(&code);
  Flow& flow = known->second;
  if (!fresh) return flow;
  flow.next = with_end(code);
  const std::size_t end = flow.next.size();
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS> back(end + 1);
  for (std::size_t at = 0; at < end; ++at) {
    for (const std::size_t next : flow.next[at]) boost::add_edge(next, at, back);
  }
  flow.meetings.assign(end + 1, kNowhere);
  boost::lengauer_tarjan_dominator_tree(
      back, end,
      boost::make_iterator_property_map(flow.meetings.begin(), boost::get(boost::vertex_index, back)));
  return flow;
}

const Ways& BothWays::of(const Code& code, const Step& step) {
  const auto [known, fresh] = known_.try_emplace(&step);
  Ways& ways = known->second;
  if (!fresh) return ways;
  const std::size_t from = step.site - code.first, end = code.steps.size();
  const bool passed = is_passed(step);
  const Flow& flow = flow_of(code);
  const std::size_t meet = passed ? from + 1 : parts(step) ? flow.meetings[from] : kNowhere;
  if (meet == kNowhere) return ways;
  // The end of all ways is the `exit` behind the last instruction.
  ways.meet = code.first + static_cast<trace::Site>(std::min(meet, end - 1));
  Slots written;
  std::vector<bool> seen(end + 1, false);
  std::vector<std::size_t> open = passed ? std::vector{from} : flow.next[from];
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
    open.insert(open.end(), flow.next[at].begin(), flow.next[at].end());
  }
  ways.plain = plain;
  ways.written.assign(written.begin(), written.end());
  return ways;
}

}  // namespace ptxmc::kernel
