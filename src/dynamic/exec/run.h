// SPDX-License-Identifier: Apache-2.0
// Runs a program once, every thread of it: concretely, with a record of what its values rest on. What it does in memory
// and how it synchronizes is told to an observer; what goes wrong whatever the schedule is a fault.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dynamic/exec/contents.h"
#include "dynamic/exec/mutations.h"
#include "dynamic/exec/registers.h"
#include "dynamic/order/events.h"
#include "finding/rules.h"
#include "ptx/program/inner_map.h"
#include "ptx/program/program.h"
#include "support/budget.h"

namespace ptxmc::exec {

enum class End : std::uint8_t { finished, deadlock, out_of_steps, out_of_time, out_of_memory, stopped };

/// A write of a thread, an atomic, or a strong read that decides, at a location that is contended for.
struct ContendedAccess {
  trace::Address at = 0;
  trace::Thread thread = 0;
  trace::Site site = 0;
  bool reads = true, writes = true;
  /// A fence.sc stands between it and the turn of its thread before: the widest includes some threads, or all.
  enum class Fenced : std::uint8_t { no, some, all };
  Fenced fenced = Fenced::no;
  std::size_t passes = 0;  // of a read: so many writes before it in the run are after it at the location
  /// An atomic that adds a number, and whose result is compared for equality, or looked at by some bits, and
  /// used for nothing else.
  struct Counted {
    std::uint64_t read = 0;
    isa::AtomicOp op = isa::AtomicOp::none;
    std::uint64_t operand = 0;
    std::vector<std::uint64_t> compared = {};  // with these
    std::uint64_t looked_at = 0;               // or these bits alone
    friend bool operator==(const Counted&, const Counted&) = default;
  };
  std::optional<Counted> counted = std::nullopt;
  /// Bytes of a strong access whose scope includes all threads: all such of as many are morally strong (8.7).
  std::uint8_t strong = 0;
  /// What is there before it, the same in all schedules with these turns.
  std::optional<std::uint64_t> found = std::nullopt;
  bool swaps = false;  // a compare-and-swap:
  // it writes where it finds this; nothing: that is not sure
  std::optional<std::uint64_t> compared = std::nullopt;
  /// It may be one of several tries of a loop. With each of these, found before earlier turns, the loop surely goes round,
  /// and the try has no turn.
  bool tries = false;
  std::vector<std::uint64_t> refused = {};
};

/// Which locations these are, and the first turns there: all others wait until those are over, in their order.
struct Turns {
  std::set<trace::Address> at;
  std::vector<ContendedAccess> first;
  bool of_polls = false;             // of a loop that polls, the read by which it is left has a turn, too
  std::set<std::size_t> blind = {};  // turns, by number: atomics that acquire nothing of what they read
};

/// Whose turn it is. Nothing said: warps go round, each as far as it goes.
struct Schedule {
  bool reversed = false;
  std::optional<std::uint32_t> length;  // of a turn, in instructions
  std::optional<std::uint64_t> seed;    // of orders and lengths that differ from round to round
  std::vector<std::uint32_t> held;      // warps that go on when the others come no further
  bool late = false;                    // asynchronous operations complete when threads come no further
  bool apart = false;                   // no lane is active with another one, as activemask has it (R230)
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

class ConditionJudge;
class GridCover;

/// Which lanes of a warp access what of the rows of ldmatrix and stmatrix. A race that one shows counts if the next one shows it, too.
enum class MatrixRows : std::uint8_t {
  by_rows,        ///< each lane that reads elements of a row reads all of it
  by_lanes,       ///< each lane its elements (9.7.13.4.15): the letter
  in_warp_order,  ///< the same, in program order with what all lanes of the warp do (D48)
};

/// How much is told of accesses. With more, a race may turn out to be none, and no other one appears.
struct Detail {
  MatrixRows matrix_rows = MatrixRows::by_rows;
  /// The places of all atomics count where swaps are tried; these locations are known from an earlier run. Nothing: only as far as
  /// something may rest on them (dynamic/exec/swap_places.h).
  std::optional<std::set<trace::Address>> swaps;
};

/// Readings of the manual that a run takes in what instructions do.
struct Readings {
  bool first_fence_is_free = false;  ///< R245: the first wgmma.mma_async needs no wgmma.fence before it
  bool one_place = false;            ///< 9.7.12.1: warps come to an aligned barrier at one instruction
  bool lanes_are_named = false;      ///< R288: lane 0 in an address of tensor memory is lane 0 for each warp
  bool scales_are_apart = false;     ///< 9.7.16.6.2: scale factors are in no pair of operands
  friend bool operator==(const Readings&, const Readings&) = default;
};

struct Options {
  Schedule schedule;
  std::optional<Contents> contents;    ///< nothing: 0
  std::optional<std::uint64_t> steps;  ///< instructions of lanes; nothing: no limit
  Budget budget;
  bool waits_fail = false;  ///< each wait for an mbarrier object that would succeed at first fails once
  Readings readings;
  bool known_bits = false;  ///< tell which bits of open values are known (dynamic/exec/known_bits.h)
  bool counting = true;     ///< tell what decides of results that are but compared (ContendedAccess::counted)
  bool terms = false;       ///< tell which open values that are written are equal (dynamic/exec/terms.h)
  unsigned elected = 0;     ///< which lane of a membermask elect.sync chooses, from the first on (R227)
  /// take both ways of branches that data decides (dynamic/exec/both_branch_sides.h)
  bool both_sides = false;
  /// The judge for both ways, with terms: tell on which ways accesses are made (dynamic/exec/paths.h), and
  /// judge by one of these.
  std::function<std::unique_ptr<ConditionJudge>()> judge;
  bool exact_values = false;  ///< of who observes it: as trace::Options::exact_values
  /// what nothing has written yet may be anything; else it is 0, as in litmus tests
  bool open_registers = false;
  Turns turns;
  /// Locations whose accesses are all in order (trace::Detector::is_ordered): what a strong read takes there is no choice.
  std::map<trace::Address, std::uint8_t> ordered;  ///< with their bytes
  Detail detail;
  std::set<trace::Address> one_value;  ///< of which each loop that polls takes one (trace::Flags::Answer)
  /// Tell which blocks of the grid do the same, and what all of them access (dynamic/exec/block_values.h).
  std::shared_ptr<GridCover> grid;
  std::vector<Changed> changes;  ///< what is left out; what is weakened, is in the program (weaken)
  /// Asked now and then, and told how many instructions lanes have executed: why the run shall end.
  std::function<std::optional<End>(std::uint64_t)> stop;
};

using finding::RuleId;

/// What is wrong with a use, as far as the repair differs from that of its rule.
enum class Misuse : std::uint8_t {
  none,
  missing,     // an mbarrier object: nothing has initialized it
  remote,      // it is another CTA's
  place,       // it is no 8 aligned bytes of shared memory
  count,       // init gives it a number of arrivals that it cannot have
  twice,       // a second init
  bytes,       // more than a phase can expect
  arrivals,    // more than the phase expects
  state,       // which another object, or another kind of arrival, gave
  dangling,    // an address of a local variable of a function that has returned
  lanes,       // an operand that differs between the lanes of a warp
  warps,       // an operand that differs between the warps of a warpgroup
  asks_again,  // a request to cancel a launch, after one that failed
  map_rank,    // a tensor map of another number of dimensions
  reduction,   // which elements of the map's type do not have
  rows,        // rows of a tensor are at the same bytes
  returns,     // isa::TrapCause, and the next ones
  call,
  branch,
  assertion,
};

struct Fault {
  bool is_error() const { return !guessed && !elected && finding::severity_of(rule) == Severity::error; }
  /// The first one is the one whose repair is said.
  void note(Misuse one) {
    if (misuse == Misuse::none) misuse = one;
  }

