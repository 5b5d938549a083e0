// SPDX-License-Identifier: Apache-2.0
// Counterfactual: would two accesses still race if the program were as a hypothesis has it? An engine
// answers.
//
// How far a hypothesis orders the pair is a level: never (whenever both exist they race), sometimes, always.
// A reader that does not wait for its flag is at best ordered sometimes, so the level to reach is that of the
// strongest hypothesis, not `always`. One query answers whether a hypothesis reaches a level.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axiomatic/question/flag_probe.h"
#include "axiomatic/question/hypothesis.h"
#include "axiomatic/question/races.h"

namespace ptxmc::check {

enum class Level : std::uint8_t { never, sometimes, always };

/// An engine gave up on a counterfactual.
struct GaveUp {
  std::string reason;
};

class Counterfactual {
 public:
  /// About the instructions of the events a and b, which flag number `flag` relates. The arguments outlive
  /// it.
  Counterfactual(const engine::Query& query, std::size_t flag, event::EventId a, event::EventId b,
                 const Solve& solve);

  /// False: the flag names no pairs, and nothing can be asked.
  bool enumerable() const { return probe_.enumerable(); }
  // Each throws GaveUp.
  bool always(const Hypothesis& hypothesis) const;
  bool sometimes(const Hypothesis& hypothesis) const;
  Level level(const Hypothesis& hypothesis) const;
  bool reaches(const Hypothesis& hypothesis, Level target) const;

  /// All instructions strengthened, the two accesses themselves not in strength: strong accesses may race,
  /// and then nothing would be learnt about their order.
  Steps with(AspectMask mask) const;
  Steps no_steps() const { return Steps(flagness_.size()); }
  /// Takes back what is not needed, one instruction and aspect at a time, data before flags.
  void minimise(Hypothesis& hypothesis, Level target) const;
  /// The narrowest scope, half an atomic's ordering where that is enough, and no result where none is needed.
  void narrow(Hypothesis& hypothesis, Level target) const;
  /// Weak accesses of plain data, without any fence beside them, that would have to become releases and
  /// acquires: they happened to pass a value along, and are no synchronization gone wrong.
  bool far_fetched(const Hypothesis& hypothesis, Level target) const;
  /// A reads-from edge between threads that an ordered execution has, a write and a read: where the read waits for the
  /// write, the race is gone. Rather one that the racing execution lacks; nothing, where no such wait helps.
  std::optional<std::pair<event::EventId, event::EventId>> awaited(const Hypothesis& hypothesis,
                                                                   const engine::State& racing) const;
  /// What the steps change, an instruction each.
  std::vector<Change> changes(const Hypothesis& hypothesis) const;
  /// The same as a diagnosis has it, and what of scope, strength and order was missing.
  void tell(const Hypothesis& hypothesis, Diagnosis& out) const;

  const std::vector<std::size_t>& keys() const { return keys_; }
  const std::vector<int>& flagness() const { return flagness_; }
  bool of_pair(std::size_t key) const { return key == keys_[a_] || key == keys_[b_]; }
  /// The accesses of an event's instruction: turns of a loop, parts of an operation.
  std::vector<event::EventId> accesses_like(event::EventId e) const;

 private:
  struct Answer {
    engine::Result result;
    Variant variant;
  };
  Answer ask(Probe probe, const Hypothesis& hypothesis) const;

  const event::ProgramGraph& graph_;
  const event::EventId a_, b_;
  const Solve& solve_;
  const FlagProbe probe_;
  const std::vector<std::size_t> keys_;
  const std::vector<int> flagness_;
  relation::BitMatrix pair_;
};

}  // namespace ptxmc::check
