// SPDX-License-Identifier: Apache-2.0
// Graphs of control flow: dominators and natural loops (A. Aho et al., Compilers, 9.6), what is reached, what is live.
#pragma once

#include <cstddef>
#include <vector>

namespace ptxmc::flow {

/// By node, those that may follow it.
using Graph = std::vector<std::vector<std::size_t>>;
constexpr std::size_t kNowhere = ~std::size_t{0};

/// By node, those that it may follow.
Graph reversed(const Graph& next);

/// The nodes that come after one: itself only if it comes again.
std::vector<bool> reached_from(std::size_t from, const Graph& next);
/// The nodes on any path from one back to itself.
std::vector<bool> cycle_of(std::size_t node, const Graph& next);

/// By node, its immediate dominator from the entry on; kNowhere: the entry, and what is not reached from it.
std::vector<std::size_t> dominators(const Graph& next, std::size_t entry);
/// The same backwards: where all paths from a node to the end come together first; kNowhere: the end, and who never ends.
std::vector<std::size_t> postdominators(const Graph& next, std::size_t end);

struct NaturalLoop {
  std::size_t header = 0;
  std::vector<bool> holds;           ///< by node
  std::vector<std::size_t> latches;  ///< nodes that jump back to the header
  bool has_one_entry = true;         ///< the header dominates all of it
};
/// From node 0 on; one for each header, in their order. A jump back is one to a node that a depth-first search has not left.
std::vector<NaturalLoop> natural_loops(const Graph& next);

/// Is it read from a node on, before it is surely written? `reads` and `writes` say so of a node.
template <typename Reads, typename Writes>
bool is_live(const Graph& next, std::size_t from, Reads&& reads, Writes&& writes) {
  std::vector<bool> seen(next.size(), false);
  std::vector<std::size_t> open{from};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    if (reads(at)) return true;
    if (!writes(at)) open.insert(open.end(), next[at].begin(), next[at].end());
  }
  return false;
}

}  // namespace ptxmc::flow
