// SPDX-License-Identifier: Apache-2.0
// Where threads run: from `@ gpu 0, cta 1` to program-wide instance numbers.
#pragma once

#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/memory/errors.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

/// One entry per thread, in order. Numbers of CTAs and clusters are per GPU and grid; a thread without a CTA
/// gets one of its own, a CTA without a cluster likewise. Errors: one CTA in two clusters; a host thread with
/// a place on a device; two threads of one number.
std::vector<event::ThreadInfo> place_threads(const program::Program& program, const Errors& errors);

}  // namespace ptxmc::lower
