// SPDX-License-Identifier: Apache-2.0
// AsyncView: what one execution shows of an asynchronous operation and of those that wait for it; internal to
// the diagnosis of races. A view is where questions to an engine come from, never an answer.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "axiomatic/question/definition.h"
#include "axiomatic/question/races.h"

namespace ptxmc::check {

class AsyncView {
 public:
  AsyncView(const engine::Query& query, const engine::State& racing);

  bool is_async(event::EventId e) const { return event(e).issue != event::kNoEvent; }
  bool exists(event::EventId e) const { return execution_.exists.test(e); }
  /// In the model's base causality, where it has that role.
  bool ordered(event::EventId a, event::EventId b) const { return causality_.contains({a, b}); }
  bool met(event::EventId arrival, event::EventId wait) const { return met_.contains({arrival, wait}); }

  /// Whether `other` is, or was meant to be, the first of two accesses: as base causality has it, else the
  /// order of the instructions in one thread, else who reads from whom.
  bool comes_first(event::EventId other, event::EventId copy) const;
  /// See missed_phase() in async_diagnosis.h.
  std::optional<std::pair<event::EventId, event::EventId>> missed_phase(event::EventId first,
                                                                        event::EventId second) const;

  /// The signal that tracks an access; kNoEvent: none does.
  event::EventId signal_of(event::EventId access) const;
  bool same_object(event::EventId signal, event::EventId wait) const;
  /// Waits for groups of the access's kind (bulk or not, wgmma) in its thread behind its instruction.
  std::vector<event::EventId> group_waits(event::EventId access) const;
  /// A commit of that kind stands between the instruction and the wait.
  bool committed(event::EventId access, event::EventId wait) const;
  /// A wait that the operation is complete for, in this execution.
  std::vector<event::EventId> completing_waits(event::EventId access) const;

 private:
  const event::Event& event(event::EventId e) const { return graph_.events[e]; }
  bool reads_from(event::EventId w, event::EventId r) const;
  bool reads_another_copy(event::EventId r) const;
  bool meets_before(event::EventId e, event::EventId issue) const;
  bool issue_is_awaited(event::EventId r, event::EventId issue) const;

  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  const PairSet causality_, met_;
};

}  // namespace ptxmc::check
