// SPDX-License-Identifier: Apache-2.0
// mbarrier objects (9.7.12.15): each is an agent whose time is the number of its completed phases.
//
// A wait by parity gains what every schedule gives it: a thread that knows K completed phases waits until there are the
// fewest of that parity that are not below K, however many this run had completed.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dynamic/order/finding.h"
#include "dynamic/order/readings.h"
#include "dynamic/order/release_sequences.h"
#include "dynamic/order/restricted_fences.h"

namespace ptxmc::trace {

class Objects {
 public:
  Objects(Threads& threads, ReleaseSequences& messages, const RestrictedFences& restricted,
          Findings& findings, const Readings& readings)
      : threads_(threads),
        release_sequences_(messages),
        restricted_(restricted),
        findings_(findings),
        readings_(readings) {}

  void init(Site site, Thread thread, Address at);
  /// An object that was there before the run is used for the first time: now it is known.
  bool adopt(Site site, Address at);
  void invalidate(Site site, Thread thread, Address at);
  void arrive(const Arrival& arrival);
  void complete(Address at, Phase phase);
  /// The phase is about to end without the bytes of its operations: they are over with a later one.
  void slip(Address at, Phase phase);
  void wait(const Wait& wait);
  /// The phases that are complete when such a wait of the thread succeeds, in all schedules.
  Time awaited(const Wait& wait, Thread thread) const;
  /// A fence that publishes the inits before it to the async proxy: fence.mbarrier_init or fence.proxy.async.
  void publish(Lanes lanes);
  /// The completion of asynchronous operations arrives at the phase, which tells this (null: there are none), and that
  /// what the thread did and knew before has happened, which orders no memory.
  void arrive_behind(const Arrival& arrival, const ClockRef& told);
  /// An operation whose bytes count to a phase of the object. Gives the object.
  ObjectId track(const Operation& operation);
  /// What a strong operation read whose completion counts to the phase: who waits for that has observed it (8.8).
  void note_read(const Signal& signal, MessageRef message) {
    record(objects_[find(signal.object)], signal.phase).read.push_back(std::move(message));
  }
  /// The thread's latest wait for the object returned at once, as it was for a phase before this one, which is the first one: no
  /// finding by itself, since buffers that are empty at first are waited for so.
  std::optional<Finding> wait_before_first(ObjectId object, Phase phase, Thread thread) const;
  /// The phase whose end is this time of an agent. Nothing: it is no object's.
  std::optional<ObjectPhase> phase_of(ObjectId agent, Time time) const {
    const Address at = objects_[agent].at;
    return at == 0 || time == 0 ? std::nullopt : std::optional(ObjectPhase{at, Phase{time} - 1});
  }
  /// What any one of several phases tells to be over: the agent, and its time.
  struct Shared {
    ObjectId agent = 0;
    Time time = 0;
  };
  Shared share(std::span<const Signal> signals);
  /// The end of the phase tells these times of an agent.
  void tell(const Signal& signal, const Knowledge::Apart& times);

  /// An agent of another kind whose time is counted as that of objects is.
  ObjectId add_agent();
  void advance(ObjectId agent, Time time) {
    objects_[agent].completed = std::max(objects_[agent].completed, time);
  }

  /// Completed phases so far, by object.
  std::vector<Time> phases() const;
  /// The site of the init of the live object that these bytes are part of.
  std::optional<Place> live(Address at) const;

  static constexpr std::uint64_t kBytes = 8;

