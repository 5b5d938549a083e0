// SPDX-License-Identifier: Apache-2.0
// Whose turn it is, and when a run is over.
#pragma once

#include <random>

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// Warps go round; a task is over when its threads are, or when nothing changes any more.
class Scheduler : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options) { random_.seed(options.schedule.seed.value_or(0)); }
  End run_task(std::uint32_t task, const Options& options);
  void regroup(Warp& warp);

 private:
  struct Round {
    bool ran = false, alive = false;
    bool some_held = false;  // and might have gone on
    std::optional<End> end;
  };
  struct Seen {
    std::uint64_t places = 0, registers = 0, changes = 0, stamp = 0;
  };
  Round go_round(const std::vector<Warp*>& warps, const Options& options);
  std::vector<Warp*> order_of(std::vector<Warp*> warps);
  bool is_held(const Warp& warp);
  void go_held(const std::vector<Warp*>& warps);
  void go_plainly();
  void turn(Warp& warp);
  std::optional<End> over(const Options& options) const;
  std::uint64_t places_of(std::uint32_t task) const;
  std::uint64_t registers_of(std::uint32_t task) const;
  bool repeats(std::uint32_t task);
  bool all_have_tried(std::uint32_t task) const;
  bool all_have_run(std::uint32_t task, std::uint64_t since) const;

  std::uint32_t length_ = ~std::uint32_t{0};  // of a turn
  unsigned held_rounds_ = 0;                  // while warps are held, without a change
  bool until_change_ = false;                 // it ends when something has changed
  std::mt19937_64 random_;
  std::uint64_t stamp_ = 0;
  std::optional<Seen> seen_;  // to find that nothing changes any more
  std::uint64_t idle_rounds_ = 0;
};

}  // namespace ptxmc::exec
