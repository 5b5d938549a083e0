// SPDX-License-Identifier: Apache-2.0
// Loops that poll memory (loops.h).
#pragma once

#include "dynamic/exec/accesses.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// A loop that has been left as it read what it waits for, and what of its registers decides that.
struct LeftLoop {
  trace::Await await;
  const Code* code = nullptr;
  const Step* read = nullptr;
  unsigned element = 0;
  std::vector<std::uint64_t> inputs;
};

class Polls : public Unit {
 public:
  using Unit::Unit;

  bool goes_round_surely(Warp& warp, const Step& step, unsigned lane);
  static trace::Polling polling(Warp& warp, const Step& step, LaneMask mask);
  void poll(Warp& warp, const Step& step, LaneMask mask, const Row& at, trace::Effect effect, LaneMask left);
  void poll_once(Warp& warp, const Step& step, LaneMask mask, const Row& at, LaneMask by_turns);
  static void end_turns(Warp& warp, const std::vector<Slot>& left_behind, LaneMask mask);
  void note_poll(NamedBarrier& barrier, Warp& warp, const Step& step, unsigned lane, bool holds);
  bool told_by_one(NamedBarrier& barrier, const std::vector<NamedBarrier::Arrived>& all);
  void told_by_lanes(Warp& warp, LaneMask group);
  LaneMask finds_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at,
                       const ReachedBytes& reached);
  static Sources tried_with(Warp& warp, const Step& step, unsigned lane);
  bool goes_round(Warp& warp, const Step& step, unsigned lane, std::uint64_t found);
  void find_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at, const ReachedBytes& reached);
  static LaneMask leading_out(Warp& warp, const Step& step);
  void compare_with_awaited(Warp& warp, const Step& step, LaneMask mask, const Row& at);

 private:
  void decided_by_inputs(Warp& warp, const Step& step, LaneMask mask);
  static void wait_on(Warp& warp, const Step& step, LaneMask mask, std::uint64_t since);
  static void leave_loop(Warp& warp, const Step& step, LaneMask mask);
  LaneMask polling_lanes(const Warp& warp, LaneMask group) const;
  static bool add_nothing(Warp& warp, LaneMask group, LaneMask polling);
  void decided_by_open_reads(Warp& warp, const Step& step, LaneMask mask);
  void note_left(Warp& warp, const Step& step, unsigned lane, Address at, trace::Effect effect,
                 unsigned element);
  void compare_with(const LeftLoop& loop, trace::Site by, trace::Thread thread, Address at);

  std::unordered_map<Address, std::vector<LeftLoop>> left_loops_;
};

}  // namespace ptxmc::exec