 private:
  enum class Part : std::uint8_t {
    arrival,    // the phase does not end without it
    operation,  // nor without its bytes, once they are expected
    expectation
  };
  struct Arrived {
    ClockRef clock;
    Thread thread = 0;
    Time time = 0;
    Site site = 0;
    Part part = Part::arrival;
    std::int64_t bytes = 0;  // that it expects; of an operation those that it brings
  };
  /// What must come before the end of a phase in all schedules.
  struct Earlier {
    RuleId rule;
    Site site = 0;
    Epoch epoch;
    std::optional<std::size_t> expectation = std::nullopt;  // it is one: which of the record's arrivals
  };
  /// What an arrival tells any thread that waits with it in a scope, whatever their strength
  /// (TensorKnowledge::sent).
  struct ExecutionKnowledge {
    ClockRef what;
    Thread thread = 0;
    isa::Scope scope = isa::Scope::none;
    bool everywhere = false;        // ReleaseClock::everywhere
    bool scope_is_default = false;  // ReleaseClock::scope_is_default
  };
  struct Record {  // of a phase
    std::vector<std::pair<Snapshot, ReleaseClock>> released;
    std::vector<ReleaseClock> others;         // by fences, or of copies
    MessageRef message;                       // of them all, once a thread waits
    std::vector<MessageRef> read;             // note_read
    std::vector<ExecutionKnowledge> signals;  // of tensor memory, of any strength
    std::vector<ExecutionKnowledge> inits;    // that a fence.mbarrier_init stands after (D24), the same
    ClockRef executed;                        // what arrivals and operations of any strength tell
    std::vector<Arrived> arrivals;            // until it is complete
    std::vector<Epoch> arrived;               // the same, and after that
    std::vector<Knowledge::Apart> shared;     // times of agents of share that it tells
    bool tracks = false;  // it is not over when all have arrived: there are bytes, or operations
    std::vector<Earlier> earlier;
  };
  struct Use {  // the last one of these lanes
    Epoch epoch;
    Site site = 0;
  };
  struct Object {
    Address at = 0;
    Epoch init;
    Site site = 0;
    std::optional<Epoch> published;
    Time completed = 0;
    std::map<Phase, Record> records;
    Time tracked = 0;  // phases up to the last that tracked something, of those that `records` has no more
    std::vector<Use> uses;  // lanes of a warp stand in one of them
  };
  ObjectId find(Address at);  // of an object that was there before the run: made now
  Record& record(Object& object, Phase phase);
  const MessageRef& message(ObjectId id, Phase phase);
  /// The phases up to the last before this one that tracks something.
  static Time tracked_before(const Object& object, Phase phase);
  bool is_ready(const Object& object, Thread thread, const Epoch& init) const;
  Time phases(Thread thread, ObjectId id) const;
  static Time phases_behind(const Wait& wait, Time known);
  Epoch now(Lanes lanes);
  void add_arrival(Record& record, Thread thread, Site site, Part part, std::int64_t bytes);
  void expect(Object& object, const Arrival& arrival);
  static bool is_held(const Record& record, std::size_t expectation);
  void require(Object& object, Phase phase, const Earlier& earlier);
  void check_end(Object& object, Phase phase);
  std::uint32_t open_lanes(const Record& record, const Earlier& earlier) const;
  void report_end(const Object& object, const Earlier& earlier, std::uint32_t lanes, const Arrived* last,
                  bool alone = false);
  void check_init(Object& object, Site site, Thread thread);
  Finding finding_of(RuleId rule, const Object& object, Site site, Thread thread) const;
  void report(RuleId rule, const Object& object, Site site, Thread thread) {
    findings_.add(finding_of(rule, object, site, thread));
  }
  Finding stale_poll(const Object& object, Site site, Thread thread, Phase phase) const;
  void use(Object& object, Site site, Lanes lanes);
  void report_invalidated(const Object& object, const Place& use, const Place& inval);
  enum class Heard : std::uint8_t { no, by_default_scope, yes };
  Heard heard(const ExecutionKnowledge& signal, Lanes lanes, const Wait& wait) const;
  void hear(const ExecutionKnowledge& signal, Lanes lanes, const Wait& wait);
  void gain(ObjectId id, Lanes lanes, Time phases, const Wait& wait);
  void tell_execution(Record& record, Thread thread);
  void tell_issue(Record& record, Thread thread);
  static void tell_shared(Record& record);
  void add_signal(std::vector<ExecutionKnowledge>& signals, const ExecutionKnowledge& signal) const;

  Threads& threads_;
  ReleaseSequences& release_sequences_;
  const RestrictedFences& restricted_;
  Findings& findings_;
  Readings readings_;
  std::unordered_map<Address, ObjectId> ids_;  // live ones
  std::vector<ObjectId> unpublished_;
  std::map<std::vector<ObjectId>, Shared> shared_;  // by the objects, in order
  std::deque<Object> objects_;
  std::map<std::pair<ObjectId, Thread>, Site> before_first_;  // wait_before_first
};

}  // namespace ptxmc::trace
