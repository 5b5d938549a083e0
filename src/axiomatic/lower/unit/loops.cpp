// SPDX-License-Identifier: Apache-2.0
// Loops are found from the text: a jump backwards from j to i makes the interval [i, j] a loop. Intervals
// with one header are one loop, unless the shorter is a pure spin loop (a loop that begins with a wait), and
// an interval that overlaps another without containing it is extended until it does. This covers any control
// flow, reducible or not: entering a loop in its middle counts as entering it.
//
// Which of them only spin is said in waiting.h.
#include "axiomatic/lower/unit/loops.h"

#include <algorithm>
#include <map>

#include "axiomatic/lower/unit/fresh_turns.h"
#include "axiomatic/lower/unit/waiting.h"

namespace ptxmc::lower {
namespace {

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

/// One loop per jump backwards that only spins, and one per header for the others.
std::vector<Loop> intervals(const Code& code, const std::vector<flow::Jump>& jumps,
                            const std::set<std::string>& observed) {
  std::vector<Loop> spins;
  std::map<std::size_t, std::size_t> others;  // begin to the last end
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    if (!jumps[i].target || *jumps[i].target > i) continue;
    Loop loop{*jumps[i].target, i, std::nullopt};
    loop.spin = waits(code, jumps, loop, observed);
    if (loop.spin) {
      spins.push_back(loop);
    } else {
      others[loop.begin] = i;
    }
  }
  std::vector<Loop> loops = std::move(spins);
  for (const auto& [begin, end] : others) {
    Loop loop{begin, end, std::nullopt};
    loop.retries = retries(code, jumps, loop);
    loop.fresh = turns_are_fresh(code, jumps, loop, observed);
    loop.idles = !loop.retries && idle_turns_show(code, jumps, loop);
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace

CodeLoops find_loops(const Code& code, const std::vector<flow::Jump>& jumps,
                     const std::set<std::string>& observed) {
  CodeLoops result;
  result.loops = intervals(code, jumps, observed);
  nest(result.loops);
  result.enclosing.resize(code.size() + 1);
  for (std::size_t l = 0; l < result.loops.size(); ++l) {
    for (std::size_t i = result.loops[l].begin; i <= result.loops[l].end; ++i)
      result.enclosing[i].push_back(l);
  }
  return result;
}

}  // namespace ptxmc::lower
