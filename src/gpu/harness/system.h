// SPDX-License-Identifier: Apache-2.0
// Tests whose threads are on several GPUs, or on the host: one harness for each GPU, and code for each host
// thread, which play the same instances together (actor.h).
//
// Every GPU runs a persistent kernel as in harness.h, and every host thread is a thread of this process. What
// no host thread may access lies in the memory of the GPUs, what one may access in host memory that the GPUs
// have mapped (8.9 of the manual: neither needs managed memory). A test with host threads plays few instances
// a round, one a block, at the pace of the host threads, so that both sides meet at them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/harness/harness.h"
#include "gpu/host/actor.h"
#include "gpu/host/code.h"
#include "gpu/host/draw.h"
#include "gpu/text/observe.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

struct System {
  std::vector<Harness> gpus;                       ///< actors 0, 1, ...: by the numbers of the test's GPUs
  std::vector<HostCode> hosts;                     ///< the actors behind them
  std::vector<std::vector<std::uint32_t>> places;  ///< by host: numbers of HostCode::variables in memory
  unsigned evaluates = 0;                          ///< the GPU that does
  std::optional<unsigned> home;                    ///< Actor::home
  bool host_memory = false;                        ///< some variable lies there
  bool moves = true;                               ///< MemoryShape::moves
  std::string shared_rmw;  ///< why the host and the GPUs must be atomic to each other; empty: they need not

  std::size_t actors() const { return gpus.size() + hosts.size(); }
  const Harness& front() const { return gpus.front(); }
  MemoryShape shape(unsigned blocks) const;
};

/// Does the test need several GPUs, or threads of the host? Tests of kernels and API calls are another thing.
bool is_system(const program::Program& test);

/// Throws CannotRun and InputError as write_harness() does.
System write_system(const program::Program& test, const Observation& observation,
                    const HarnessOptions& options);

/// The kernels, each behind a comment that says which GPU it is of; host threads are comments.
std::string print(const System& system);

}  // namespace ptxmc::gpu
