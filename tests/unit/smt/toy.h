// SPDX-License-Identifier: Apache-2.0
// Hand-built program graphs and toy models: the engine must work on any signature, with no PTX in sight.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "axiomatic/engine/smt/smt.h"
#include "model/cat/read.h"

namespace ptxmc::toy {

enum Base : std::uint32_t { kW, kR, kIW, kPo, kLoc, kRf, kRmw, kDep, kBases };

inline const relation::Signature& signature() {
  using relation::Provider;
  using relation::Sort;
  static const relation::Signature rows({{"W", Sort::set, Provider::fixed, "", ""},
                                         {"R", Sort::set, Provider::fixed, "", ""},
                                         {"IW", Sort::set, Provider::fixed, "", ""},
                                         {"po", Sort::relation, Provider::fixed, "", ""},
                                         {"loc", Sort::relation, Provider::fixed, "", ""},
                                         {"rf", Sort::relation, Provider::reads_from, "", ""},
                                         {"rmw", Sort::relation, Provider::fixed, "", ""},
                                         {"dep", Sort::relation, Provider::fixed, "", ""}});
  return rows;
}

/// Builds a program event by event; cells are numbered from 0 and start at zero.
class Program {
 public:
  explicit Program(std::size_t cells, event::Width width = 32, std::vector<event::Value> choices = {0})
      : width_(width) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      graph.cells.push_back(
          {"x" + std::to_string(cell), width == event::kUnbounded ? event::Width{64} : width, {}});
      event::Event event;
      event.kind = event::EventKind::initial_write;
      event.guard = graph.exprs.truth(true);
      event.cell = static_cast<event::CellId>(cell);
      const auto id = static_cast<event::EventId>(graph.events.size());
      if (choices.size() == 1) {
        event.value = constant(choices.front());
      } else {
        event.choices = choices;
        event.value = graph.exprs.value_of(id, width);
      }
      graph.events.push_back(event);
    }
    graph.proposition = graph.exprs.truth(true);
    graph.filter = graph.exprs.truth(true);
    graph.unbounded = width == event::kUnbounded;
  }
  event::Expr constant(event::Value value) { return graph.exprs.constant(value, width_); }
  void thread() {
    ++thread_;
    guard_ = graph.exprs.truth(true);
    graph.threads.emplace_back();
  }
  /// What follows in the thread exists only if the condition holds.
  void branch(event::Expr condition) {
    graph.decisions.push_back({thread_, condition, guard_});
    guard_ = graph.exprs.conjunction(guard_, condition);
  }
  event::EventId write(event::CellId cell, event::Expr value) {
    return add(event::EventKind::write, cell, value);
  }
  event::EventId write(event::CellId cell, event::Value value) { return write(cell, constant(value)); }
  event::EventId read_event(event::CellId cell) {
    const auto id = static_cast<event::EventId>(graph.events.size());
    return add(event::EventKind::read, cell, graph.exprs.value_of(id, width_));
  }
  /// A read whose value is observed.
  event::Expr read(event::CellId cell) {
    const event::Expr value = graph.events[read_event(cell)].value;
    observe("r" + std::to_string(graph.observables.size()), value);
    return value;
  }
  /// x = x + 1, atomically; observes the old value.
  event::Expr increment(event::CellId cell) {
    const event::EventId r = read_event(cell);
    const event::Expr old = graph.events[r].value;
    observe("r" + std::to_string(graph.observables.size()), old);
    const event::EventId w = write(cell, graph.exprs.make(event::Op::add, width_, old, constant(1)));
    graph.events[r].rmw_partner = w;
    graph.events[w].rmw_partner = r;
    return old;
  }
  void observe(const std::string& name, event::Expr value) {
    graph.observables.push_back(
        {name, value, width_ == event::kUnbounded ? event::kUnbounded : width_, true, false});
  }
  void observe_final(event::CellId cell) { observe("[x]", graph.exprs.final_value(cell, width_)); }
  event::Expr equal(event::Expr a, event::Value value) {
    return graph.exprs.make(event::Op::eq, 1, a, constant(value));
  }

  /// Static base values, computed here from threads, cells and guards.
  event::BaseValues base() const {
    const std::size_t n = graph.size();
    event::BaseValues values{std::vector<relation::BitSet>(kBases), std::vector<relation::BitMatrix>(kBases)};
    for (const Base set : {kW, kR, kIW}) values.sets[set] = relation::BitSet(n);
    for (const Base rel : {kPo, kLoc, kRmw, kDep}) values.relations[rel] = relation::BitMatrix(n);
    for (event::EventId a = 0; a < n; ++a) {
      const event::Event& x = graph.events[a];
      values.sets[x.is_write() ? kW : kR].set(a);
      if (x.kind == event::EventKind::initial_write) values.sets[kIW].set(a);
      if (x.is_read() && x.rmw_partner != event::kNoEvent) values.relations[kRmw].set(a, x.rmw_partner);
      if (x.kind == event::EventKind::write) {
        for (const event::Expr e : {x.value, x.guard}) {
          for (const event::EventId r : graph.exprs.atoms(e)) values.relations[kDep].set(r, a);
        }
      }
      for (event::EventId b = 0; b < n; ++b) {
        const event::Event& y = graph.events[b];
        if (a < b && x.thread == y.thread && x.thread != event::kNoThread) values.relations[kPo].set(a, b);
        if (a != b && x.cell == y.cell) values.relations[kLoc].set(a, b);
      }
    }
    return values;
  }

  event::ProgramGraph graph;

 private:
  event::EventId add(event::EventKind kind, event::CellId cell, event::Expr value) {
    event::Event event;
    event.kind = kind;
    event.thread = thread_;
    event.guard = guard_;
    event.cell = cell;
    event.value = value;
    graph.events.push_back(event);
    return static_cast<event::EventId>(graph.events.size() - 1);
  }
  event::Width width_;
  event::ThreadId thread_ = event::kNoThread;
  event::Expr guard_;
};

inline relation::MemoryModel model(const std::string& text) {
  return cat::read(std::make_shared<Source>(Source{"toy.cat", text}), signature());
}

inline const char* const kCoherence =
    "order choice over (W * W) & loc\n"
    "let co = (choice | (IW * W) & loc)+\n"
    "acyclic co\n";

inline std::string sequential_consistency() {
  return std::string(kCoherence) + "acyclic po | rf | co | fromreads(co)\nempty rmw & (fromreads(co); co)\n";
}
inline std::string coherence_only() {
  return std::string(kCoherence) +
         "acyclic (po & loc) | rf | co | fromreads(co)\nempty rmw & (fromreads(co); co)\n";
}

inline engine::Result solve(const Program& program, const relation::MemoryModel& model,
                            engine::Ask ask = engine::Ask::states, std::size_t flag = 0,
                            std::optional<double> time_limit = std::nullopt) {
  const event::BaseValues base = program.base();
  return engine::smt::solve({program.graph, base, signature(), model, ask, flag, time_limit});
}

using States = std::set<std::vector<event::Value>>;
inline States states(const engine::Result& result) {
  States all;
  for (const engine::State& state : result.states) all.insert(state.values);
  return all;
}

}  // namespace ptxmc::toy
