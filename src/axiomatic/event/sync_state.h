// SPDX-License-Identifier: Apache-2.0
// What synchronization operations do, one at a time: the state of all objects and threads, and one step of
// it. Internal to the phase machine.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "axiomatic/event/sync_path.h"

namespace ptxmc::event {

/// Who takes steps: a thread, or a completion signal of an asynchronous operation, which is one step of its
/// own.
struct SyncProcess {
  ThreadId thread = kNoThread;  ///< kNoThread: a signal
  std::vector<OperationId> program;
};

/// Arrivals and signals of one phase, ascending.
using PhaseMembers = std::vector<OperationId>;

/// Each set of members kept once, so that a state names it by a number: equal sets have equal numbers.
class PhaseSets {
 public:
  using Id = std::uint32_t;
  static constexpr Id kEmpty = 0;

  PhaseSets();
  Id with(Id set, OperationId more);
  const PhaseMembers& members(Id set) const { return *sets_[set]; }

 private:
  std::map<PhaseMembers, Id> ids_;
  std::vector<const PhaseMembers*> sets_;
  std::unordered_map<std::uint64_t, Id> with_;  // by set and what is added
};

struct SyncState {
  struct Process {
    std::uint16_t next = 0;
    bool waiting = false;  ///< at a bar, where it has arrived
    bool exited = false;
    friend auto operator<=>(const Process&, const Process&) = default;
  };
  struct Object {
    bool live = true;                 ///< mbarrier: initialised
    OperationId dead = kNoOperation;  ///< mbarrier: the inval that ended its life
    std::int32_t phase = 0;           ///< number of the current one: cluster, mbarrier
    Value expected = 0, pending = 0, tx = 0;
    std::optional<Value> count;  ///< barrier: of the first arrival of the phase
    PhaseSets::Id current = PhaseSets::kEmpty, preceding = PhaseSets::kEmpty;
    friend auto operator<=>(const Object&, const Object&) = default;
  };
  std::vector<Process> processes;
  std::vector<Object> objects;
  std::vector<std::int32_t> states;  ///< phase that each arrival with a state named so far has joined
  friend auto operator<=>(const SyncState&, const SyncState&) = default;
};

/// What one step brought about.
struct SyncStep {
  std::vector<std::pair<PhaseSets::Id, EventId>> observed;  ///< a phase, and a wait that its completion ended
  std::optional<SyncMisuse> misuse;
  OperationId cause = kNoOperation;  ///< of invalid_object: the inval
  bool impossible = false;           ///< an operation that was to wait forever goes on
};

/// Sync objects and those who use them, apart from all others.
class SyncSystem {
 public:
  SyncSystem(const SyncPath& path, std::vector<SyncProcess> processes);

  SyncState start() const;
  /// Nothing is left to do; who waits forever does wait.
  bool finished(const SyncState& state) const;
  /// Process p can take its next step, or exit.
  bool enabled(const SyncState& state, std::size_t p) const;
  SyncStep step(SyncState& state, std::size_t p) const;
  /// Waits of other threads than that of p that have not ended, ascending.
  std::vector<EventId> waits_left(const SyncState& state, std::size_t p) const;
  /// What has arrived in the phase of the object that p is at, ascending; nothing if p waits there, or if many operations may arrive.
  std::vector<EventId> arrived_before(const SyncState& state, std::size_t p) const;
  /// Forgets what no later step depends on.
  void normalise(SyncState& state) const;

  const SyncPath& path() const { return path_; }
  const std::vector<SyncProcess>& processes() const { return processes_; }
  const SyncOperation& operation(OperationId o) const { return path_.operations[o]; }
  const PhaseMembers& members(PhaseSets::Id set) const { return sets_.members(set); }
  /// The operation that p is at; kNoOperation at its end.
  OperationId at(const SyncState& state, std::size_t p) const;
  std::uint16_t position(OperationId o) const { return position_[o]; }  ///< in the program of its process
  std::size_t process_of(ThreadId t) const { return process_of_[t]; }   ///< kNoOperation: none here
  /// An object without a count that fills when every participant has arrived in turn: exits commute with the
  /// rest.
  bool exits_commute() const { return exits_commute_; }
  bool uniform(ObjectId o) const { return uniform_[o]; }  ///< barrier: all operations say the same count
  /// cluster_wait number k of its thread, from 0; cluster_arrive likewise.
  std::int32_t turn(OperationId o) const { return turns_[o]; }
  /// Operations of a kind on an object that are still to come, of anybody.
  bool remains(const SyncState& state, ObjectId object, SyncKind kind) const;
  std::size_t state_index(OperationId arrival) const { return state_index_[arrival]; }

 private:
  void classify();
  void find_last_operations();
  bool has_arrived(const SyncState::Object& object, std::size_t p) const;
  bool full(const SyncState& state, ObjectId o) const;
  void complete_bar(SyncState& state, ObjectId o, SyncStep& out) const;
  void complete_cluster(SyncState& state, ObjectId o) const;
  void exit(SyncState& state, std::size_t p, SyncStep& out) const;
  Value arrivals_of(ObjectId o, const std::optional<Value>& count) const;
  void arrive_at_bar(SyncState& state, std::size_t p, OperationId id, SyncStep& out) const;
  void change(SyncState& state, OperationId id, SyncStep& out) const;
  void observe(const SyncState& state, OperationId id, SyncStep& out) const;
  bool ready(const SyncState& state, OperationId id) const;
  bool lives(const SyncState& state, const SyncOperation& op) const;

  const SyncPath& path_;
  std::vector<SyncProcess> processes_;
  std::vector<std::size_t> process_of_;   // per thread
  std::vector<std::size_t> issuer_;       // per operation: process of its issue (signals)
  std::vector<std::uint16_t> position_;   // per operation: place in its process
  std::vector<std::int32_t> turns_;       // per operation
  std::vector<std::size_t> state_index_;  // per operation
  std::size_t state_count_ = 0;
  std::vector<char> uniform_;  // per object
  // The position after the last init, inval or wait that goes on, by object and process.
  std::array<std::vector<std::uint16_t>, 3> last_;
  mutable PhaseSets sets_;  // grows by what steps bring about; no answer depends on the numbers
  bool exits_commute_ = true;
  bool exits_matter_ = false;
};

}  // namespace ptxmc::event
