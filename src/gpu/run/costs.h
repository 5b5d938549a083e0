// SPDX-License-Identifier: Apache-2.0
// What instructions of synchronization cost on a device: one warp, or one warpgroup of those that take one, executes an instruction
// again and again, and its time without the instruction is taken off. A fence stands behind a store, which it has to wait for; an
// access of which the next one needs the result waits for it. `ptxmc repair --costs` reads the table.
#pragma once

#include <string>
#include <vector>

#include "gpu/driver/driver.h"
#include "ptx/isa/target.h"

namespace ptxmc::gpu {

/// An instruction as the table names it, and how it is measured.
struct CostRow {
  std::string mnemonic;  ///< "fence.acq_rel.gpu"
  /// a turn: %at is an address of global memory, %bar of an mbarrier object, %v a word
  std::vector<std::string> code;
  std::vector<std::string> without;  ///< a turn that is taken off
  isa::Target target;                ///< that it needs
  unsigned threads = 32;             ///< who executes it: a warp, or a warpgroup
};
std::vector<CostRow> cost_rows();

constexpr const char* kCostEntry = "ptxmc_cost";
/// Parameters of the entry: memory (.u64), rounds (.u32).
std::string write_cost_kernel(const isa::Target& target, const std::vector<std::string>& turn,
                              unsigned threads);

struct Cost {
  std::string mnemonic;
  double nanoseconds = 0;
  std::string missing;  ///< why there is no figure; empty: there is one
};

/// Each for about `seconds`. Throws DriverError when the device does not come back within `patience` seconds; an instruction that
/// the driver or the device refuses has no figure.
std::vector<Cost> measure_costs(const Device& device, const std::vector<CostRow>& rows, double seconds,
                                double patience);

/// The table, as `--costs` of `repair` reads it (repair/costs.h).
std::string cost_table(const DeviceInfo& device, const std::vector<Cost>& costs);

}  // namespace ptxmc::gpu
