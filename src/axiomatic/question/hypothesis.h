// SPDX-License-Identifier: Apache-2.0
// Hypotheses: what a program could be instead. Instructions are made stronger (strengthening.h), others are
// put in or moved, an asynchronous operation is waited for, two threads synchronize. An engine says whether
// that removes a race; what the smallest such hypothesis has in it is what the program lacks.
//
// What is put in are events of their own, each with a place in program order and the guard of the instruction
// that it stands by. An arrival or a tcgen05.commit that is put in is at an mbarrier object of its own, which
// no other instruction uses: a thread that waits for that object waits for this one arrival, whatever its
// phase would be elsewhere.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "axiomatic/event/base.h"
#include "axiomatic/event/execution.h"
#include "axiomatic/question/strengthening.h"

namespace ptxmc::check {

/// An instruction before all events of the turn of `at` (turn_of), or behind them all.
struct Insertion {
  event::EventId at = event::kNoEvent;
  bool behind = false;
  event::Event instruction;  ///< without place and guard; a tcgen05.commit gets its signal, too
  /// Asynchronous accesses: that it waits for; of a commit or a signal, that it tracks.
  std::vector<event::EventId> accesses = {};
  /// Which of the hypothesis' mbarrier objects an arrival, a commit, a signal or a wait is for; one arrival
  /// each.
  std::uint32_t object = 0;
  bool instead = false;  ///< a wait: `at`, a wait on another object, is for this one instead
};

struct Hypothesis {
  Steps steps;                      ///< none, or one an instruction
  std::vector<Insertion> inserted;  ///< those by one event in this order
  /// Asynchronous accesses that are over at an event, as if it waited for them (base relation done).
  std::vector<std::pair<event::EventId, event::EventId>> completed;
  /// What happens before the first, and the first, happens before the second (base relation hostsync).
  std::vector<std::pair<event::EventId, event::EventId>> ordered;
  /// A write and a read that waits for it: where the read exists, it reads from the write. For who asks
  /// (counterfactual.h): the program is as it was.
  std::optional<std::pair<event::EventId, event::EventId>> awaited = {};
  /// Instructions that stand behind another one instead, in its thread.
  std::vector<std::pair<event::EventId, event::EventId>> moved = {};
};

/// Some instruction is changed in this aspect.
bool uses(const Hypothesis& hypothesis, Aspect aspect);

/// A program as a hypothesis has it.
struct Variant {
  event::ProgramGraph graph;
  event::BaseValues base;
  std::vector<event::EventId> number;  ///< of each event of the program, what it is here
  /// What a slot of the program reads from in an execution of the variant, by the program's numbers; none of its writes
  /// is put in.
  event::EventId source(const event::Execution& execution, const event::ProgramGraph& program,
                        event::SlotId slot) const;
};
Variant apply(const event::ProgramGraph& graph, const std::vector<std::size_t>& keys,
              const Hypothesis& hypothesis);

/// A fence.proxy of a kind; of tensor maps its release or acquire half, at .sys scope.
Insertion proxy_fence(event::EventId at, bool behind, isa::Proxy kind,
                      isa::Semantics half = isa::Semantics::weak);
/// wgmma.fence before an instruction.
Insertion wgmma_fence(event::EventId at);
/// tcgen05.fence::before_thread_sync or ::after_thread_sync
Insertion tensor_fence(event::EventId at, bool behind, event::TensorOp half);
/// tcgen05.wait::ld or ::st behind an instruction: the accesses are complete.
Insertion tensor_wait(event::EventId at, std::vector<event::EventId> accesses);
/// tcgen05.commit behind an instruction.
Insertion tensor_commit(event::EventId at, std::vector<event::EventId> accesses, std::uint32_t object);
/// A tcgen05.commit that is there signals an object of the hypothesis, too.
Insertion commit_signal(event::EventId commit, std::vector<event::EventId> accesses, std::uint32_t object);
/// mbarrier.arrive behind an instruction: .release, at a scope. Beside an arrival that is there: with the semantics
/// and scope of that.
Insertion arrival(const event::ProgramGraph& graph, event::EventId at, isa::Scope scope,
                  std::uint32_t object);
/// mbarrier.try_wait, until it returns true, before an instruction: .acquire, at a scope. A wait that is there waits for
/// that object instead of its own.
Insertion phase_wait(const event::ProgramGraph& graph, event::EventId at, isa::Scope scope,
                     std::uint32_t object);

/// The instruction that performs an access: the issue of an asynchronous operation, else the event itself.
event::EventId instruction_of(const event::ProgramGraph& graph, event::EventId access);
/// What is executed at once: an asynchronous operation, a vector, an atomic. Events of one turn through an
/// instruction have equal values, and those of a later turn a higher one.
event::EventId turn_of(const event::ProgramGraph& graph, event::EventId e);
/// One event of each turn that some of the events are of, ascending.
std::vector<event::EventId> turns_of(const event::ProgramGraph& graph,
                                     const std::vector<event::EventId>& events);
/// The event behind all of those in its thread; kNoEvent: there is none.
event::EventId behind(const event::ProgramGraph& graph, event::EventId e);

}  // namespace ptxmc::check
