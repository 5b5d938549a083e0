// SPDX-License-Identifier: Apache-2.0
// TensorView: what one execution shows of two operations on tensor memory; internal to the diagnosis of races. A view
// is where questions to an engine come from, never an answer.
#pragma once

#include <vector>

#include "axiomatic/question/definition.h"
#include "axiomatic/question/races.h"

namespace ptxmc::check {

class TensorView {
 public:
  TensorView(const engine::Query& query, const engine::State& racing);

  /// Is `a` the one of two accesses of tensor memory that is, or was meant to be, the first?
  bool comes_first(event::EventId a, event::EventId b) const;
  /// Waits, of whatever thread, for an access: tcgen05.wait, or for the mbarrier object of a commit.
  std::vector<event::EventId> completing_waits(event::EventId access) const;
  bool met(event::EventId arrival, event::EventId wait) const { return met_.contains({arrival, wait}); }
  bool same_object(event::EventId a, event::EventId b) const;
  /// Execution reaches `to` behind `from`, by whatever orders it.
  bool reaches(event::EventId from, event::EventId to) const;
  bool pipelined(event::EventId issue, event::EventId other) const { return pair_.contains({issue, other}); }
  bool exists(event::EventId e) const { return execution_.exists.test(e); }

 private:
  const event::Event& event(event::EventId e) const { return graph_.events[e]; }
  bool follows_earlier(event::EventId read, event::EventId write) const;

  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  PairSet met_, order_, pair_;
};

}  // namespace ptxmc::check
