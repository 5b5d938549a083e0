// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/flow.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

/// The steps that may follow each step, and the end.
Graph with_end(const Code& code) {
  Graph out = successors(code);
  const std::size_t end = out.size();
  for (std::size_t at = 0; at < end; ++at) {
    if (code.steps[at].act == Act::leave || at + 1 == end) out[at].push_back(end);
  }
  return out;
}

}  // namespace

/// Postdominators: dominators in the graph of all steps turned round, from the end on.
Flow flow_of(const Code& code) {
  Flow flow;
  flow.next = with_end(code);
  const std::size_t end = flow.next.size();
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS> back(end + 1);
  for (std::size_t at = 0; at < end; ++at) {
    for (const std::size_t next : flow.next[at]) boost::add_edge(next, at, back);
  }
  flow.meetings.assign(end + 1, kNoMeeting);
  boost::lengauer_tarjan_dominator_tree(
      back, end,
      boost::make_iterator_property_map(flow.meetings.begin(), boost::get(boost::vertex_index, back)));
  return flow;
}

}  // namespace ptxmc::exec
