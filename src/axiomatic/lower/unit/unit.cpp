// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/unit.h"

#include <fmt/format.h>

#include <algorithm>

#include "axiomatic/event/guards.h"
#include "axiomatic/lower/unit/reads_exist.h"

namespace ptxmc::lower {
namespace {

using event::Expr;

// Beyond these no engine has a chance; the limits keep hostile input from exhausting memory.
constexpr std::size_t kMaxEventsToMerge = 32768;  // of which cells that are accessed alike may be left out
constexpr std::size_t kMaxDecisions = 2048;

}  // namespace

void Unit::decide(event::ThreadId thread, Expr condition, Expr guard) {
  const std::vector<Expr> leaves = event::leaves(pool(), condition);
  // A condition has a value wherever it is asked for. One part of several need not.
  std::optional<ReadsExist> exist;
  if (leaves.size() > 1) exist.emplace(graph, guard);
  for (const Expr leaf : leaves) decide_leaf(thread, leaf, guard, exist ? &*exist : nullptr);
}

void Unit::decide_leaf(event::ThreadId thread, Expr leaf, Expr guard, ReadsExist* exist) {
  const auto known = decided_.find(leaf);
  const auto covers = [&](Expr where) {
    const auto parts = event::conjuncts(pool(), where), covered = event::conjuncts(pool(), known->second);
    return std::includes(parts.begin(), parts.end(), covered.begin(), covered.end());
  };
  if (known != decided_.end() && covers(guard)) return;
  const Expr exists = exist == nullptr ? pool().truth(true) : exist->of(leaf);
  Expr where = pool().conjunction(guard, exists);
  if (known != decided_.end()) {
    if (where != guard && covers(where)) return;
    where = pool().conjunction(where, pool().negation(known->second));
  }
  if (pool().is_false(where)) return;
  const auto [place, fresh] = decided_.try_emplace(leaf, where);
  if (!fresh) place->second = pool().disjunction(place->second, where);
  decide(thread, exists, guard);
  graph.decisions.push_back({thread, leaf, where});
  if (graph.decisions.size() > kMaxDecisions) {
    errors.beyond(
        {}, "more than " + std::to_string(kMaxDecisions) + " decisions after unrolling; lower the bound");
  }
}

void fail_too_many(const Errors& errors, Position position) {
  errors.beyond(position, "more than " + std::to_string(kMaxEvents) + " events after unrolling");
}

event::EventId Unit::add_event(event::Event event) {
  const std::size_t most = options.alike == Alike::never ? kMaxEvents : kMaxEventsToMerge;
  if (graph.events.size() >= most) fail_too_many(errors, event.position);
  if (event.is_write() && event.thread != event::kNoThread) layout.note_write(event.labels.name);
  graph.events.push_back(std::move(event));
  return static_cast<event::EventId>(graph.events.size() - 1);
}

event::EventId Unit::add_event(event::Event event, std::vector<event::Part> further) {
  const auto id = static_cast<event::EventId>(graph.events.size());
  event.first_part = static_cast<std::uint32_t>(graph.parts.size());
  event.part_count = static_cast<std::uint32_t>(further.size());
  for (event::Part& part : further) {
    part.event = id;
    graph.parts.push_back(part);
  }
  return add_event(std::move(event));
}

void Unit::assume(Expr condition, Expr guard) {
  const Expr holds = pool().disjunction(pool().negation(guard), condition);
  if (!pool().is_true(holds)) graph.assumptions.push_back(holds);
}

Unit::Mark Unit::mark() const {
  return {graph.events.size(),
          graph.parts.size(),
          graph.decisions.size(),
          graph.assumptions.size(),
          exchanges.size(),
          graph.misuses.size(),
          reach.seen(),
          graph.tracked.size(),
          graph.completed.size(),
          allocations.size(),
          deallocations.size(),
          converged.size(),
          decided_};
}

void Unit::roll_back(const Mark& mark) {
  graph.events.resize(mark.events);
  graph.parts.resize(mark.parts);
  graph.misuses.resize(mark.misuses);
  reach.roll_back(mark.choices);
  graph.assumptions.resize(mark.assumptions);
  exchanges.resize(mark.exchanges);
  graph.tracked.resize(mark.tracked);
  graph.completed.resize(mark.completed);
  allocations.resize(mark.allocations);
  deallocations.resize(mark.deallocations);
  converged.resize(mark.converged);
  roll_back_decisions(mark);
}

void Unit::roll_back_decisions(const Mark& mark) {
  graph.decisions.resize(mark.decisions);
  decided_ = mark.decided;
}

void Unit::forget_decisions() {
  graph.decisions.clear();
  decided_.clear();
}

/// Is the element one of which nothing is said?
bool is_open(Unit& unit, VariableId id, std::int64_t element) {
  const program::Variable& variable = unit.layout.variable(id);
  const auto bytes = static_cast<std::uint64_t>(unit.layout.width(id) / 8);
  const std::uint64_t begin = static_cast<std::uint64_t>(element) * bytes, end = begin + bytes;
  for (const program::Extent& open : variable.open) {
    if (open.end() <= begin || end <= open.begin) continue;
    if (begin < open.begin || open.end() < end)
      unit.errors.fail(variable.position, fmt::format("element {} of {}, of which a part is opaque: not "
                                                      "supported by the exact engines",
                                                      element, variable.name));
    return true;
  }
  return false;
}

std::optional<Expr> initial_element(Unit& unit, VariableId id, std::int64_t element) {
  const program::Variable& variable = unit.layout.variable(id);
  if (is_open(unit, id, element)) return std::nullopt;
  if (element >= static_cast<std::int64_t>(variable.initial.size())) {
    const isa::Space space = unit.layout.space(id);
    const bool memory = space == isa::Space::shared || space == isa::Space::local || variable.opaque;
    const bool unknown =
        memory && variable.initial.empty();  // a shorter initialiser zero-fills the rest (5.4.4)
    return variable.ptx_form && unknown ? std::nullopt : std::optional<Expr>(unit.pool().constant(0, 64));
  }
  const program::InitialValue& initial = variable.initial[static_cast<std::size_t>(element)];
  if (initial.address_of.empty()) return unit.pool().constant(initial.integer, 64);
  const VariableId target = unit.layout.find(initial.address_of, variable.position);
  if (narrower(unit.layout.width(id), 32)) {
    unit.errors.fail(variable.position, "the address of " + initial.address_of + " needs 32 or 64 bits");
  }
  if (initial.integer != 0) {
    unit.errors.fail(variable.position, "an initial address after the beginning of " + initial.address_of +
                                            ": not supported by the exact engines");
  }
  unit.layout.use_address(target);
  return unit.places.address(unit.pool(), {target, std::nullopt}, unit.word());
}

}  // namespace ptxmc::lower
