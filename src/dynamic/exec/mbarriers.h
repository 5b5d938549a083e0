// SPDX-License-Identifier: Apache-2.0
// mbarrier objects (9.7.12.15): arrivals, phases, waits, and what completes late.
#pragma once

#include "dynamic/exec/operations.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Mbarriers : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options);
  /// An object that the initial value of its variable makes: it expects so many arrivals.
  void initialise(Address at, std::uint32_t count) { given_[at] = count; }
  /// The object at an address; null: there is none.
  const Mbarrier* at(Address at) const {
    const auto found = mbarriers_.find(at);
    return found == mbarriers_.end() ? nullptr : &found->second;
  }
  bool has_late() const { return !late_.empty(); }
  void mbarrier_update(Warp&, const Step&, LaneMask);
  void mbarrier_arrive(Warp&, const Step&, LaneMask);
  void mbarrier_wait(Warp&, const Step&, LaneMask);
  void pending_count(Warp&, const Step&, LaneMask);
  void check_layout(Warp&, const Step&, LaneMask);
  void succeed(Warp&, const Step&, LaneMask);
  Mbarrier* object(Warp& warp, const Step& step, Address at, unsigned lane);
  void try_complete(Address at, Mbarrier& object);
  void check_waited(Warp& warp, const Step& step, unsigned lane, Address at, const Mbarrier& object);
  bool is_late(const Completion& completion);
  bool complete_late(std::optional<Address> at = std::nullopt);
  void count_bytes(Warp& warp, const Step& step, unsigned lane, Address at, Mbarrier& object,
                   std::int64_t by);
  void check_own(Warp& warp, const Step& step, LaneMask mask, const Row& at);

 private:
  template <typename Function>
  void for_objects(Warp& warp, const Step& step, unsigned lane, Address at, Function&& function);
  void count_at(Warp& warp, const Step& step, unsigned lane, Address at);
  void arrive_at(Warp& warp, const Step& step, unsigned lane, Address at);
  static void write_reports(Warp& warp, const Step& step, LaneMask mask, LaneMask timing);
  void check_awaited(const Warp& warp, const Step& step, unsigned lane, const Mbarrier& object,
                     std::uint64_t value, Address at);
  void note_try(Warp& warp, const Step& step, unsigned lane, bool succeeded) const;
  bool slips(Address at, const Mbarrier& object);

  std::unordered_map<Address, Mbarrier> mbarriers_;
  std::uint32_t objects_ = 0;  // that there were
  // counts of objects that initial values make, until they are used
  std::unordered_map<Address, std::uint32_t> given_;
  bool waits_fail_ = false;       // Options::waits_fail
  std::vector<Completion> late_;  // that have not arrived yet
};

}  // namespace ptxmc::exec
