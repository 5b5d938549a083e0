// SPDX-License-Identifier: Apache-2.0
// The state of a warp: where its lanes stand, what they wait for, and what is remembered of what they did.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "dynamic/exec/code.h"
#include "dynamic/exec/convergence.h"
#include "dynamic/exec/wgmma_registers.h"

namespace ptxmc::exec {

constexpr trace::Site kNoPlace = ~trace::Site{0};

/// A try that gave a token, by its number in TriedWaits::looks_; 0: none, or one of several.
using TryResultId = std::uint32_t;
struct TryResult {
  trace::Wait wait;
  trace::Phase phase = 0;  // that it is for in all schedules
  bool ready = false;      // it was complete
};

/// What a lane waits for.
enum class Wait : std::uint8_t { nothing, barrier, cluster, lanes, columns, pair, products, turn };

struct Warp {
  Warp() = default;
  Warp(Warp&&) noexcept = default;  // it is moved, never copied
  Warp& operator=(Warp&&) noexcept = default;

  std::uint32_t number = 0, cta = 0, task = 0;
  std::array<const Code*, kLanes> codes{};
  Registers registers;
  LaneMask exists = 0, exited = 0;
  LaneMask left_by_guard = 0;  // of these, by an exit at which others may go on: not one that a branch led to
  LaneMask ready = 0;          // may go on
  LaneMask active = 0;         // stand at `at` and execute together
  trace::Site at = 0;
  trace::Site limit = kNoPlace;             // where the next lanes stand: to be met
  std::array<trace::Site, kLanes> place{};  // of the other lanes
  std::array<std::uint64_t, kLanes> ran{};  // when
  std::array<Wait, kLanes> wait{};
  std::array<const Step*, kLanes> waits_at{};
  // of an exchange that a lane waits for; of a barrier its number
  std::array<std::uint32_t, kLanes> members{};
  std::array<trace::Phase, kLanes> cluster_phase{};  // of the cluster's barrier, at which a lane arrived last
  LaneMask at_cluster = 0;                           // have arrived there, and not waited since
  LaneMask waiting = 0;  // in a loop that waits: what they do until they try again does nothing
  std::array<std::uint64_t, kLanes> tried{};  // when they tried last, in changes
  /// The strong read that a lane executed last, where, and when, in changes: of a loop whose turns write, what it waits for.
  struct LastRead {
    const Step* step = nullptr;
    Address at = 0;
    std::uint64_t when = 0;
  };
  std::array<LastRead, kLanes> last_read{};
  // of lanes that execute an instruction together, those that need not wait for the others
  LaneMask had_turn = 0;
  LaneMask wants_turn = 0;         // of those that wait for turns, the lanes whose turns these are
  LaneMask fenced = 0;             // have executed a fence.sc that includes all threads since their last turn
  LaneMask fenced_some = 0;        // the same, any fence.sc
  LaneMask acted = 0;              // have done more than compute and poll, since a bar.red sent them round
  LaneMask acted_apart = 0;        // the same, since a vote or a shuffle did
  const Step* round_at = nullptr;  // that one; null: it did not
  LaneMask polled = 0;             // have polled since then
  std::array<const Step*, kLanes> polled_at{};  // by which read
  LaneMask left = 0;  // have left a loop that polls memory, and execute what of it leads out
  std::array<const Step*, kLanes> left_at{};  // its read
  // of registers that rest on tokens: whose
  std::unordered_map<Slot, std::array<TryResultId, kLanes>> tokens;
  // what a lane that has not skipped a wait looked for; 0: nothing
  std::array<TryResultId, kLanes> looked_for{};
  std::array<const Step*, kLanes> skips_at{};  // the branch
  // of registers with results of atomics: their turns
  std::unordered_map<Slot, std::array<std::size_t, kLanes>> counted;
  LaneMask guided = 0;  // data has decided where they go: another value, and they may not come here
  std::array<std::uint64_t, kLanes> guided_when{};  // the last time: how often memory had changed
  std::array<const Step*, kLanes> failed_at{};      // a wait that failed because all do at first
  bool oldest_next = false;                         // whose turn it is among the lanes
  bool yields = false;                              // others first
  WgmmaRegisters wgmma;
  Convergence convergence;
  std::uint32_t registers_owned = 0;  // that the last setmaxnreg gave each lane; 0: there was none

  LaneMask live() const { return exists & ~exited; }
  Row& row(Slot slot) { return registers.rows[slot]; }
  Taint& taint(Slot slot) { return registers.taints[slot]; }

  /// The lanes wait; they go on after the instruction.
  void block(const Step& step, LaneMask lanes, Wait why);
  void release(LaneMask lanes);
  void park();
  void regroup_at();
  void step_over();
};

}  // namespace ptxmc::exec
