// SPDX-License-Identifier: Apache-2.0
// ProgramGraph: a bounded program as guarded events with symbolic values.
//
// Events are numbered 0..n-1: initial writes first, then thread by thread in program order. An event exists
// in an execution iff its guard is true there. Everything is acyclic: loops are unrolled, spin loops are one
// constrained read. Engines read the part "for engines" only; base.h turns the PTX part into base sets and
// relations.
//
// Memory is divided into cells: the coarsest partition of the bytes that no access splits (8.2.2). Most
// accesses cover one cell; one that covers more has a Part for each further cell. A slot is one cell of one
// access: slot s < size() is the first cell of event s, slot size() + k is parts[k]. Values, sources of reads
// and final writes belong to slots; relations to whole events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/event/expr.h"
#include "finding/rules.h"
#include "ptx/isa/isa.h"
#include "support/origins.h"
#include "support/source.h"

namespace ptxmc::event {

using ThreadId = std::uint32_t;
constexpr ThreadId kNoThread = ~ThreadId{0};
using CellId = std::uint32_t;
constexpr CellId kNoCell = ~CellId{0};
using SlotId = std::uint32_t;
constexpr SlotId kNoSlot = ~SlotId{0};

enum class EventKind : std::uint8_t {
  initial_write,
  read,
  write,
  fence,
  proxy_fence,
  arrival,
  wait,
  end,
  api,       // start of a kernel's thread, griddepcontrol.wait, a host's API call (8.9.4)
  mbarrier,  // an operation on an mbarrier object that neither arrives nor waits: init, inval, expect_tx,
             // complete_tx
  issue,     // an asynchronous operation is issued (8.9.1.1)
  signal,    // one completes: an arrival or complete-tx on an mbarrier, not in program order
  group,     // commit_group, wait_group, wgmma.fence, griddepcontrol.launch_dependents and the like
};

/// What a tcgen05 instruction is to the order of tensor memory (9.7.16.6).
enum class TensorOp : std::uint8_t {
  none,
  mma,
  cp,
  cp_4x256b,
  shift,
  ld,
  st,
  alloc,
  dealloc,
  relinquish,
  commit,
  before,  // fence::before_thread_sync
  after    // fence::after_thread_sync
};

/// Attributes of the issue event of a tcgen05 instruction, or of its fence; the base relations `pair` and
/// `operands` compare them.
struct TensorIssue {
  TensorOp op = TensorOp::none;
  std::uint8_t cta_group = 0;
  bool mixed = false;        // code of its kernel that is not executed has another .cta_group
  std::uint32_t memory = 0;  // whose tensor memory: the CTA instance, or the lower one of the CTA pair
  std::uint16_t m = 0, n = 0, k = 0;  // shape of an mma
  Value address = 0;                  // of the D of an mma, of what dealloc frees
  std::uint32_t columns = 0;          // that alloc asks for
};

/// PTX attributes of an event; engines do not look at them.
struct Labels {
  isa::Semantics semantics = isa::Semantics::weak;
  isa::Scope scope = isa::Scope::none;
  isa::Proxy proxy = isa::Proxy::generic;  // of an access, or the kind of a proxy fence
  isa::Space space = isa::Space::generic;
  std::uint32_t name = 0;          // accesses: index into ProgramGraph::names, the virtual name used
  std::uint32_t generic_name = 0;  // the generic name that `name` maps to (itself for generic names)
  bool no_return = false;          // half of a red, or of an atom whose destination is `_` (D18)
  bool atomic = false;             // half of an atom or red
  bool init_only = false;          // fence.mbarrier_init: no fence for anything but mbarrier.init (R185)
  bool reads_only = false;         // a proxy fence that releases the reads of its thread alone (9.7.12.4)
  bool wgmma = false;              // issue of a wgmma.mma_async, or a wgmma.fence (9.7.14)
  bool launches = false;           // griddepcontrol.launch_dependents (9.7.12.13)
  bool frees = false;              // what tcgen05.dealloc does to it; `allocates` is set too
  bool allocates = false;          // what tcgen05.alloc or dealloc does to tensor memory
  bool multiplicand = false;       // A, metadata or scale factors of a tcgen05.mma in tensor memory
  bool unpaired = false;           // scale factors, where no pair has them (reading scale-factors)
  bool tile = false;               // an asynchronous copy: the size of its elements is unspecified (8.7.2)
  /// In tensor memory: where the operand of the access begins, lane << 16 | column.
  Value begin = 0;
};

/// What a barrier event acts on; arrival and wait events only (9.7.12.1).
struct Barrier {
  bool instance_first = false;  // short form bar.cta: arrivals pair iff instance and id are equal
  bool warp = false;            // bar.warp.sync: the object is the thread's warp (9.7.12.2)
  bool exchange = false;  // shfl.sync and the like: lanes meet, which orders no memory (9.7.8.6, D22); `warp`
                          // is set, `instance` tells their kinds apart
  bool cluster = false;   // barrier.cluster: the object is the thread's cluster (9.7.12.3); wait and arrival
                          // are separate instructions
  Value instance = 0;
  Expr id;                    // barrier number, any width; bar.warp.sync: the membermask
  std::optional<Expr> count;  // in litmus threads after conversion; absent: all
  EventId wait = kNoEvent;    // of an arrival by sync/red: its wait event
};

/// What an operation on an mbarrier object does (9.7.12.15). An arrival is EventKind::arrival, a test_wait or
/// try_wait that returned true EventKind::wait, the others EventKind::mbarrier; the completion signals of
/// asynchronous operations EventKind::signal (they arrive or complete a transaction).
enum class MbarrierOp : std::uint8_t {
  init,
  inval,
  expect_tx,
  complete_tx,
  arrive,
  arrive_drop,
  wait,
  signal,
  test_failed  // a test_wait that returned false: the phase is incomplete at that point
};

/// An operation on an mbarrier object. Counts are in arrivals as written; tx-counts in bytes.
struct Mbarrier {
  MbarrierOp op = MbarrierOp::arrive;
  Expr object;              // address of the object, any width
  std::uint32_t owner = 0;  // the CTA instance whose shared memory holds it
  // init: expected arrivals; arrive, arrive_drop, signal: arrivals; absent: 1 (signal: none)
  std::optional<Expr> count;
  std::optional<Expr> tx;     // expect_tx, arrive.expect_tx: added; complete_tx, signal: subtracted
  bool no_complete = false;   // arrive.noComplete: must not complete the phase
  bool small_counts = false;  // init: of an object of layout v1
  // cp.async.mbarrier.arrive without .noinc: the issue adds what the signal takes (D..)
  bool increments_pending = false;
  std::optional<Expr> token;  // wait on a state: value of the register that an arrive returned; of an arrive,
                              // that value, where it is not that of its number (state_of)
  std::optional<Expr> parity;  // wait.parity: the operand
  std::optional<Expr> seen;    // arrive.noComplete: the pending count that its state tells (pending_count), a
                               // choice that the phase machine admits or not
};

struct Event {
  // ---- for engines ----
  EventKind kind = EventKind::read;
  ThreadId thread = kNoThread;   // kNoThread: initial write
  Expr guard;                    // truth value: the event exists
  CellId cell = kNoCell;         // physical memory cell of an access, the first one
  Expr value;                    // write: what it stores there; read: its own value_of atom
  std::uint32_t first_part = 0;  // further cells: parts[first_part] .. parts[first_part + part_count - 1]
  std::uint32_t part_count = 0;
  // initial write of a value that the analysis picks: those to consider; `value` is its value_of
  std::vector<Value> choices;
  EventId rmw_partner = kNoEvent;  // other half of an atomic
  // ---- PTX ----
  // the first event of the vector or packed access that this is an element of (8.2.4, 8.2.5)
  EventId vector = kNoEvent;
  std::optional<Expr> address;  // of an access whose address is not constant
  Labels labels;
  std::optional<Barrier> barrier;
  std::optional<Mbarrier> mbarrier;
  TensorIssue tensor;         // of tcgen05 instructions
  EventId issue = kNoEvent;   // of an asynchronous access or completion signal: the issue event of its
                              // operation; such an event is not in program order (8.9.1.1)
  std::vector<CellId> named;  // memory that no access is of: the cells of an mbarrier operation's object, or
                              // of the range that a proxy fence names (fence.proxy.tensormap acquire)
  // The instruction; nop: there is none (an initial write, the end of a thread)
  isa::Opcode opcode = isa::Opcode::nop;
  isa::Spelling spelling;
  bool bulk = false;  // commit_group, wait_group: of bulk copies
  Position position;  // of the instruction
  std::string text;   // the instruction as written, to be quoted: nothing is concluded from it
  bool is_read() const { return kind == EventKind::read; }
  bool is_write() const { return kind == EventKind::write || kind == EventKind::initial_write; }
  bool is_access() const { return is_read() || is_write(); }
};

/// A further cell of an access that covers several (see Event::first_part). A read's value there is
/// value_of(event, width, k) for its part number k = 1, 2, ...
struct Part {
  EventId event = kNoEvent;
  CellId cell = kNoCell;
  Expr value;
};

/// One cell of one access.
struct Slot {
  EventId event = kNoEvent;
  CellId cell = kNoCell;
  Expr value;
};

/// A point where control flow depends on values: `condition` matters iff `guard` is true. Guards of events
/// are built from conditions of earlier decisions, so an assignment of the decisions (a path) fixes which
/// events exist.
struct Decision {
  ThreadId thread = kNoThread;
  Expr condition;  // truth value, never constant
  Expr guard;      // truth value over conditions of earlier decisions
};

/// Something a state shows: a register's final value or a memory cell's.
struct Observable {
  std::string name;  // as herd prints it: "1:r0", "[x]", "a[1]"
  Expr value;        // over value_of and final_value atoms
  Width width = 64;
  bool is_signed = true;  // how to print and to compare
  bool is_memory = false;
};

struct ThreadInfo {
  int number = 0;  // the N of PN
  bool host = false;
  int gpu = 0;
  // grid or host function it is part of; absent: the test states no kernels
  std::optional<std::uint32_t> kernel;
  std::uint32_t cluster = 0;  // program-wide instance numbers: equal iff same cluster / CTA
  std::uint32_t cta = 0;
  std::optional<int> warp;                  // number in its CTA; absent: a warp of its own
  std::uint32_t lanes = ~std::uint32_t{0};  // of its warp, that it stands for: all 32, or one
};

struct Cell {
  std::string name;                  // of the variable (or element) that owns it
  Width width = 64;                  // of its values
  std::optional<std::uint32_t> cta;  // .shared: the owning CTA instance
};

/// A virtual name: the variable itself, or an alias.
struct VirtualName {
  std::string name;
  isa::Proxy proxy = isa::Proxy::generic;
};

/// A place where a thread may wait forever (lowering for liveness only).
struct Hang {
  enum class Kind : std::uint8_t { spin, barrier, phase };
  Kind kind = Kind::spin;
  ThreadId thread = kNoThread;
  // spin: an `end` event of the thread, which exists iff it spins here; barrier: the arrival; phase
  // (mbarrier, barrier.cluster): an `end` event that carries the wait's operands
  EventId event = kNoEvent;
  Expr guard;                  // truth value: the thread waits here forever
  std::vector<EventId> reads;  // spin: the reads of the turn that repeats, where they exist
  Position position;           // of the loop's header, or of the barrier instruction
  // spin: each read and fence of that turn, and the same in the turn after it
  std::vector<std::pair<EventId, EventId>> again = {};
};

/// An mbarrier object that is initialised before the program starts.
struct InitialMbarrier {
  std::uint32_t owner = 0;  // CTA instance
  Value object = 0;         // address
  Value count = 0;          // expected arrivals
};

/// What a test must not do: an execution in which `guard` holds has undefined behaviour.
struct Misuse {
  finding::RuleId rule = finding::RuleId::trap;
  Expr guard;         // truth value
  Position position;  // of the instruction
  std::string text;   // the instruction as written
};

enum class Goal : std::uint8_t { exists, not_exists, forall };

struct ProgramGraph {
  OriginsPtr origins;  // of the lines of positions; null: unknown
  ExprPool exprs;
  std::vector<Event> events;
  std::vector<Part> parts;
  std::vector<ThreadInfo> threads;
  std::vector<Cell> cells;
  std::vector<VirtualName> names;
  std::vector<Decision> decisions;  // in evaluation order
  // truth values that every execution satisfies (spin-loop exits, no cut path)
  std::vector<Expr> assumptions;
  bool cut = false;            // an unrolling bound cut a path that constants do not exclude: herd's Loop
  bool unbounded = false;      // integers are unbounded
  bool meetings_open = false;  // results of exchanges follow from some of the ways in which barriers meet:
                               // "none found" is then Unknown
  std::vector<Observable> observables;  // what states list, in printing order
  Expr proposition;                     // over atoms; the condition under the quantifier
  Expr filter;                          // executions that do not meet it are dropped (true: none)
  Goal goal = Goal::exists;
  std::vector<std::pair<EventId, EventId>> api_sync;  // API synchronization (8.9.4): base relation hostsync
  // griddepcontrol.launch_dependents -> start of a thread of a dependent grid: base relation dependents
  std::vector<std::pair<EventId, EventId>> dependents;
  // asynchronous access -> signal of its completion: base relation own
  std::vector<std::pair<EventId, EventId>> tracked;
  // asynchronous access -> group wait of its thread: base relation done
  std::vector<std::pair<EventId, EventId>> completed;
  // issue of a tcgen05.alloc -> issue of a dealloc of its columns: base relation freed
  std::vector<std::pair<EventId, EventId>> freed;
  // read -> write of a value that depended on it, and that is left out (drop_values)
  std::vector<std::pair<EventId, EventId>> dependencies;
  // read that a waiting loop is left by -> write behind the loop (base relation dep)
  std::vector<std::pair<EventId, EventId>> exits;
  std::vector<Misuse> misuses;
  // cells that one final value is put together from: a read of them all, after the end
  std::vector<std::vector<CellId>> final_reads;
  std::vector<InitialMbarrier> mbarriers;
  std::vector<Hang> hangs;                             // empty unless lowered for liveness
  std::vector<std::pair<Value, std::string>> symbols;  // values that print as names: addresses

