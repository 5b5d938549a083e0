// SPDX-License-Identifier: Apache-2.0
// Hypotheses: what a program could be instead. Instructions are made stronger (strengthening.h), others are
// put in, an asynchronous operation is waited for, two threads synchronize. An engine says whether that
// removes a race; what the smallest such hypothesis has in it is what the program lacks.
//
// Events keep their numbers: what is put in has no event of its own but shares the place of one that is
// there, which is then both. So a fence beside the first instruction of a thread and one before it are the
// same.
#pragma once

#include <utility>
#include <vector>

#include "check/strengthening.h"
#include "event/base.h"

namespace ptxmc::check {

/// An instruction beside the event `at`.
struct Insertion {
  event::EventId at = event::kNoEvent;
  event::Event instruction;  ///< kind, labels, tensor, named; the place is that of `at`
};

struct Hypothesis {
  Steps steps;  ///< none, or one an instruction
  std::vector<Insertion> inserted;
  /// Asynchronous accesses that are over at an event, as if it waited for them (base relation done).
  std::vector<std::pair<event::EventId, event::EventId>> completed;
  /// What happens before the first, and the first, happens before the second (base relation hostsync).
  std::vector<std::pair<event::EventId, event::EventId>> ordered;
};

/// A program as a hypothesis has it: the same events, guards and values.
struct Variant {
  event::ProgramGraph graph;
  event::BaseValues base;
};
Variant apply(const event::ProgramGraph& graph, const std::vector<std::size_t>& keys,
              const Hypothesis& hypothesis);

/// A fence.proxy of a kind; of tensor maps its release or acquire half, at .sys scope.
Insertion proxy_fence(event::EventId at, isa::Proxy kind, isa::Semantics half = isa::Semantics::weak);
/// wgmma.fence
Insertion wgmma_fence(event::EventId at);
/// tcgen05.fence::before_thread_sync or ::after_thread_sync
Insertion tensor_fence(event::EventId at, event::TensorOp half);

/// The instruction that performs an access: the issue of an asynchronous operation, else the event itself.
event::EventId instruction_of(const event::ProgramGraph& graph, event::EventId access);
/// What is executed at once: an asynchronous operation, a vector, an atomic. Events of one turn through an
/// instruction have equal values, and those of a later turn a higher one.
event::EventId turn_of(const event::ProgramGraph& graph, event::EventId e);
/// The event before, or behind, all of those in its thread; kNoEvent: there is none.
event::EventId before(const event::ProgramGraph& graph, event::EventId e);
event::EventId behind(const event::ProgramGraph& graph, event::EventId e);

}  // namespace ptxmc::check
