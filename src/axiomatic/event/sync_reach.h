// SPDX-License-Identifier: Apache-2.0
// What the others could do while one process stands still: the independence test of the phase machine.
// Internal to it.
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/event/sync_state.h"
#include "ptx/rules/limits.h"

namespace ptxmc::event {

/// An over-approximation of the steps that processes other than `frozen` can take from a state: each is let
/// past every step that some schedule may allow. Cost: passes over the remaining programs, as many as there
/// are waits in a row, as long as nothing that was let past touches the step.
class SyncReach {
 public:
  explicit SyncReach(const SyncSystem& system) : system_(system) {}

  /// The next step of the frozen process gives the same, and leaves the same to the others, whatever they do
  /// before it.
  bool independent(const SyncState& state, std::size_t frozen);

 private:
  /// What the others may do to an object before the step; of changes of an mbarrier, all of them together.
  struct Passed {
    Value arrivals = 0;  // barrier: how many; mbarrier: taken from the pending count
    Value drops = 0;     // of these, taken from the expected count too
    Value raises = 0;    // added to the pending count
    Value tx_up = 0;     // tx-counts that are added ...
    Value tx_down = 0;   // ... and taken, a negative number
    Value late_up = 0;   // the same of changes that are no arrivals
    Value late_down = 0;
    Value least_tx = rules::kLargestMbarrierCount;  // what an arrival adds to the tx-count, at least
    bool late_zero = false;                         // some change of nothing
    bool late = false;                              // some change that is no arrival
    bool any = false;                               // some step that acts on the object, or looks at it
    bool renews = false;                            // init or inval
    // some arrival that must not complete the phase, or that tells the pending count
    bool particular = false;
    bool waits = false;  // some wait
  };
  struct Walk {
    std::size_t next = 0;
    bool waiting = false;
  };

  void start(const SyncState& state, std::size_t frozen);
  bool commutes() const;
  std::int64_t& seen(std::size_t p, ObjectId o) { return seen_[p * passed_.size() + o]; }
  const SyncState& state() const { return *state_; }
  bool advance(std::size_t p);
  void count_turn(std::size_t p, const SyncOperation& op);
  bool pass(std::size_t p, OperationId id);
  bool pass_wait(std::size_t p, const SyncOperation& op, OperationId id);
  void note(const SyncOperation& op, ObjectId object);
  void note_change(const SyncOperation& op, Passed& passed) const;
  std::int64_t completions(ObjectId o) const;
  std::int64_t turns_of_participants(ObjectId o) const;
  std::int64_t least_turns(ObjectId o) const;
  bool raise_commutes(ObjectId o, Value count) const;
  bool change_commutes(const SyncOperation& op) const;
  bool last_change_commutes(const SyncOperation& op) const;

  const SyncSystem& system_;
  // State of the question at hand:
  const SyncState* state_ = nullptr;
  std::size_t frozen_ = 0;
  std::vector<Walk> walks_;
  std::vector<std::int64_t> seen_;  // per process and object: completions from now on that it has waited for
  std::vector<Passed> passed_;
  std::vector<std::int64_t> turns_;  // of bars and cluster barriers: by object, per process: its arrivals
  // per object: the count of an arrival that was let past; a bar's
  std::vector<std::optional<Value>> counts_;
  mutable std::vector<std::int64_t> least_;  // per object: turns_of_participants, where it is known
};

}  // namespace ptxmc::event
