// SPDX-License-Identifier: Apache-2.0
// Loops are found from the text: a jump backwards from j to i makes the interval [i, j] a loop. Intervals
// with one header are one loop, unless the shorter is a pure spin loop (a loop that begins with a wait), and
// an interval that overlaps another without containing it is extended until it does. This covers any control
// flow, reducible or not: entering a loop in its middle counts as entering it.
//
// A *pure spin loop* re-reads memory until an exit condition holds and does nothing else: one straight line
// from its header, entered there only, with one exit; in it only loads, cas (whose success leaves: checked
// when it is lowered), fences and register operations; and no register carried from one turn to the next. Its
// failing turns are invisible: an execution with them is one without them plus reads, and dropping reads and
// fences from a consistent execution keeps it consistent. So one turn that satisfies the exit condition
// stands for all of them.
#include "lower/unit/loops.h"

#include <algorithm>
#include <map>
#include <set>

#include "isa/opcode.h"
#include "lower/unit/register_use.h"

namespace ptxmc::lower {
namespace {

using isa::Opcode;
using program::Instruction;

using Code = std::vector<Instruction>;

/// Makes intervals nested or disjoint, outer before inner.
void nest(std::vector<Loop>& loops) {
  std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  for (std::size_t i = 0; i < loops.size(); ++i) {
    for (std::size_t outer = 0; outer < i; ++outer) {
      const bool overlaps = loops[outer].begin < loops[i].begin && loops[i].begin <= loops[outer].end;
      if (overlaps) loops[outer].end = std::max(loops[outer].end, loops[i].end);
    }
  }
}

bool is_query(isa::ApiCall call) {
  return call == isa::ApiCall::stream_query || call == isa::ApiCall::event_query;
}

bool allowed_in_spin(const Instruction& instruction) {
  const bool cas = instruction.opcode == Opcode::atom && instruction.modifiers.atomic == isa::AtomicOp::cas;
  const bool query = instruction.opcode == Opcode::api_call && is_query(instruction.modifiers.api);
  if (!isa::traits(instruction.opcode).has(isa::Trait::repeats) && !cas && !query) return false;
  const bool jump = instruction.opcode == Opcode::bra || instruction.opcode == Opcode::branch_compare;
  return jump || !instruction.guard;
}

/// The one instruction that leaves the straight-line loop, or nothing.
std::optional<std::size_t> only_exit(const Code& code, const std::vector<Flow>& flow, const Loop& loop) {
  std::optional<std::size_t> exit;
  if (flow[loop.end].target != loop.begin) return std::nullopt;
  for (std::size_t i = loop.begin; i <= loop.end; ++i) {
    if (!allowed_in_spin(code[i])) return std::nullopt;
    if (!flow[i].target) continue;
    const bool last = i == loop.end;
    const bool back = *flow[i].target == loop.begin;
    const bool leaves = *flow[i].target < loop.begin || *flow[i].target > loop.end;
    if (last ? !back : !leaves) return std::nullopt;
    if (!last && !flow[i].falls_through)
      return std::nullopt;                         // leaves for good: what follows is another entry
    if (last && !flow[i].falls_through) continue;  // closes the loop
    if (exit) return std::nullopt;
    exit = i;
  }
  return exit;
}

bool entered_at_header_only(const std::vector<Flow>& flow, const Loop& loop) {
  for (std::size_t i = 0; i < flow.size(); ++i) {
    if (!flow[i].target || (i >= loop.begin && i <= loop.end)) continue;
    if (*flow[i].target > loop.begin && *flow[i].target <= loop.end) return false;
  }
  return true;
}

/// No register passes from one turn to the next, nor out of the loop from after the exit.
bool carries_no_register(const Code& code, const Loop& loop, std::size_t exit) {
  std::set<std::string> written, read_first;
  std::size_t atomics = 0;
  for (std::size_t i = loop.begin; i <= loop.end; ++i) {
    const RegisterUse use = register_use(code[i]);
    for (const auto& r : use.reads) {
      if (!written.contains(r)) read_first.insert(r);
    }
    if (i > exit && !use.writes.empty()) return false;
    written.insert(use.writes.begin(), use.writes.end());
    if (code[i].opcode == Opcode::atom && (++atomics > 1 || i > exit)) return false;
  }
  return std::none_of(written.begin(), written.end(), [&](const auto& r) { return read_first.contains(r); });
}

std::optional<std::size_t> spin_exit(const Code& code, const std::vector<Flow>& flow, const Loop& loop) {
  const auto exit = only_exit(code, flow, loop);
  if (!exit || !entered_at_header_only(flow, loop) || !carries_no_register(code, loop, *exit))
    return std::nullopt;
  return exit;
}

/// One loop per jump backwards that only spins, and one per header for the others.
std::vector<Loop> intervals(const Code& code, const std::vector<Flow>& flow) {
  std::vector<Loop> spins;
  std::map<std::size_t, std::size_t> others;  // begin to the last end
  for (std::size_t i = 0; i < flow.size(); ++i) {
    if (!flow[i].target || *flow[i].target > i) continue;
    Loop loop{*flow[i].target, i, std::nullopt};
    loop.spin_exit = spin_exit(code, flow, loop);
    if (loop.spin_exit) {
      spins.push_back(loop);
    } else {
      others[loop.begin] = i;
    }
  }
  std::vector<Loop> loops = std::move(spins);
  for (const auto& [begin, end] : others) loops.push_back({begin, end, std::nullopt});
  return loops;
}

}  // namespace

CodeLoops find_loops(const Code& code, const std::vector<Flow>& flow) {
  CodeLoops result;
  result.loops = intervals(code, flow);
  nest(result.loops);
  result.enclosing.resize(code.size() + 1);
  for (std::size_t l = 0; l < result.loops.size(); ++l) {
    for (std::size_t i = result.loops[l].begin; i <= result.loops[l].end; ++i)
      result.enclosing[i].push_back(l);
  }
  return result;
}

}  // namespace ptxmc::lower
