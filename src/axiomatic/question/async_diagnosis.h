// SPDX-License-Identifier: Apache-2.0
// What is wrong between an asynchronous access (8.9.1.1) and one that races with it.
#pragma once

#include "axiomatic/question/races.h"

namespace ptxmc::check {

/// Nothing when neither access is asynchronous. `racing` is an execution in which flag number `flag` relates
/// the two.
std::optional<Diagnosis> diagnose_async(const engine::Query& query, std::size_t flag, event::EventId a,
                                        event::EventId b, const engine::State& racing, const Solve& solve);

/// An arrival behind one of the two accesses and a wait on the same mbarrier object before the other one that
/// it does not meet, where no other such pair meets: the wait is for another phase.
std::optional<std::pair<event::EventId, event::EventId>> missed_phase(const engine::Query& query,
                                                                      event::EventId a, event::EventId b,
                                                                      const engine::State& racing);

}  // namespace ptxmc::check
