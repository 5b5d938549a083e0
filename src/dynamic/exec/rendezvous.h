// SPDX-License-Identifier: Apache-2.0
// What threads meet at, as a run has it: barriers of CTAs and of clusters, and mbarrier objects.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "dynamic/exec/code.h"
#include "dynamic/exec/tensor_columns.h"
#include "dynamic/exec/warp.h"

namespace ptxmc::exec {

/// A barrier of a CTA, by its number (9.7.12.1).
struct NamedBarrier {
  struct Arrived {
    std::uint32_t warp = 0;
    LaneMask lanes = 0;
    const Step* step = nullptr;
    bool waits = false;
  };
  trace::Phase phase = 0;
  std::uint32_t count = 0;  // in threads; 0: all of the CTA
  bool open = false;        // a thread has arrived
  std::vector<Arrived> arrived;
  std::uint32_t truths = 0;  // of bar.red
  bool all = true, some = false;
  Taint taint;                  // of its predicates, in any lane
  std::uint32_t polling = 0;    // threads that tell the others what they read in a loop
  const Step* polls = nullptr;  // the read of one of them
  bool others_add_nothing = true;
  Sources others = 0;       // of their predicates
  bool goes_round = false;  // all come back from the phase before, and do nothing on the way
};

struct Cta {
  std::uint32_t cluster = 0, gpu = 0, task = 0, rank = 0;
  std::vector<std::uint32_t> warps;
  std::array<NamedBarrier, 16> barriers;
  TensorColumns tensor;
};

struct Cluster {
  std::vector<std::uint32_t> ctas;
  trace::Phase phase = 0;
  std::map<std::uint32_t, LaneMask> arrived, waiting;  // by warp
  std::vector<trace::Lanes> exited;  // instead of an arrival at the last phase that is complete
};

/// Whom a lane waits for: lanes of its warp (a mask), or all of a CTA or a cluster (its number).
struct Awaited {
  enum class Whom : std::uint8_t { none, lanes, cta, cluster };
  Whom whom = Whom::none;
  std::uint32_t number = 0;
  bool ordered = false;  // what they did before is before what the lane does then (8.9.5)
};

/// Turns were given up: that of one thread was to come before those of these lanes, by warp.
struct Kept {
  trace::Thread wanted = 0;
  std::map<std::uint32_t, LaneMask> by;
};

/// The most arrivals that a phase of an mbarrier object may expect (R192).

/// An mbarrier object (9.7.12.15): counts of the phase that is not complete.
struct Mbarrier {
  std::uint32_t expected = 0, pending = 0;
  std::int64_t transactions = 0;
  trace::Phase phase = 0;
  std::uint32_t number = 0;    // from 1: no other object of the run has it
  bool brought = false;        // in this phase operations have completed
  bool second_layout = false;  // .layout::v1 (PTX ISA 9.3)
  bool waited = true;          // a wait has seen that the phase before is complete, or there was none
};

}  // namespace ptxmc::exec
