// SPDX-License-Identifier: Apache-2.0
// What the lowering of all threads of a program shares.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/memory/errors.h"
#include "axiomatic/lower/memory/layout.h"
#include "axiomatic/lower/memory/places.h"
#include "axiomatic/lower/memory/reach.h"
#include "axiomatic/lower/memory/typed.h"
#include "axiomatic/lower/unit/body_analysis.h"
#include "axiomatic/lower/unit/exchange.h"
#include "axiomatic/lower/unit/nondeterministic_choices.h"
#include "axiomatic/lower/unit/options.h"
#include "axiomatic/lower/unit/tasks.h"
#include "ptx/isa/warp.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

class ReadsExist;

/// Events of a program that is lowered: beyond it no engine has a chance.
constexpr std::size_t kMaxEvents = 4096;
[[noreturn]] void fail_too_many(const Errors& errors, Position position);

constexpr event::Value kWarp = isa::kWarp;              // lanes
constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};  // of a thread that stands for a warp

/// A loop of a thread, by its index in the analysis of the body.
using ThreadLoop = std::pair<event::ThreadId, std::size_t>;

/// What every run over a program starts from.
struct Request {
  const program::Program& program;
  const Options& options;
  const Errors& errors;
  BodyAnalyses& bodies;
  std::set<ThreadLoop> tried;  ///< pure spin loops of which a turn that fails is kept (finish/spins.cpp)
  /// loops that spin but for an atomic that may change memory in a turn that fails
  std::set<ThreadLoop> unrolled;
};

/// One run over the program (the survey or the real one).
struct Unit : Request {
  /// `symbolic`: addresses are terms.
  Unit(const Request& request, Layout& l, bool symbolic)
      : Request(request),
        layout(l),
        places(program, l, symbolic, options.unbounded, options.readings.null_is_address) {
    if (program.kernels.stated) tasks = program::plan_tasks(program);
  }

  Layout& layout;
  VariablePlaces places;
  event::ProgramGraph graph;
  std::vector<Exchange> exchanges;                     ///< that wait for other threads' operands
  std::map<std::string, event::Value> exchange_kinds;  ///< by mnemonic, from 1
  std::vector<std::vector<Typed>> final_registers;     ///< per thread, by index; none: it never ends
  // API synchronization (tasks.h):
  std::optional<program::TaskPlan> tasks;  ///< none: the program states no kernels
  ApiEvents api;
  /// What lanes of one warp must do alike (finish/divergence.cpp), in program order per thread.
  struct Converged {
    event::ThreadId thread = 0;
    event::Expr guard;                 ///< the lane comes there
    std::optional<event::Expr> taken;  ///< bra.uni: its condition; absent: an aligned barrier, or an exit
    bool exits = false;                ///< by a guarded exit: then `guard` is that it does
    std::string text = {};
    Position position = {};
  };
  std::vector<Converged> converged;
  std::uint32_t queries = 0;       ///< seen so far
  std::uint32_t active_masks = 0;  ///< seen so far
  /// Allocations and deallocations of tensor memory, in the order of lowering (finish/tensor.cpp).
  struct TensorChange {
    event::EventId issue = event::kNoEvent;
    std::uint32_t cta = 0;
    std::int64_t column = 0, columns = 0;
    bool exclusive = false;
  };
  std::vector<TensorChange> allocations, deallocations;
  std::uint32_t polls = 0;           ///< mbarrier waits outside of spin loops, seen so far
  std::uint32_t pending_counts = 0;  ///< states of arrive.noComplete, seen so far
  /// arrive.noComplete -> "the pending count was 0, 1 ..." (families/mbarriers.cpp)
  std::map<event::EventId, std::vector<event::Expr>> pending_of;
  Reach reach;  ///< where computed addresses may point
  /// Turns that stand for pure spin loops, with the events from `first` to before `last`.
  struct SpinEvents {
    ThreadLoop loop;
    std::size_t first = 0, last = 0;
    /// an atomic of a turn that fails would change memory: no value of its cell may make it true
    event::Expr changes;
    event::Expr leaves;  ///< that turns before the last have failed, and that it leaves the loop
  };
  std::vector<SpinEvents> spins;
  // For liveness:
  NondeterministicChoices nondeterministic_choices;
  std::uint32_t barrier_waits = 0;  ///< seen so far
  std::set<event::Expr> blocks;     ///< "this wait never ends", of each, and the contrary
  std::vector<event::Expr> ends;    ///< per thread: it comes to its end
  std::vector<event::Expr> cuts;    ///< paths that the unrolling bound cuts off

  event::ExprPool& pool() { return graph.exprs; }
  event::Width word() const { return width_of(64, options.unbounded); }  ///< of untyped values

  /// Adds the decisions that make `condition` known wherever `guard` is true. Conditions are split into
  /// leaves (axiomatic/event/guards.h), each of which is decided where the reads that it rests on exist; a leaf that was
  /// decided before under a weaker guard is not decided again.
  void decide(event::ThreadId thread, event::Expr condition, event::Expr guard);
  event::EventId add_event(event::Event event);
  /// An access of several cells: `further` are those after event.cell.
  event::EventId add_event(event::Event event, std::vector<event::Part> further);
  /// Every execution satisfies `condition` wherever `guard` is true.
  void assume(event::Expr condition, event::Expr guard);

  struct Mark {
    std::size_t events, parts, decisions, assumptions, exchanges, misuses, choices, tracked, completed,
        allocations, deallocations, converged;
    std::map<event::Expr, event::Expr> decided;
  };
  Mark mark() const;
  void roll_back(const Mark& mark);
  void roll_back_decisions(const Mark& mark);
  void forget_decisions();  ///< all of them

 private:
  /// `exist`: where the leaf has a value; null: wherever the guard holds.
  void decide_leaf(event::ThreadId thread, event::Expr leaf, event::Expr guard, ReadsExist* exist);

  std::map<event::Expr, event::Expr> decided_;  // leaf -> where it has been decided
};

/// The value of an element, 64 bits of it, before the program starts; nothing when it is an unknown constant
/// (8.2.6, R14).
std::optional<event::Expr> initial_element(Unit& unit, VariableId id, std::int64_t element);

}  // namespace ptxmc::lower
