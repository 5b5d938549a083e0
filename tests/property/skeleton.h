// SPDX-License-Identifier: Apache-2.0
// Random programs whose synchronization is the same in every schedule: what the clocks of src/dynamic and an engine must
// agree about. A program is drawn as one interleaving, so that the events of a run are drawn with its text.
//
// Outside of this class, by construction: reads that control does not rest on of locations that somebody waits on (such
// a read may be forced to observe what it need not wait for), counters whose additions differ in scope or strength, and
// more than two phases of an mbarrier object.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dynamic/order/events.h"

namespace ptxmc::testing {

struct Skeleton {
  std::string text;
  std::vector<trace::Placement> warps;
  std::vector<std::pair<std::uint32_t, trace::Range>> windows;  // of shared memory, by thread block
  std::vector<std::function<void(trace::Observer&)>> events;
  std::size_t units = 0;  // what it was drawn of
};

/// Site of an instruction in the text: its line.
/// `dropped`: units that are left out, if nothing else rests on them; for shrinking.
Skeleton draw_skeleton(std::uint64_t seed, const std::set<std::size_t>& dropped = {});

/// A program of the same parts, of which one may be missing whatever rests on it, and whose threads arrive at phases before
/// they have seen the phase before complete: schedules may synchronize differently, or wait for ever. Its events are no
/// run of it.
Skeleton draw_loose_skeleton(std::uint64_t seed);

}  // namespace ptxmc::testing
