// SPDX-License-Identifier: Apache-2.0
// griddepcontrol.launch_dependents behind release fences (9.7.12.13): the dependent grids start after the first one of each CTA
// of theirs, whichever that is (R238), so that what comes before a fence in front of each of them comes before their start.
#pragma once

#include <cstdint>
#include <map>

#include "dynamic/order/release_sequences.h"

namespace ptxmc::trace {

class Launches {
 public:
  Launches(const Threads& threads, const ReleaseSequences& messages)
      : threads_(threads), release_sequences_(messages) {}

  /// The thread executes one.
  void add(Thread thread);
  /// What comes before the start of dependents of the task; null: nothing.
  ClockRef known(std::uint32_t task) const;

 private:
  const Threads& threads_;
  const ReleaseSequences& release_sequences_;
  std::map<std::uint32_t, std::map<std::uint32_t, ClockRef>> by_task_;  // then by CTA
};

}  // namespace ptxmc::trace
