// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async (9.7.14): the operations of a warpgroup are of one agent, whose time is the number of its groups that
// are complete. Each of its warps executes the instruction; what the operation reads must be ready for all of them.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "dynamic/order/finding.h"
#include "dynamic/order/objects.h"
#include "dynamic/order/readings.h"
#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {

class Warpgroups {
 public:
  Warpgroups(Threads& threads, Objects& objects, Findings& findings, const Readings& readings)
      : threads_(threads),
        objects_(objects),
        findings_(findings),
        waits_for_(readings.groups_of_warps ? 1 : kWarps) {}
  void start();

  /// wgmma.fence.
  void fence(Lanes lanes) { threads_.start_here(lanes); }
  /// A fence of any proxy: operations start there, too (R244), after the wgmma.fence that the first of them
  /// needs (R245).
  void proxy_fence(Lanes lanes) {
    if (threads_.has_starter(lanes.warp)) threads_.start_here(lanes);
  }
  /// The agent and time of an operation that the thread's warp issues now, and the warp at which it starts.
  struct Issue {
    ObjectId agent = 0;
    Time time = 0;
    std::uint32_t starter = 0;
  };
  Issue issue(Thread thread);
  void commit(Lanes lanes);
  void wait(Lanes lanes, std::uint32_t pending);
  /// All warps of the warpgroup have executed the one before, and the lanes know that (9.7.17.5, R234).
  void set_registers(Site site, Lanes lanes);

 private:
  // of a warpgroup: contiguous, the first a multiple of it (9.7.14)
  static constexpr std::uint32_t kWarps = 4;
  /// The state of a warpgroup.
  struct Group {
    ObjectId agent = 0;
    // by group of operations: what its warps had done and knew when they committed it
    std::vector<ClockRef> issued;
  };
  /// setmaxnreg of a warp.
  struct RegisterSets {
    struct Set {
      Site site = 0;
      Epoch epoch;
    };
    std::size_t count = 0;
    std::array<Set, 2> last{};  // number n at n % 2
  };
  Group& group(std::uint32_t warp);
  bool knows_of(Lanes lanes, const RegisterSets& other, std::size_t number) const;

  Threads& threads_;
  Objects& objects_;
  Findings& findings_;
  std::uint32_t waits_for_;                          // warps that one of them waits for
  std::vector<std::uint32_t> first_;                 // of these, by warp
  std::vector<std::uint32_t> whole_first_;           // of the warpgroup, by warp
  std::vector<RegisterSets> sets_;                   // by warp
  std::vector<Time> committed_;                      // groups, by warp
  std::vector<Time> told_;                           // groups of which it knows who issued them, by warp
  std::unordered_map<std::uint32_t, Group> groups_;  // by the first warp
};

}  // namespace ptxmc::trace
