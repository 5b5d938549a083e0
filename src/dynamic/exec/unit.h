// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamic/exec/run_state.h"

namespace ptxmc::exec {

class Machine;

/// A part of a machine. What it keeps is its own; what all parts share is in `run_`; it asks the others by `machine_`.
class Unit {
 public:
  explicit Unit(Machine& machine);
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

 protected:
  ~Unit() = default;

  Machine& machine_;
  RunState& run_;
};

}  // namespace ptxmc::exec
