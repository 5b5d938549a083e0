// SPDX-License-Identifier: Apache-2.0
// Symbolic execution of one thread; internal to this folder. The members are spread over files by instruction
// family: flow.cpp (control flow), spin.cpp, registers.cpp, arithmetic.cpp, memory.cpp, atomics.cpp,
// barrier_events.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lower/loops.h"
#include "lower/unit.h"

namespace ptxmc::lower {

class ThreadLowering {
 public:
  ThreadLowering(Unit& unit, event::ThreadId thread);

  /// Appends the thread's events to the graph, its END event last; returns the final registers by name.
  std::map<std::string, Typed> run();

 private:
  using Instruction = litmus::Instruction;
  using Operand = litmus::Operand;
  using Expr = event::Expr;
  using Width = event::Width;

  /// How often the path has entered a loop, and the guard of the current turn.
  struct Turn {
    std::size_t loop = 0;
    std::uint32_t trip = 1;
    Expr header_guard;
  };
  /// A set of paths that are at one place: they share a guard and registers.
  struct State {
    Expr guard;
    std::vector<Typed> registers;
    std::vector<Turn> turns;  // of the enclosing loops, outer first
  };
  /// A place in the unrolled program: (begin, trip) of each enclosing loop, then the instruction. The
  /// lexicographic order of keys is a topological order of the unrolled program.
  using Key = std::vector<std::uint32_t>;

  /// Where an instruction acts, after its address was resolved.
  struct Access {
    event::CellId cell = event::kNoCell;
    VariableId name = 0;
    bool is_signed = true;
    Width width = 64;
  };
  struct Cas {
    event::EventId write = event::kNoEvent;
    Expr success;
  };

  // ---- flow.cpp ----
  void resolve_labels();
  Flow flow_of(const Instruction& instruction) const;
  void step(std::size_t at, State state);
  void branch(std::size_t at, State state, Expr condition);
  void go(std::size_t from, std::size_t to, State state, Expr condition);
  std::optional<std::size_t> loop_of_jump(std::size_t from, std::size_t to) const;
  void arrive(std::size_t to, State state, std::optional<std::size_t> again);
  std::uint32_t bound(const Turn& turn, Expr guard) const;
  State merge(std::vector<State> incoming);
  Typed merge(const Typed& a, const Typed& b, Expr take_b);
  Expr branch_condition(const Instruction& instruction, const State& state);
  void execute(const Instruction& instruction, State& state);
  // ---- spin.cpp ----
  bool spin(const Loop& loop, State& state);

  // ---- registers.cpp ----
  [[noreturn]] void fail(Position position, const std::string& message) const;
  std::size_t register_index(const std::string& name) const { return indices_.at(name); }
  Typed read_register(const State& state, const std::string& name) const;
  Expr read_number(const State& state, const std::string& name, Width width, Position position);
  Expr read_predicate(const State& state, const std::string& name, bool negated, Position position);
  Expr operand(const State& state, const Operand& operand, Width width);  ///< any source operand at a width
  Expr predicate_operand(const State& state, const Operand& operand);
  void write_register(State& state, const Instruction& instruction, const Operand& destination, Typed value);
  void write_named(State& state, const Instruction& instruction, const std::string& name, Position position,
                   Typed value);
  Expr predicate(const Instruction& instruction, const State& state);  ///< @p; true without one
  Expr event_guard(const Instruction& instruction,
                   const State& state);  ///< path and predicate; adds decisions
  const Operand& operand_at(const Instruction& instruction, std::size_t i) const;
  Width operation_width(const Instruction& instruction) const;
  bool operation_signed(const Instruction& instruction) const;

  // ---- arithmetic.cpp ----
  void arithmetic(const Instruction& instruction, State& state);
  void multiply(const Instruction& instruction, State& state);
  void shift(const Instruction& instruction, State& state);
  void set_predicate(const Instruction& instruction, State& state);
  void select(const Instruction& instruction, State& state);
  void convert(const Instruction& instruction, State& state);

  // ---- memory.cpp, atomics.cpp ----
  Location locate(const Instruction& instruction, const Operand& operand, const State& state);
  Access access(const Instruction& instruction, const Operand& operand, const State& state);
  void check_space(const Instruction& instruction, VariableId id, Position position) const;
  void check_host(const Instruction& instruction) const;
  event::Event new_event(event::EventKind kind, const Instruction& instruction, Expr guard) const;
  event::Event access_event(event::EventKind kind, const Instruction& instruction, Expr guard,
                            const Access& access);
  Expr add_read(event::Event read, const Access& access, event::EventId& id);
  void load(const Instruction& instruction, State& state);
  void store(const Instruction& instruction, State& state);
  void fence(const Instruction& instruction, State& state);
  void atomic(const Instruction& instruction, State& state);
  Expr combine(const Instruction& instruction, const Access& access, Expr old, Expr value);

  // ---- barrier_events.cpp ----
  void barrier(const Instruction& instruction, State& state);
  event::Barrier barrier_operands(const Instruction& instruction, const State& state);
  std::optional<Expr> barrier_count(const Instruction& instruction, const State& state, std::size_t place);
  void barrier_result(const Instruction& instruction, State& state, event::EventId arrival,
                      event::EventId wait);

  Unit& unit_;
  event::ThreadId thread_;
  const litmus::Thread& source_;
  const event::ThreadInfo& info_;
  std::map<std::string, std::size_t> labels_;
  std::vector<Flow> flow_;
  CodeLoops loops_;
  std::vector<std::string> names_;              // registers by index
  std::map<std::string, std::size_t> indices_;  // and back
  std::map<std::string, isa::Type> declared_;
  std::vector<bool> spins_;  // per loop: still taken for a pure spin loop
  std::map<Key, std::vector<State>> pending_;
  std::size_t steps_ = 0;
  std::optional<Cas> last_cas_;
};

}  // namespace ptxmc::lower
