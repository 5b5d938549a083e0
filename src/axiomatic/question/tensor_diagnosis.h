// SPDX-License-Identifier: Apache-2.0
// What is wrong between two accesses of tensor memory that race (9.7.16.6).
#pragma once

#include "axiomatic/question/races.h"

namespace ptxmc::check {

/// Nothing when the two are no accesses of tensor memory. `racing` is an execution in which flag number `flag` relates
/// the two.
std::optional<Diagnosis> diagnose_tensor(const engine::Query& query, std::size_t flag, event::EventId a,
                                         event::EventId b, const engine::State& racing, const Solve& solve);

}  // namespace ptxmc::check