  std::size_t size() const { return events.size(); }
  std::size_t slot_count() const { return events.size() + parts.size(); }
  Slot slot(SlotId s) const;
  /// Slot number k of event e: k = 0 is its first cell.
  SlotId slot_of(EventId e, std::size_t k) const;
  /// The slot that a value_of atom names.
  SlotId slot_of(const Node& atom) const {
    return slot_of(atom.atom, static_cast<std::size_t>(atom.constant));
  }
  std::size_t slots_of(EventId e) const { return 1 + events[e].part_count; }
  /// The slot in which e accesses a cell; kNoSlot: it does not.
  SlotId slot_at(EventId e, CellId cell) const;
  bool covers(EventId e, CellId cell) const { return slot_at(e, cell) != kNoSlot; }
};

/// Bytes of two writes that both write all of these, one cell from each: no read takes that (8.9.7, reading
/// "tearing").
bool torn_between(const ProgramGraph& graph, EventId a, CellId from_a, EventId b, CellId from_b);

/// Truth of each decision: a path. unset = its guard is false (or not assigned yet).
enum class Truth : std::int8_t { no, yes, unset };
using Assignment = std::vector<Truth>;

/// Value of a guard or other Boolean combination of decision conditions under a (partial) assignment.
std::optional<bool> evaluate_guard(const ProgramGraph& graph, Expr guard, const Assignment& assignment);
/// Whether an event with this guard exists on a whole path. A guard that the path leaves open rests on a value that another
/// thread was to bring to an exchange where it never comes; so the exchange never ends, and what is behind it does not exist.
bool exists_on(const ProgramGraph& graph, Expr guard, const Assignment& path);

/// False: the decision's condition says that a value is one number, where the assignment has it as another.
bool may_hold(const ProgramGraph& graph, std::size_t decision, const Assignment& assignment);

/// All full assignments, but for some that contradict themselves (may_hold): every decision whose guard is true is yes or no, the others unset.
/// Stops and returns nothing when there are more than `limit`.
std::optional<std::vector<Assignment>> enumerate_assignments(const ProgramGraph& graph, std::size_t limit);

}  // namespace ptxmc::event
