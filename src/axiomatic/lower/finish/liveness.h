// SPDX-License-Identifier: Apache-2.0
// Lowering for liveness: a graph whose executions are those in which a thread waits forever.
//
// An infinite execution is represented by a finite one. Memory is finite and, in the executions that matter,
// so is the number of writes: a thread that loops forever without a lasting effect is represented by one
// more turn of its loop, the *idle* turn, after which nothing of it follows (flow/idle_turns.h). Two things tell such
// an execution from one that a thread would leave. First, the reads of the idle turn must be able to return
// the same values forever: a model axiom over the base relation `spin` says so (axiomatic/question/liveness.h). Second,
// no thread that could still run has stopped. Turns that change nothing may be dropped anywhere else: what is
// left of a consistent execution is consistent.
//
// A barrier blocks forever or it does not: an execution chooses, and the barrier machine
// admits the choice where the phase never completes. A thread comes to its end, spins, blocks or, where the
// progress model does not guarantee it, stops. Points at which it may stop lie before writes, atomics and
// barrier arrivals: no thread waits for anything else.
//
// Progress models (T. Sorensen et al., OOPSLA 2016 and CONCUR 2018), in terms of PTX:
//   fair  everybody is scheduled.
//   obe   what has started is scheduled fairly; what has not may wait forever for room, while another block takes it
//         up forever: an idle GPU starts something. A cluster starts as a whole (its CTAs are co-scheduled), and so
//         does a CTA.
//   hsa   only the first CTA of each GPU that has not ended is scheduled for certain, in the order of the threads'
//         numbers; others may stop anywhere.
// Host threads are always scheduled.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "support/budget.h"

namespace ptxmc::lower {

struct Unit;

/// Threads whose barriers wait forever in no run, whatever the schedule and all values: what they and all whom they
/// may meet do there hangs on nothing, and the phase machine finds no run that stays. `graph`: lowered for liveness
/// with Options::all_pass.
std::vector<bool> passing_threads(event::ProgramGraph graph, const Budget& budget);

/// Threads of which every run says the same, whatever all values: the wait at which they stay forever, by its number among
/// those of the thread (waits_before), or kNoWait where they come to their ends. `graph`: lowered with Options::all_pass and open_results.
std::vector<std::optional<std::size_t>> staying_threads(event::ProgramGraph graph, const Budget& budget);

/// The proposition "a thread waits forever", which every execution is to satisfy; and whether a bound was
/// hit.
void finish_liveness(Unit& unit);

}  // namespace ptxmc::lower
