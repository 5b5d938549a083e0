// SPDX-License-Identifier: Apache-2.0
// TensorRepair: what a program could have between two operations on tensor memory, of which one is to come first, as
// hypotheses; internal to the diagnosis of races.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "axiomatic/question/counterfactual.h"
#include "axiomatic/question/tensor_view.h"

namespace ptxmc::check {

/// What is put in or changed.
struct TensorRemedy {
  using Link = TensorStory::Link;
  using Places = std::vector<TensorStory::Place>;

  std::optional<Link> completion, meeting;
  Places before, after;  ///< fences; one place an instruction
  AspectMask aspects = 0;
  std::size_t shift = 0;  ///< turn k of the first meets turn k + shift of the second
};

class TensorRepair {
 public:
  using Link = TensorStory::Link;
  using Places = TensorRemedy::Places;

  TensorRepair(const event::ProgramGraph& graph, const TensorView& view, const Counterfactual& ask,
               event::EventId first, event::EventId second);

  /// Some turn of the first could precede some turn of the second.
  bool possible() const;
  bool one_thread() const;
  /// Ways to know that the first is complete; to let the second wait for the first's thread.
  std::vector<Link> completions() const;
  std::vector<Link> meetings() const;
  /// How many instructions a link puts in or changes.
  static std::size_t cost(const Link& link);
  /// Where fences help that are beside the two operations, or beside what completes the first.
  Places near_before() const;
  Places near_after() const;
  /// Where fences could help at all: around whatever may order execution.
  Places all_before() const;
  Places all_after() const;
  std::vector<std::size_t> shifts() const;

  Hypothesis build(const TensorRemedy& remedy) const;
  /// The second operation, a dealloc or not, stands behind the first, when that is complete.
  Hypothesis moved_behind() const;

 private:
  using Turns = std::vector<event::EventId>;

  const event::Event& event(event::EventId e) const { return graph_.events[e]; }
  bool in_thread(event::EventId e, event::EventId other) const {
    return event(e).thread == event(other).thread;
  }
  Turns turns(event::EventId access) const;
  std::pair<std::size_t, std::size_t> turn_number(const Turns& turns, event::EventId turn) const;
  bool waits_itself() const;
  isa::Scope scope() const;
  std::vector<event::EventId> accesses_of(event::EventId issue) const;
  std::vector<event::EventId> alike(event::EventId e) const;
  event::EventId last_before(event::EventId like, event::EventId y) const;
  event::EventId next_behind(event::EventId like, event::EventId x) const;
  event::EventId over(event::EventId x) const;
  std::vector<event::EventId> spots() const;
  std::vector<event::EventId> missed_waits(const std::vector<event::EventId>& signals) const;
  std::vector<event::EventId> commits() const;
  std::vector<event::EventId> signals_of(event::EventId commit) const;
  std::vector<std::pair<event::EventId, event::EventId>> pairs(std::size_t shift) const;
  void add_links(event::EventId arrival, event::EventId from, const std::vector<event::EventId>& signals,
                 std::vector<Link>& out) const;
  void complete(const TensorRemedy& remedy, Hypothesis& out) const;
  void meet(const TensorRemedy& remedy, Hypothesis& out) const;
  void wait(const Link& link, std::size_t shift, std::uint32_t first_object, Hypothesis& out) const;
  void fence(const Places& places, event::TensorOp half, Hypothesis& out) const;

  const event::ProgramGraph& graph_;
  const TensorView& view_;
  const Counterfactual& ask_;
  const event::EventId first_, second_;  // accesses
  const Turns xs_, ys_;                  // issues
};

}  // namespace ptxmc::check