  RuleId rule;
  trace::Site site = 0;
  trace::Thread thread = 0;  // the first
  std::string what;          // of the first
  std::uint64_t instances = 1;
  // an address that rests, in all instances, on contents of memory that the launch does not give
  bool guessed = false;
  // Out of bounds, behind an object: its name and bytes, and how many would be enough for all instances.
  std::string object = {};
  std::uint64_t bytes = 0, enough = 0;
  Misuse misuse = Misuse::none;
  std::optional<unsigned> elected = {};  // the runs that show it have elected this lane, others the lowest
};

/// A barrier of a CTA that is not complete, and never will be.
struct UnmetBarrier {
  std::uint32_t cta = 0, id = 0;
  std::uint32_t count = 0;                // threads that it waits for; 0: all of the CTA that have not exited
  std::uint32_t arrived = 0, exited = 0;  // threads; those that have exited and had not arrived
  std::vector<trace::Thread> missing;     // that have not exited
};

/// The phase of an mbarrier object for which threads wait.
struct UnmetPhase {
  trace::Phase phase = 0;
  std::optional<unsigned> parity = {};  // nothing: the wait is for a state
  std::uint32_t expected = 0, pending = 0;
  std::int64_t transactions = 0;
};

/// Threads that wait forever, at one instruction.
struct Waiting {
  trace::Site site = 0;
  std::string what;    // for what
  bool polls = false;  // memory, in a loop
  // in all threads a loop that goes round by contents of memory that the launch does not give
  bool guessed = false;
  std::vector<trace::Thread> threads;
  std::optional<trace::Address> at = {};     // the location that the first of them polls
  std::optional<UnmetBarrier> barrier = {};  // at which the first thread waits
  std::optional<UnmetPhase> phase = {};
};

/// Something that rests on more than ids and parameters.
enum class Decided : std::uint8_t {
  control,
  address,
  waiting,  // control, and only how long a loop that polls memory is not left
};
struct Decision {
  trace::Site site = 0;
  Decided what = Decided::control;
  Sources sources = 0;
  bool both_sides = false;  // control: lanes, or executions of the instruction, went each way
  friend auto operator<=>(const Decision&, const Decision&) = default;
};

/// Warps of a CTA that met at a barrier of all its threads, and came there by different instructions.
struct Met {
  std::uint32_t cta = 0, barrier = 0;
  std::map<trace::Site, std::vector<std::uint32_t>> warps;  // by their numbers in the run
  std::uint32_t first_warp = 0;                             // of the CTA
  friend bool operator==(const Met&, const Met&) = default;
};

struct Outcome {
  End end = End::finished;
  std::vector<Fault> faults;
  std::vector<Waiting> waiting;  // of a deadlock
  std::vector<Decision> decisions;
  std::vector<Met> met;         // each once
  std::set<trace::Site> apart;  // aligned barriers that warps came to at several instructions
  // accesses of another CTA's shared memory by an address that mapa did not make
  std::set<trace::Site> ranks;
  std::set<trace::Site> own_lanes;   // tcgen05.ld and tcgen05.st of lane 0, which stands for the warp's lanes
  std::set<trace::Site> exit_reads;  // dynamic/exec/exit_reads.h: of what another thread wrote later
  /// setmaxnreg that takes registers, or gives back some where their number is not known
  std::set<trace::Site> pools;
  std::set<trace::Site> reserved;    // accesses of the shared memory that is the system's
  std::set<trace::Site> remainders;  // rem and div of negative numbers, which leave a remainder
  std::set<trace::Site> products;    // that are rounded, and that a sum might take unrounded
  std::set<trace::Site> metadata;    // products of sparse matrices
  std::set<trace::Site> matrices;    // ldmatrix and stmatrix, of which MatrixRows says who accesses what
  std::set<trace::Address> swaps;    // where swaps are tried, if not all places counted there (Detail::swaps)
  std::set<trace::Site> global_waits;   // reads of loops that poll global memory
  std::set<trace::Site> avoided;        // branches where something open decides that no thread goes to a trap
  std::set<trace::Site> valid_targets;  // the same of a trap that no text has (isa::TrapCause)
  std::set<trace::Site> varies;  // stores to global memory of values that another schedule may give otherwise
  std::set<trace::Site> both_sides;  // branches that data decides of which both ways were taken
  /// The same of which they were not, as a way accesses what is not there for these contents.
  std::set<trace::Site> open_ways;
  std::vector<std::uint64_t> executed;  // lane-instructions, by site
  std::vector<ContendedAccess> turns;   // at the locations of Options::turns, in their order
  // all of them, and what each does is known; those that were to be first were, if they can be
  bool turns_told = true;
  // the first ones were not first: barriers or exchanges that order nothing let no thread have that order
  bool kept_by_execution = false;
  // the same: loops that wait, which other first contents of memory may let go on
  bool kept_by_contents = false;
  std::uint64_t instructions = 0;  // of lanes, all together
  std::uint64_t warp_instructions = 0;
  double seconds = 0;
};

class Machine;

class Run {
 public:
  /// Decodes the program. Throws InputError with every instruction that is not supported.
  Run(const program::Program& program, trace::Observer* observer,
      std::span<const program::InnerMap> inner_maps = {});
  ~Run();

