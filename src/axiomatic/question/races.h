// SPDX-License-Identifier: Apache-2.0
// Races: every pair of accesses that some flag of the model relates in some consistent execution, with that
// execution and what is missing. Races are what the model text flags (8.7.1: `flag ~empty race`); a user's
// flags are treated alike.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "finding/rules.h"

namespace ptxmc::check {

/// Answers a query; the caller chooses the engine and the time limit. Several threads may ask at a time where
/// find_races is given several.
using Solve = std::function<engine::Result(const engine::Query&)>;

/// What keeps two accesses from being ordered, or from being allowed to race.
enum class Missing : std::uint8_t {
  synchronization,  ///< nothing orders them, whatever the instructions that are there were strengthened to
  wait,      ///< they are ordered in executions where a read sees the right write, and nothing waits for it
  scope,     ///< a scope does not include the other thread (8.5)
  strength,  ///< a weak access stands where a strong one is needed (8.4, 8.7)
  acquire_release,  ///< order by observation only: no release or acquire pattern (8.8)
  proxy_fence,      ///< ordered, were it not for the proxies or aliases (8.6, 8.9.5)
  mapping,  ///< accesses that would synchronize or may race go through different names or proxies (8.7 (3))
  phase,    ///< a thread waits on the mbarrier object on which the other arrives, but for another phase
  uniform_size,  ///< accesses of different sizes overlap (8.7.2)
  misuse,        ///< they race only where a synchronization object is misused
};

/// An instruction that should be stronger.
struct Change {
  event::EventId event = event::kNoEvent;  ///< one event of the instruction
  event::Labels from, to;                  ///< semantics, scope or no_return differ
};

/// A proxy fence that should stand between the two accesses.
struct FenceAdvice {
  isa::Proxy kind = isa::Proxy::alias;
  event::EventId after = event::kNoEvent;   ///< the earlier access
  event::EventId before = event::kNoEvent;  ///< the later one
  bool present = false;                     ///< the test has such a fence, in another place
};

/// What is wrong between an asynchronous access and another one (async_diagnosis.h).
struct AsyncStory {
  enum class Kind : std::uint8_t {
    proxy,  ///< ordered, were it not for the proxies; `fence`: a fence.proxy.async that does not do, if any
    map_fences,     ///< the same of a tensor map that `other` changed; of the fences of that proxy, `release`
                    ///< is behind `other` and `acquire` before the operation, if there are any
    not_awaited,    ///< the operation is to be over before `other`, and nothing waits for it
    not_committed,  ///< `wait`, a wait for groups, does not find it in one
    group_pending,  ///< `wait` leaves its group pending
    reads_only,     ///< `wait` waits for the reads of its source alone
    other_phase,    ///< `wait` is a wait on its mbarrier object, for another phase
    not_started,    ///< a wgmma.mma_async that no wgmma.fence precedes may start before what precedes it
    not_published,  ///< the operation is over for its own thread, and nothing orders `other` behind that
    reuse,          ///< it overwrites what `other` may still read
    unordered,      ///< nothing orders `other` before it
  };
  std::vector<Kind> kinds;                ///< none: the changes say all
  event::EventId copy = event::kNoEvent;  ///< the asynchronous access; of two, the one issued first
  event::EventId other = event::kNoEvent;
  bool other_first = false;               ///< which comes first, or should
  event::EventId wait = event::kNoEvent;  ///< as Kind says
  bool waits_at_issue = false;  ///< not_awaited: its own thread is to wait, before it lets `other` go on
  event::EventId signal = event::kNoEvent;  ///< its completion on an mbarrier object, where it has one
  event::EventId fence = event::kNoEvent, release = event::kNoEvent, acquire = event::kNoEvent;
  bool behind_first = false, before_second = false;  ///< Kind::proxy: where a fence removes the race
};

/// What is wrong between two accesses of tensor memory (tensor_diagnosis.h).
struct TensorStory {
  enum class Kind : std::uint8_t {
    unordered,       ///< nothing orders the instructions: `meeting`
    incomplete,      ///< `first` may not be complete: `completion`
    other_phase,     ///< a link's `wait` is for another phase
    no_before,       ///< no before_thread_sync: `before`
    no_after,        ///< no after_thread_sync: `after`
    before_alloc,    ///< `first` is an alloc
    before_dealloc,  ///< `second` is a dealloc, and `first` may not be over: `completion`, `meeting`
    after_dealloc,   ///< `first` is a dealloc
    freed_twice,     ///< both are
  };
  /// An arrival, and a wait for its phase.
  struct Link {
    /// an mbarrier.arrive or tcgen05.commit; none: put in behind `from`
    event::EventId arrival = event::kNoEvent;
    event::EventId from = event::kNoEvent;
    event::EventId wait = event::kNoEvent;   ///< that waits for another phase; none: put in before `until`
    event::EventId until = event::kNoEvent;  ///< none: a tcgen05.wait behind `from`
    bool fenced = false;                     ///< an after_thread_sync is put in behind the wait
    bool far = false;                        ///< `arrival` is a commit at no mbarrier of the waiting CTA
  };
  struct Place {
    event::EventId at = event::kNoEvent;
    bool behind = false;
  };
  std::vector<Kind> kinds;  ///< none: the changes say all
  event::EventId first = event::kNoEvent, second = event::kNoEvent;
  std::optional<Link> completion, meeting;
  std::vector<Place> before, after;       ///< where fences are missing
  event::EventId wait = event::kNoEvent;  ///< a tcgen05.wait that is there, and not for `first`
  bool pipelined = false;                 ///< the two are a pipelined pair
  bool advised = true;                    ///< false: nothing that was tried removes the race
};

struct Diagnosis {
  std::optional<AsyncStory> async;    ///< where an access is asynchronous, beside `missing` and `changes`
  std::optional<TensorStory> tensor;  ///< the same, of two accesses of tensor memory
  std::vector<Missing> missing;       ///< the first is the one that names the race; empty: not classified
  std::vector<Change> changes;
  std::vector<FenceAdvice> fences;  ///< Missing::proxy_fence
  /// Missing::mapping: accesses that should use one name and the generic proxy
  std::vector<event::EventId> mapped;
  /// Missing::wait: the write, and the read that must see it before the later access. May be unknown.
  std::optional<std::pair<event::EventId, event::EventId>> awaited;
  /// Missing::phase: the arrival, and the wait that does not wait for it.
  std::optional<std::pair<event::EventId, event::EventId>> phase;
  bool unadvised = false;  ///< Missing::synchronization: no order of the two removes the race
  std::string unknown;     ///< why it could not be classified (an engine gave up); empty: none
};

struct Finding {
  std::vector<std::string> flags;       ///< names of the flags, in the order of the model text
  const finding::Rule* rule = nullptr;  ///< of the flag that says most
  bool race = false;                    ///< some of the flags is a race
  /// two; one where a flag names single events; none: the execution itself
  std::vector<event::EventId> accesses;
  Diagnosis diagnosis;   ///< of pairs of accesses
  engine::State state;   ///< an execution in which it happens; values as the engine gives them
  std::size_t flag = 0;  ///< index of the first flag
};

struct RaceReport {
  std::vector<Finding> findings;  ///< one a pair of source instructions, by position
  /// flags that stay open, with the engine's reason
  std::vector<std::pair<std::string, std::string>> unknown;
};

/// `first`: one finding will do; that there may be more is unknown, "first".
enum class Wanted : std::uint8_t { all, first };

/// All findings of all flags of query.model. `query.ask` and `query.flag` are ignored. `so_far` gets the report as it
/// grows, first without diagnoses, one call at a time. What there is no time for is unknown. On up to `query.jobs` threads,
/// flags and then diagnoses apart; what is found does not depend on how many.
RaceReport find_races(const engine::Query& query, const Solve& solve,
                      const std::function<void(const RaceReport&)>& so_far = {}, Wanted wanted = Wanted::all);

/// What is missing between two accesses that flag number `flag` relates in the execution `racing`.
Diagnosis diagnose(const engine::Query& query, std::size_t flag, event::EventId a, event::EventId b,
                   const engine::State& racing, const Solve& solve);

/// The source instruction of an event: two events of one instruction (halves, turns of a loop) have equal
/// keys.
std::vector<std::size_t> instruction_keys(const event::ProgramGraph& graph);

}  // namespace ptxmc::check
