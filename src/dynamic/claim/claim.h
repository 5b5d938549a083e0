// SPDX-License-Identifier: Apache-2.0
// What a run proves of all schedules of its launch, as data: the verdict, what the proof takes as given, why it is none,
// and what was explored. Words are made of this in claim_words.h; nothing here is decided by a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::claim {

/// What the proof takes as given.
enum class Assumption : std::uint8_t {
  readings,         ///< a model or readings that are not the defaults (VerifyResult::under)
  wgmma_groups,     ///< a wait of one warp waits for the product of its warpgroup (reading wgmma-groups)
  aligned_barrier,  ///< warps come to an aligned barrier at several instructions (reading aligned-barrier)
  tensor_lanes,  ///< lane 0 in an address of tensor memory stands for the warp's own lanes (reading tmem-lane)
  no_trap,       ///< no thread reaches a trap, where something open decides that
  equal_values,   ///< bytes into which equal values are written in either order do not count as a race
  module_values,  ///< variables of the module hold what the module says (VerifyResult::module_values)
  practice,       ///< idioms of code that ships are waived (severity.h)
  atomic_release,  ///< an atomic releases what it acquired from a narrower release (8.9.5); H100 and H200 do not
  cluster_addresses,  ///< the rank of a CTA is in bits 24 and up of addresses in .shared::cluster that mapa did not make
  register_pool,  ///< warps have the registers that a setmaxnreg.dec gives back, and get those that a setmaxnreg.inc asks for
  elected_lane,  ///< what is true of some lanes that elect.sync may elect is true of each (VerifyResult::elected)
  device_heap,        ///< malloc of device code gives memory, never null
  quotient_to_zero,   ///< quotients of negative numbers are rounded to zero, as in CUDA C++ (9.7.1.9)
  no_fused_products,  ///< mul and add that name no rounding do not become fma (9.7.3.5)
  valid_targets,  ///< where something open decides, branch indices have labels, registers of calls functions (isa::TrapCause)
  resident_blocks,  ///< blocks that wait for others in global memory run at once, in a launch that is not cooperative
  exit_order,  ///< who exits in front of a barrier has read before others pass it, as the barrier waits for the exit
  reserved_shared,  ///< the system's part of shared memory is used as its own software uses it (10.29)
  matrix_rows,     ///< ldmatrix and stmatrix are in program order with what any lane of their warp does (D48)
  valid_metadata,  ///< metadata of sparse matrices are some that the manual gives a meaning (9.7.13.5.1)
};
constexpr std::size_t kAssumptions = 21;
/// The id in JSON and SARIF: "no-trap".
std::string_view name_of(Assumption assumption);

struct Assumed {
  Assumption what;
  /// the instructions that rest on it; empty: the whole launch does
  std::vector<trace::Site> sites = {};
};

/// Why a run is no proof.
enum class OpenReason : std::uint8_t {
  rules_not_shown,      ///< findings of some rules were left out (VerifyResult::selection)
  blocks_not_run,       ///< some blocks of the grid did not run
  outside_writers,      ///< writers outside of the launch were run in one way
  orders_not_checked,   ///< what orders accesses was not looked at
  overlapping_kernels,  ///< kernels that may overlap ran one after the other
  aliases,              ///< accesses through different names of one location were not told apart
  step_limit,           ///< the run was cut
  time_limit,           ///< the run was cut
  memory_limit,         ///< the run was cut
  interrupted,          ///< the run was cut
  control,              ///< branches depend on what is open
  addresses,            ///< addresses depend on what is open
  places,               ///< branches or addresses depend on where objects lie in memory
  machine,              ///< branches or addresses depend on facts of the machine, such as %nsmid
  atomic_orders,        ///< the order of contended accesses decides, and not all orders were explored
  address_contents,     ///< addresses that failed depend on contents that the launch does not give
  loop_contents,        ///< a loop that did not end depends on contents that the launch does not give
  waits_for_left_out,  ///< the run stopped at a wait for a block that did not run, or for an erroneous instruction
  warnings,            ///< a warning was found
  equal_writes,        ///< of equal unordered writes of a byte not all were compared with what came later
  proxy_orders,  ///< strong accesses of asynchronous operations and others of their location were taken in one order
  phase_confluence,  ///< an arrival may count to another phase of its mbarrier object
  accepted_stops,    ///< a fault or a hang is waived or known, and what follows it was not run
};
constexpr std::size_t kOpenReasons = 23;
std::string_view name_of(OpenReason reason);
/// What would close it: "give the contents with \"data\""; empty: nothing that an option says.
std::string_view closed_by(OpenReason reason);

struct Open {
  OpenReason reason;
  /// in the order in which the run came to them; empty: the whole launch
  std::vector<trace::Site> sites = {};
  exec::Sources sources = 0;  ///< of control and addresses: what they depend on
};

/// What the verdict was drawn from, beside one run.
struct Explored {
  std::size_t orders = 0;          ///< of contended accesses
  bool all_orders = false;         ///< there are no others
  bool equivalent_orders = false;  ///< some stand for others that differ in nothing else
  std::size_t schedules = 1;       ///< that ran
  bool spin_loops = false;         ///< there are some, and the same writes let them exit in all schedules
  std::vector<trace::Site> both_sides = {};  ///< branches on open contents of which both sides were taken
};

struct Claim {
  Verdict verdict = Verdict::incomplete;
  std::vector<Assumed> assumptions;
  std::vector<Open> open;
  Explored explored;
  /// Stores to global memory whose values may depend on the schedule: a launch without races may have several results.
  std::vector<trace::Site> schedule_dependent;
};

/// The only place that decides what a run proves. Throws InternalError where the parts contradict each other.
Claim claim_of(const VerifyResult& verified);
inline Verdict verdict_of(const VerifyResult& verified) {
  return claim_of(verified).verdict;
}

/// Those of VerifyResult::module_values that executed instructions name.
std::vector<std::string> named_module_values(const VerifyResult& verified);

/// Atomics and strong reads of contended locations whose results may decide control.
std::vector<trace::Site> decided_by_turns(const VerifyResult& verified);

}  // namespace ptxmc::claim