  Outcome run(const Options& options);

  // ---- Sites and threads -------------------------------------------------------------------------------------
  std::size_t sites() const;
  std::uint32_t warps() const;
  const program::Instruction& instruction(trace::Site site) const;
  /// loops.h
  std::optional<std::vector<trace::Site>> loops_around(trace::Site site) const;
  /// The thread of the program, by its number in the trace.
  const program::Thread& thread(trace::Thread thread) const;
  /// What is at an address: "bins[17]", or "buffer+12" where elements are not known.
  std::string name_of(trace::Address address) const;
  /// Bytes that are accessed together: "4 bytes at bins[17]", "4 bytes at buffer+12 (4-byte element 3)".
  std::string text_of(trace::Range bytes) const;
  /// The same as data; nothing where no variable or buffer of the program has them.
  std::optional<NamedBytes> object_at(trace::Range bytes) const;
  /// The variable in global memory that has this address.
  std::optional<trace::Range> global_variable_at(trace::Address address) const;

  // ---- The final state ---------------------------------------------------------------------------------------
  struct Value {
    std::uint64_t bits = 0;
    Sources sources = 0;
  };
  /// An element of a variable (of shared memory: of the first CTA).
  Value memory(const std::string& variable, std::uint32_t element = 0) const;
  /// What is at an address now; nothing where that rests on more than ids and parameters.
  std::optional<trace::Bits> content(trace::Address at, std::uint32_t bytes) const;
  /// A register of a thread, by the thread's number in the program.
  Value reg(int thread, const std::string& name) const;

 private:
  std::unique_ptr<Machine> machine_;
};

}  // namespace ptxmc::exec
