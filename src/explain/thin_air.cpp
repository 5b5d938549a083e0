// SPDX-License-Identifier: Apache-2.0
// The reads to guess are a feedback set of the graph "a read feeds the value of a write, a write may be the
// source of a read": reads are removed from its components one by one until no cycle is left. The values that
// are tried are the constants of the program and two more: a value that no constant of a test names says no
// more than another.
#include "explain/thin_air.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/relation/graph.h"

namespace ptxmc::explain {

using event::EventId;
using event::Expr;

namespace {

constexpr std::size_t kMostReads = 3;
constexpr std::size_t kMostValues = 8;

/// A read on a cycle that `guessed` does not cut; nothing: none is left.
std::optional<EventId> read_on_cycle(const event::ProgramGraph& graph, const std::set<EventId>& guessed) {
  relation::Graph flow(graph.size());
  for (EventId w = 0; w < graph.size(); ++w) {
    const event::Event& write = graph.events[w];
    if (!write.is_write()) continue;
    for (const EventId r : graph.exprs.atoms(write.value)) {
      if (r != w && !guessed.contains(r)) flow.add(r, w);
    }
    for (EventId r = 0; r < graph.size(); ++r) {
      const event::Event& read = graph.events[r];
      if (read.is_read() && read.cell == write.cell && read.rmw_partner != w) flow.add(w, r);
    }
  }
  const std::vector<std::size_t> component = flow.components();
  std::map<std::size_t, std::size_t> sizes;
  for (const std::size_t c : component) ++sizes[c];
  for (EventId r = 0; r < graph.size(); ++r) {
    if (graph.events[r].is_read() && sizes[component[r]] > 1) return r;
  }
  return std::nullopt;
}

std::vector<event::Value> values_to_try(const event::ProgramGraph& graph, event::Width width) {
  std::vector<event::Value> out;
  const auto add = [&](event::Value value) {
    value = event::wrap(value, width);
    const bool known = std::find(out.begin(), out.end(), value) != out.end();
    if (!known && out.size() < kMostValues) out.push_back(value);
  };
  add(1);
  add(2);
  for (std::uint32_t i = 0; i < graph.exprs.size(); ++i) {
    const event::Node& node = graph.exprs[Expr{i}];
    if (node.op == event::Op::constant && node.width == width) add(node.constant);
  }
  return out;
}

/// Expressions in which guessed reads are replaced.
class Rewriter {
 public:
  Rewriter(event::ExprPool& pool, const std::map<EventId, EventId>& guess_of)
      : pool_(pool), guess_of_(guess_of) {}
  void operator()(Expr& e) { e = rewrite(e); }

 private:
  Expr rewrite(Expr e) {
    if (const auto it = memo_.find(e); it != memo_.end()) return it->second;
    const event::Node node = pool_[e];
    Expr out = e;
    if (node.op == event::Op::value_of) {
      const auto it = guess_of_.find(node.atom);
      if (it != guess_of_.end()) out = pool_.value_of(it->second, node.width);
    } else if (const int operands = event::arity(node.op); operands > 0) {
      out = pool_.rebuild(node, rewrite(node.a), operands > 1 ? rewrite(node.b) : Expr{},
                          operands > 2 ? rewrite(node.c) : Expr{});
    }
    return memo_[e] = out;
  }

  event::ExprPool& pool_;
  const std::map<EventId, EventId>& guess_of_;
  std::map<Expr, Expr> memo_;
};

relation::BitSet resized(const relation::BitSet& from, std::size_t size) {
  relation::BitSet out(size);
  from.for_each([&](std::size_t e) {
    if (e < size) out.set(e);
  });
  return out;
}

relation::BitMatrix resized(const relation::BitMatrix& from, std::size_t size) {
  relation::BitMatrix out(size);
  from.for_each([&](std::size_t a, std::size_t b) {
    if (a < size && b < size) out.set(a, b);
  });
  return out;
}

}  // namespace

std::optional<ThinAir> ThinAir::of(const event::ProgramGraph& graph, const event::BaseValues& base) {
  if (!graph.parts.empty())
    return std::nullopt;  // an access of several cells: a guess for each would be needed
  std::set<EventId> guessed;
  while (const std::optional<EventId> r = read_on_cycle(graph, guessed)) {
    if (guessed.size() == kMostReads) return std::nullopt;
    guessed.insert(*r);
  }
  if (guessed.empty()) return std::nullopt;
  ThinAir out;
  out.size_ = graph.size();
  out.cells_ = graph.cells.size();
  out.graph_ = graph;
  out.base_ = base;
  out.guess({guessed.begin(), guessed.end()});
  return out;
}

void ThinAir::guess(const std::vector<EventId>& reads) {
  event::ExprPool& pool = graph_.exprs;
  std::map<EventId, EventId> guess_of;
  for (const EventId r : reads) {
    const event::Width width = pool[graph_.events[r].value].width;
    event::Event guess;
    guess.kind = event::EventKind::initial_write;
    guess.guard = pool.truth(true);
    guess.cell = static_cast<event::CellId>(graph_.cells.size());
    guess.choices = values_to_try(graph_, width);
    guess.labels.name = guess.labels.generic_name = static_cast<std::uint32_t>(graph_.names.size());
    const auto id = static_cast<EventId>(graph_.events.size());
    guess.value = pool.value_of(id, width);
    event::Cell cell = graph_.cells[graph_.events[r].cell];
    cell.name = "guess " + std::to_string(r);
    graph_.cells.push_back(cell);
    graph_.names.push_back({cell.name, isa::Proxy::generic});
    graph_.events.push_back(std::move(guess));
    guess_of[r] = id;
  }
  Rewriter rewrite(pool, guess_of);
  for (event::Event& event : graph_.events) {
    rewrite(event.guard);
    if (event.is_write()) rewrite(event.value);
    if (!event.barrier) continue;
    rewrite(event.barrier->id);
    if (event.barrier->count) rewrite(*event.barrier->count);
  }
  for (event::Decision& decision : graph_.decisions) {
    rewrite(decision.condition);
    rewrite(decision.guard);
  }
  for (Expr& assumption : graph_.assumptions) rewrite(assumption);
  for (event::Observable& observable : graph_.observables) rewrite(observable.value);
  rewrite(graph_.proposition);
  rewrite(graph_.filter);
  for (const auto& [r, id] : guess_of) {
    const Expr agrees = pool.make(event::Op::eq, 1, graph_.events[r].value, graph_.events[id].value);
    graph_.assumptions.push_back(pool.disjunction(pool.negation(graph_.events[r].guard), agrees));
  }
  for (relation::BitSet& set : base_.sets) {
    if (set.size() != 0) set = resized(set, graph_.size());
  }
  for (relation::BitMatrix& matrix : base_.relations) {
    if (matrix.size() != 0) matrix = resized(matrix, graph_.size());
  }
}

engine::State ThinAir::restored(engine::State state) const {
  event::Execution& x = state.witness;
  x.exists = resized(x.exists, size_);
  x.values.resize(size_);
  x.reads_from.resize(size_);
  x.final_writes.resize(cells_);
  for (relation::BitMatrix& order : x.orders) order = resized(order, size_);
  for (relation::BitMatrix& value : x.enumerated) {
    if (value.size() != 0) value = resized(value, size_);
  }
  return state;
}

}  // namespace ptxmc::explain
