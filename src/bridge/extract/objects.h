// SPDX-License-Identifier: Apache-2.0
// The mbarrier objects of a slice: how many arrivals a phase takes when the threads of the slice are all that there are,
// and what another thread must do so that the phases that are waited for end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bridge/extract/slice.h"

namespace ptxmc::extract {

struct ObjectPlan {
  trace::Phase base = 0;  // the phase that the test begins with
  std::uint32_t count = 1;
  bool initialised = true;  // before the test begins
  struct Missing {
    std::uint32_t arrivals = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Missing> missing;  // by phase, from the base on: of phases that must end

  bool is_over(trace::Phase phase) const { return phase < base; }
  unsigned parity(trace::Phase phase) const { return static_cast<unsigned>((phase - base) & 1U); }
};

/// Throws Unwritten.
std::map<trace::Address, ObjectPlan> plan_objects(const Slice& slice);

/// Bytes that the copies of a slice bring to a phase.
std::int64_t bytes_of(const Slice& slice, trace::Address object, trace::Phase phase);
/// How many bytes of its rows a copy moves in the test.
std::uint64_t copied(const Copy& copy);
/// Where the rows of a copy begin that it moves.
trace::Address copied_from(const trace::Range& bytes);

}  // namespace ptxmc::extract
