// SPDX-License-Identifier: Apache-2.0
// A run: threads, memory, and the parts that execute instructions. Lanes are independent threads: those of a warp that stand at
// one place execute together, and a lane that waits holds up no other.
#pragma once

#include "dynamic/exec/accesses.h"
#include "dynamic/exec/address_forms.h"
#include "dynamic/exec/address_spaces.h"
#include "dynamic/exec/async_stores.h"
#include "dynamic/exec/atomics.h"
#include "dynamic/exec/barriers.h"
#include "dynamic/exec/block_values.h"
#include "dynamic/exec/branch_sides.h"
#include "dynamic/exec/contention.h"
#include "dynamic/exec/copies.h"
#include "dynamic/exec/exchanges.h"
#include "dynamic/exec/executor.h"
#include "dynamic/exec/exits.h"
#include "dynamic/exec/fences.h"
#include "dynamic/exec/hangs.h"
#include "dynamic/exec/heap_calls.h"
#include "dynamic/exec/launch_cancels.h"
#include "dynamic/exec/local_variables.h"
#include "dynamic/exec/matrices.h"
#include "dynamic/exec/mbarriers.h"
#include "dynamic/exec/multimem.h"
#include "dynamic/exec/polls.h"
#include "dynamic/exec/run_state.h"
#include "dynamic/exec/scheduler.h"
#include "dynamic/exec/tensor_maps.h"
#include "dynamic/exec/tensor_unit.h"
#include "dynamic/exec/tried_waits.h"
#include "dynamic/exec/value_shadow.h"
#include "dynamic/exec/warpgroups.h"

namespace ptxmc::exec {

class Machine {
 public:
  Machine(const program::Program& program, trace::Observer* observer,
          std::span<const program::InnerMap> inner_maps);

  Outcome execute(const Options& options);

  RunState run;

  // ---- Who goes on, and where ---------------------------------------------------------------------------------
  Scheduler scheduler{*this};
  Executor executor{*this};
  Exits exits{*this};
  Hangs hangs{*this};

  // ---- Instructions, by family --------------------------------------------------------------------------------
  Accesses accesses{*this};
  AddressSpaces address_spaces{*this};
  Atomics atomics{*this};
  Multimem multimem{*this};
  HeapCalls heap_calls{*this};
  LocalVariables locals{*this};
  Fences fences{*this};
  Barriers barriers{*this};
  Exchanges exchanges{*this};
  Matrices matrices{*this};
  Mbarriers mbarriers{*this};
  Copies copies{*this};
  AsyncStores async_stores{*this};
  TensorMaps tensor_maps{*this};
  LaunchCancels cancels{*this};
  Warpgroups warpgroups{*this};
  TensorUnit tensor{*this};

  // ---- What is followed beside the values: what a run says of others rests on it ------------------------------
  AddressForms forms{*this};
  ValueShadow shadow{*this};
  BlockValues blocks{*this};
  BranchSides branch_sides{*this};
  Contention contention{*this};
  Polls polls{*this};
  TriedWaits tried_waits{*this};

 private:
  void change(const std::vector<Changed>& changes);
  void follow_what(const Options& options);
  void start();
  void answers_decide();
  void run_tasks(const Options& options);
  void open_registers();
};

}  // namespace ptxmc::exec
