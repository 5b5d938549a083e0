// SPDX-License-Identifier: Apache-2.0
// What all parts of a machine share: threads and their warps, memory, what the run has shown so far.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dynamic/exec/matrix_bytes.h"
#include "dynamic/exec/memory.h"
#include "dynamic/exec/operands.h"
#include "dynamic/exec/placement.h"
#include "dynamic/exec/places.h"
#include "dynamic/exec/rendezvous.h"
#include "dynamic/exec/run.h"

namespace ptxmc::exec {

/// A hash with a value more.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdU;
}

/// Words that the lanes of a warp may write by one instruction.
constexpr std::size_t kScratchWords = std::size_t{kLanes} * 16;

/// Where an operand points, and what is wrong with that.
struct Resolved {
  Address at = 0;
  std::optional<RuleId> wrong = {};
};

class GridCover;

struct RunState {
  /// `by` may be null.
  RunState(const program::Program& of, trace::Observer* by)
      : program(of), observer(by == nullptr ? unobserved_ : *by) {}

  const program::Program& program;
  trace::Observer& observer;

  // ---- Code, threads, memory: the placer makes them ---------------------------------------------------------
  std::vector<Code> codes;
  std::vector<const Step*> sites;
  std::vector<Warp> warps;
  std::vector<Cta> ctas;
  std::vector<Cluster> clusters;
  std::vector<PlacedTask> tasks;
  std::vector<const program::Thread*> threads;  // by trace::Thread; null: none
  std::map<int, trace::Thread> by_number;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<Places> places;
  MatrixFootprints matrix_footprints;

  // ---- The run so far -----------------------------------------------------------------------------------------
  Outcome outcome;
  std::map<std::pair<trace::Site, Decided>, Decision> decisions;
  std::set<trace::Site> answered;  // waits outside of loops that succeeded, which orders what follows
  std::uint64_t changes = 0;       // how often memory, or what threads wait for, has changed
  std::uint64_t warp_steps = 0, lane_steps = 0;
  std::uint64_t local_state = 0;  // a hash of local memory, which counts as registers
  Schedule schedule;
  Readings readings;
  std::shared_ptr<GridCover> grid;  // null: what rests on the place of a block is not followed

  // ---- What is wrong with it, and what rests on what ---------------------------------------------------------
  void fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what);
  /// The same of a use that has a repair of its own.
  void fault(RuleId kind, Misuse misuse, const Step& step, const Warp& warp, unsigned lane, std::string what);
  /// RuleId::mbarrier_misuse
  void misuse(Misuse misuse, const Step& step, const Warp& warp, unsigned lane, std::string what);
  /// The address of an access is wrong, or what is there; `behind`: what that rests on.
  Fault& address_fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what,
                       Sources behind = 0);
  /// The fault out_of_bounds, of which this may be one more instance.
  Fault& overrun(const Step& step, const Warp& warp, unsigned lane, std::string what);
  void out_of_bounds(const Step& step, const Warp& warp, unsigned lane, const trace::Range& bytes);
  void decided(const Step& step, Decided what, Sources sources, bool both_sides);
  /// The same of an operand that decides, in the lanes: what the instruction does, such as a count, or where.
  void decided_by(Warp& warp, const Step& step, Slot slot, Decided what, LaneMask lanes);
  /// If the instruction has it.
  void decided_by(Warp& warp, const Step& step, isa::Role role, Decided what, LaneMask lanes);

  // ---- Addresses of operands ----------------------------------------------------------------------------------
  /// The flat addresses of an operand.
  void addresses(Warp& warp, const Step& step, const Place& place, LaneMask mask, Row& out);
  Address address(Warp& warp, const Step& step, const Place& place, unsigned lane);
  Resolved resolve(Warp& warp, const Step& step, const Place& place, unsigned lane);
  std::uint64_t rank_at(Address flat) const;

 private:
  Fault& add_fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what);
  void decided_by_address(Warp& warp, const Step& step, const Place& place, LaneMask lanes);
  Address located(Warp& warp, const Step& step, const Place& place, unsigned lane);
  void note_rank(const Warp& warp, const Step& step, const Place& place, unsigned lane, Address at);
  Resolved in_window(const Warp& warp, const Step& step, const Place& place, Address at) const;

  trace::Observer unobserved_;  // takes what is told where there is no other
  std::map<std::pair<RuleId, trace::Site>, std::size_t> fault_of_;
};

}  // namespace ptxmc::exec
