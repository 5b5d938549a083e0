// SPDX-License-Identifier: Apache-2.0
// Running a test whose threads are all on the host: on the CPU alone, without a GPU or its driver. The host
// threads play as they do beside GPUs (host_actor.h); the first of them also evaluates and resets, as the
// evaluating kernel does in a test with GPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gpu/host/code.h"
#include "gpu/host/host_actor.h"
#include "gpu/run/runner.h"
#include "gpu/text/observe.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// A memory element and its initial value.
struct HostCell {
  std::uint32_t place = 0;   ///< number of the variable
  std::uint32_t offset = 0;  ///< bytes, in the variable
  std::uint32_t bytes = 8;
  std::uint64_t initial = 0;
  std::optional<std::uint32_t> address_of;  ///< number of the variable whose address it holds instead
};

struct HostTest {
  std::vector<HostCode> codes;
  std::vector<std::uint32_t> places;                 ///< of HostCode::variables
  std::vector<HostCell> cells;                       ///< all elements
  std::vector<std::optional<std::uint32_t>> finals;  ///< by observed name: the cell that it names
  MemoryShape shape;
};

/// Is every thread a host thread, and none calls the CUDA API?
bool is_host_test(const program::Program& test);

/// Throws CannotRun as compile_host() does.
HostTest write_hosts(const program::Program& test, const Observation& observation, const RunOptions& options);

/// Ends early, with what there is, when `stop` says so.
Histogram run_hosts(const HostTest& test, const Observation& observation, const RunOptions& options,
                    const std::function<bool()>& stop);

}  // namespace ptxmc::gpu
