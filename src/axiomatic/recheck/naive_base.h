// SPDX-License-Identifier: Apache-2.0
// The base sets and relations a second time: each is a question about one event, or one pair of events, that
// is answered from what the program graph says of just these. Nothing of the table that the engines use
// (event/base_*.cpp) is called, so that a slip there shows as a difference here.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::check {

/// A program graph with what the questions need of each event.
struct BaseView {
  /// The graph outlives the view.
  explicit BaseView(const event::ProgramGraph& program);

  const event::Event& at(event::EventId e) const { return graph.events[e]; }
  const event::ThreadInfo& thread(event::EventId e) const { return graph.threads[at(e).thread]; }
  bool threadless(event::EventId e) const { return at(e).thread == event::kNoThread; }

  bool access(event::EventId e) const { return !cells[e].empty(); }
  bool initial(event::EventId e) const { return at(e).kind == event::EventKind::initial_write; }
  bool of_proxy(event::EventId e, isa::Proxy proxy) const {
    return access(e) && !initial(e) && at(e).labels.proxy == proxy;
  }
  bool in_one_cta(event::EventId a, event::EventId b) const {
    return !threadless(a) && !threadless(b) && thread(a).cta == thread(b).cta;
  }

  const event::ProgramGraph& graph;
  std::vector<std::vector<event::CellId>> cells;  ///< of each access, ascending
  /// Reads on which its stored values, its address, and its guard depend; ascending.
  std::vector<std::vector<event::EventId>> in_value, in_address, in_guard;
};

template <typename Items, typename Item>
bool listed(const Items& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

using NaiveMember = bool (*)(const BaseView&, event::EventId);
using NaiveRelated = bool (*)(const BaseView&, event::EventId, event::EventId);
/// The definition of a row of the table that is fixed; null: none here has that name.
NaiveMember naive_set(std::string_view name);
NaiveRelated naive_relation(std::string_view name);
/// The same for the rows of synchronization objects alone, and for those of tensor memory alone.
NaiveRelated naive_object_relation(std::string_view name);
NaiveRelated naive_tensor_relation(std::string_view name);

}  // namespace ptxmc::check
