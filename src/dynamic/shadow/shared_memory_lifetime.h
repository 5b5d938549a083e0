// SPDX-License-Identifier: Apache-2.0
// Uses of the shared memory of a CTA before it is there, as nothing shows that the CTA has started (2.2.2), or that may not be
// over when its threads have exited (5.1.7, R17, R18): asynchronous operations, and accesses and arrivals of other CTAs. A CTA
// lives while one of its threads does.
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "dynamic/order/finding.h"
#include "dynamic/order/objects.h"
#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {

class SharedMemoryLifetime {
 public:
  SharedMemoryLifetime(Threads& threads, Objects& objects, const SharedWindows& windows, Findings& findings)
      : threads_(threads), objects_(objects), windows_(windows), findings_(findings) {}
  /// `apart`: the CTAs of a cluster need not have started at one time.
  void start(bool apart);
  /// Kind::place: of shared memory.
  std::uint64_t place_of(Address at) const {
    const Window* window = windows_.find(at);
    return window == nullptr ? kNotShared : shared_of(window->cta);
  }
  void issue(const Kind& kind, const ShadowAccess& mark, std::span<const Range> ranges);
  /// An access that is not asynchronous: noted if the memory is of another CTA.
  bool watches_visits() const { return clusters_; }
  /// `synchronizes`: it is an arrival, or the like, at an object there.
  void visit(const Kind& kind, const ShadowAccess& mark, Range range, bool synchronizes = false);
  void exit(Site site, Lanes lanes);

 private:
  /// Those of one instruction that lanes of a warp issued at one time.
  struct Operation {
    Kind kind;
    KindId id = 0;
    Epoch epoch;
    Range range;
    // over once that is known, though no memory is ordered: a wait, be it relaxed, is a completion
    bool executes = false;
    bool remote = false;  // known to be over, were remote arrivals of a wider scope (A7)
  };
  struct Exit {
    Site site = 0;
    Lanes lanes;
  };
  using Window = SharedWindows::Window;
  using Operations = std::map<std::uint32_t, std::vector<Operation>>;  // by warp; the last of each lane
  void add(const Window& window, const Kind& kind, const ShadowAccess& mark, Range range, bool executes);
  bool is_over(Thread thread, const Operation& operation, const Epoch& epoch) const;
  void learn(Lanes lanes, Operations& operations) const;
  void report(Site site, Lanes lanes, const Operation& operation);

  void start_apart();
  void check_started(const Window& window, const Kind& kind, const ShadowAccess& mark, Range range);

  Threads& threads_;
  Objects& objects_;
  const SharedWindows& windows_;
  Findings& findings_;
  std::map<std::uint32_t, Operations> operations_;           // by CTA
  std::unordered_map<std::uint32_t, std::uint32_t> in_cta_;  // threads that have not exited
  std::unordered_map<std::uint32_t, Exit> last_exit_;        // of CTAs that are over
  bool clusters_ = false;                                    // of several CTAs
  std::map<std::uint32_t, ObjectId> started_;  // by CTA: an agent of which its threads know from the start
};

}  // namespace ptxmc::trace
