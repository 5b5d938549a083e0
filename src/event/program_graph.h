// SPDX-License-Identifier: Apache-2.0
// ProgramGraph: a bounded program as guarded events with symbolic values.
//
// Events are numbered 0..n-1: initial writes first, then thread by thread in program order. An event exists in an
// execution iff its guard is true there. Everything is acyclic: loops are unrolled, spin loops are one constrained read.
// Engines read the part "for engines" only; base.h turns the PTX part into base sets and relations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/expr.h"
#include "isa/isa.h"
#include "support/source.h"

namespace ptxmc::event {

using ThreadId = std::uint32_t;
constexpr ThreadId kNoThread = ~ThreadId{0};
using CellId = std::uint32_t;
constexpr CellId kNoCell = ~CellId{0};

enum class EventKind : std::uint8_t { initial_write, read, write, fence, proxy_fence, arrival, wait, end };

/// PTX attributes of an event; engines do not look at them.
struct Labels {
  isa::Semantics semantics = isa::Semantics::weak;
  isa::Scope scope = isa::Scope::none;
  isa::Proxy proxy = isa::Proxy::generic;  // of an access, or the kind of a proxy fence
  isa::Space space = isa::Space::generic;
  std::uint32_t name = 0;       // accesses: index into ProgramGraph::names, the virtual name used
  std::uint32_t generic_name = 0;  // the generic name that `name` maps to (itself for generic names)
  bool no_return = false;       // half of a red, or of an atom whose destination is `_` (D18)
  bool atomic = false;          // half of an atom or red
};

/// What a barrier event acts on; arrival and wait events only (9.7.12.1).
struct Barrier {
  bool instance_first = false;  // short form bar.cta: arrivals pair iff instance and id are equal
  Value instance = 0;
  Expr id;                      // barrier number, any width
  std::optional<Expr> count;    // in litmus threads after conversion; absent: all
  EventId wait = kNoEvent;      // of an arrival by sync/red: its wait event
};

struct Event {
  // ---- for engines ----
  EventKind kind = EventKind::read;
  ThreadId thread = kNoThread;  // kNoThread: initial write
  Expr guard;                   // truth value: the event exists
  CellId cell = kNoCell;        // physical memory cell of an access
  Expr value;                   // write: what it stores; read: its own value_of atom
  std::vector<Value> choices;   // initial write of an unknown constant: the values to consider; `value` is its value_of
  EventId rmw_partner = kNoEvent;  // other half of an atomic
  // ---- PTX ----
  Labels labels;
  std::optional<Barrier> barrier;
  Position position;            // of the instruction
  std::string text;             // the instruction as written, for reports
  bool is_read() const { return kind == EventKind::read; }
  bool is_write() const { return kind == EventKind::write || kind == EventKind::initial_write; }
  bool is_access() const { return is_read() || is_write(); }
};

/// A point where control flow depends on values: `condition` matters iff `guard` is true. Guards of events are built
/// from conditions of earlier decisions, so an assignment of the decisions (a path) fixes which events exist.
struct Decision {
  ThreadId thread = kNoThread;
  Expr condition;  // truth value, never constant
  Expr guard;      // truth value over conditions of earlier decisions
};

/// Something a state shows: a register's final value or a memory cell's.
struct Observable {
  std::string name;      // as herd prints it: "1:r0", "[x]", "a[1]"
  Expr value;            // over value_of and final_value atoms
  Width width = 64;
  bool is_signed = true; // how to print and to compare
  bool is_memory = false;
};

struct ThreadInfo {
  int number = 0;        // the N of PN
  bool host = false;
  int gpu = 0;
  std::uint32_t cluster = 0;  // program-wide instance numbers: equal iff same cluster / CTA
  std::uint32_t cta = 0;
};

struct Cell {
  std::string name;      // of the variable (or element) that owns it
  Width width = 64;      // of its values
  std::optional<std::uint32_t> cta;  // .shared: the owning CTA instance
};

/// A virtual name: the variable itself, or an alias.
struct VirtualName { std::string name; isa::Proxy proxy = isa::Proxy::generic; };

enum class Goal : std::uint8_t { exists, not_exists, forall };

struct ProgramGraph {
  ExprPool exprs;
  std::vector<Event> events;
  std::vector<ThreadInfo> threads;
  std::vector<Cell> cells;
  std::vector<VirtualName> names;
  std::vector<Decision> decisions;       // in evaluation order
  std::vector<Expr> assumptions;         // truth values that every execution satisfies (spin-loop exits, no cut path)
  bool cut = false;                      // an unrolling bound cut a path that constants do not exclude: herd's Loop
  bool unbounded = false;                // integers are unbounded
  bool symbolic_arithmetic = false;      // an unknown initial value flows into arithmetic or an order comparison:
                                         // "none found" is then Unknown
  std::vector<Observable> observables;   // what states list, in printing order
  Expr proposition;                      // over atoms; the condition under the quantifier
  Expr filter;                           // states that do not satisfy it are dropped (true: none)
  Goal goal = Goal::exists;
  std::vector<std::pair<Value, std::string>> symbols;  // values that print as names: addresses, unknown constants

  std::size_t size() const { return events.size(); }
};

/// Truth of each decision: a path. unset = its guard is false (or not assigned yet).
enum class Truth : std::int8_t { no, yes, unset };
using Assignment = std::vector<Truth>;

/// Value of a guard or other Boolean combination of decision conditions under a (partial) assignment.
std::optional<bool> evaluate_guard(const ProgramGraph& graph, Expr guard, const Assignment& assignment);

/// All full assignments: every decision whose guard is true is yes or no, the others unset.
/// Stops and returns nothing when there are more than `limit`.
std::optional<std::vector<Assignment>> enumerate_assignments(const ProgramGraph& graph, std::size_t limit);

}  // namespace ptxmc::event
