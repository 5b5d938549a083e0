// SPDX-License-Identifier: Apache-2.0
#include "ptx/flow/graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <map>
#include <utility>

#include "support/check.h"

namespace ptxmc::flow {

Graph reversed(const Graph& next) {
  Graph out(next.size());
  for (std::size_t at = 0; at < next.size(); ++at) {
    for (const std::size_t to : next[at]) out[to].push_back(at);
  }
  return out;
}

std::vector<bool> reached_from(std::size_t from, const Graph& next) {
  std::vector<bool> out(next.size(), false);
  std::vector<std::size_t> open = next[from];
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (out[at]) continue;
    out[at] = true;
    if (at != from) open.insert(open.end(), next[at].begin(), next[at].end());
  }
  return out;
}

std::vector<bool> cycle_of(std::size_t node, const Graph& next) {
  std::vector<bool> out = reached_from(node, next);
  const std::vector<bool> leading = reached_from(node, reversed(next));
  for (std::size_t at = 0; at < out.size(); ++at) out[at] = out[at] && leading[at];
  return out;
}

/// Edges from what is not reached are left out: Boost would take such a predecessor for the entry.
std::vector<std::size_t> dominators(const Graph& next, std::size_t entry) {
  PTXMC_CHECK(entry < next.size(), "the entry is a node");
  std::vector<bool> reached = reached_from(entry, next);
  reached[entry] = true;
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS> graph(next.size());
  for (std::size_t at = 0; at < next.size(); ++at) {
    if (!reached[at]) continue;
    for (const std::size_t to : next[at]) boost::add_edge(at, to, graph);
  }
  std::vector<std::size_t> out(next.size(), kNowhere);
  boost::lengauer_tarjan_dominator_tree(
      graph, entry, boost::make_iterator_property_map(out.begin(), boost::get(boost::vertex_index, graph)));
  return out;
}

std::vector<std::size_t> postdominators(const Graph& next, std::size_t end) {
  return dominators(reversed(next), end);
}

namespace {

using Edge = std::pair<std::size_t, std::size_t>;

/// Edges to nodes that the search from node 0 has entered and not left.
std::vector<Edge> jumps_back(const Graph& next) {
  enum class State : char { fresh, open, left };
  std::vector<State> states(next.size(), State::fresh);
  std::vector<Edge> open{{0, 0}}, out;  // a node, and how many of its successors have been visited
  states[0] = State::open;
  while (!open.empty()) {
    const auto [at, visited] = open.back();
    if (visited == next[at].size()) {
      states[at] = State::left;
      open.pop_back();
      continue;
    }
    ++open.back().second;
    const std::size_t to = next[at][visited];
    if (states[to] == State::open) out.emplace_back(at, to);
    if (states[to] != State::fresh) continue;
    states[to] = State::open;
    open.emplace_back(to, 0);
  }
  return out;
}

bool dominates(const std::vector<std::size_t>& dominators, std::size_t a, std::size_t b) {
  while (b != a && b != kNowhere) b = dominators[b];
  return b == a;
}

/// Adds the nodes that lead to one, up to the header.
void hold_all_before(const Graph& before, std::size_t node, NaturalLoop& loop) {
  std::vector<std::size_t> open{node};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (loop.holds[at]) continue;
    loop.holds[at] = true;
    open.insert(open.end(), before[at].begin(), before[at].end());
  }
}

}  // namespace

std::vector<NaturalLoop> natural_loops(const Graph& next) {
  std::vector<NaturalLoop> out;
  if (next.empty()) return out;
  const Graph before = reversed(next);
  const std::vector<std::size_t> dominator = dominators(next, 0);
  std::map<std::size_t, NaturalLoop> by_header;
  for (const auto& [latch, header] : jumps_back(next)) {
    NaturalLoop& loop = by_header[header];
    loop.header = header;
    loop.holds.resize(next.size(), false);
    loop.holds[header] = true;
    if (loop.latches.empty() || loop.latches.back() != latch) loop.latches.push_back(latch);
    loop.has_one_entry = loop.has_one_entry && dominates(dominator, header, latch);
    hold_all_before(before, latch, loop);
  }
  for (auto& [header, loop] : by_header) out.push_back(std::move(loop));
  return out;
}

}  // namespace ptxmc::flow
