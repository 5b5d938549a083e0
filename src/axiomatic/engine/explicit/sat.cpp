// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/sat.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace ptxmc::engine::explicit_ {

Var ChoiceSolver::new_var(int decision_class, bool phase) {
  const Var v = static_cast<Var>(value_.size());
  value_.push_back(0);
  phase_.push_back(phase ? 1 : -1);
  level_.push_back(0);
  reason_.push_back(kNoReason);
  class_.push_back(decision_class);
  activity_.push_back(0);
  seen_.push_back(0);
  heap_place_.push_back(-1);
  for (int sign = 0; sign < 2; ++sign) {
    watches_.emplace_back();
    groups_of_.emplace_back();
  }
  if (open_in_class_.size() <= static_cast<std::size_t>(decision_class)) {
    open_in_class_.resize(decision_class + 1);
    used_class_.resize(decision_class + 1);
  }
  used_class_[decision_class] = true;
  ++open_in_class_[decision_class];
  heap_insert(v);
  return v;
}

bool ChoiceSolver::add_exactly_one(const std::vector<ChoiceLit>& literals) {
  if (!add(literals)) return false;
  if (std::none_of(literals.begin(), literals.end(), [this](ChoiceLit l) { return is_true(l); })) {
    for (const ChoiceLit l : literals)
      groups_of_[l.code()].push_back(static_cast<std::uint32_t>(groups_.size()));
    groups_.push_back(literals);
    return true;
  }
  for (std::size_t i = 0; i < literals.size(); ++i) {  // clauses find the level from which they hold
    for (std::size_t j = i + 1; j < literals.size(); ++j) {
      if (!add({~literals[i], ~literals[j]})) return false;
    }
  }
  return true;
}

bool ChoiceSolver::add(Clause clause) {
  if (unsatisfiable_) return false;
  std::sort(clause.begin(), clause.end());
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  for (std::size_t i = 0; i + 1 < clause.size(); ++i) {
    if (clause[i].var() == clause[i + 1].var()) return true;  // l or not l
  }
  return refute(std::move(clause));
}

bool ChoiceSolver::settle() {
  cancel_until(0);
  if (!unsatisfiable_) unsatisfiable_ = propagate() != kNoReason;
  return !unsatisfiable_;
}

// Adds a clause that may be false, unit or open under the current assignment; false: no solution is left.
bool ChoiceSolver::refute(Clause clause) {
  // Watch the literals that stay unassigned longest: true or open first, then false ones by falling level.
  auto rank = [this](ChoiceLit l) { return value(l) >= 0 ? ~std::uint32_t{0} : level_[l.var()]; };
  std::sort(clause.begin(), clause.end(), [&](ChoiceLit a, ChoiceLit b) { return rank(a) > rank(b); });
  if (clause.empty()) {
    unsatisfiable_ = true;
    return false;
  }
  if (value(clause[0]) >= 0 && (clause.size() == 1 || value(clause[1]) < 0)) {
    // Unit or satisfied by one literal: it holds from the level of the second literal on.
    const std::uint32_t level = clause.size() == 1 ? 0 : level_[clause[1].var()];
    if (clause.size() == 1) cancel_until(0);
    const ChoiceLit unit = clause[0];
    const std::uint32_t index = clause.size() == 1 ? kNoReason : attach(std::move(clause));
    if (value(unit) == 0) {
      cancel_until(level);
      enqueue(unit, index);
    } else if (value(unit) < 0) {
      unsatisfiable_ = true;  // a unit clause that is false at level 0
      return false;
    }
    return true;
  }
  if (value(clause[0]) >= 0) {
    attach(std::move(clause));
    return true;
  }
  const std::uint32_t top = level_[clause[0].var()];
  if (top == 0) {
    unsatisfiable_ = true;
    return false;
  }
  if (clause.size() == 1) {
    cancel_until(0);
    enqueue(clause[0], kNoReason);
    return true;
  }
  cancel_until(top);
  if (level_[clause[1].var()] < top) {
    const ChoiceLit unit = clause[0];
    const std::uint32_t back = level_[clause[1].var()];
    const std::uint32_t index = attach(std::move(clause));
    cancel_until(back);
    enqueue(unit, index);
    return true;
  }
  return learn_from(attach(std::move(clause)));
}

std::uint32_t ChoiceSolver::attach(Clause clause) {
  const auto index = static_cast<std::uint32_t>(clauses_.size());
  PTXMC_CHECK(index < kOther, "clauses are counted in 31 bits");
  const bool binary = clause.size() == 2;
  watches_[(~clause[0]).code()].push_back({index, binary, clause[1]});
  watches_[(~clause[1]).code()].push_back({index, binary, clause[0]});
  clauses_.push_back(std::move(clause));
  return index;
}

// First unique implication point; the learned clause asserts one literal after backjumping.
bool ChoiceSolver::learn_from(std::uint32_t conflict) {
  ++conflicts_;
  ++unchecked_conflicts_;
  std::uint32_t back = 0;
  Clause learned = analyze(conflict, back);
  cancel_until(back);
  const ChoiceLit unit = learned[0];
  enqueue(unit, learned.size() == 1 ? kNoReason : attach(std::move(learned)));
  increment_ /= 0.95;
  return true;
}

Clause ChoiceSolver::analyze(std::uint32_t conflict, std::uint32_t& back_level) {
  Clause learned{ChoiceLit()};
  std::size_t open = 0;
  std::size_t at = trail_.size();
  std::uint32_t clause = conflict;
  ChoiceLit uip;
  std::vector<Var> marked;
  const auto meet = [&](ChoiceLit l) {
    if (seen_[l.var()] || level_[l.var()] == 0) return;
    seen_[l.var()] = 1;
    marked.push_back(l.var());
    bump(l.var());
    if (level_[l.var()] == current_level()) {
      ++open;
    } else {
      learned.push_back(l);
    }
  };
  do {
    PTXMC_CHECK(clause != kNoReason, "a conflict has one decision at its level");
    if ((clause & kOther) != 0) {
      meet(~ChoiceLit::of_code(clause & ~kOther));
    } else {
      for (const ChoiceLit l : clauses_[clause]) {
        if (clause == conflict || l != uip) meet(l);
      }
    }
    while (!seen_[trail_[--at].var()]) {
    }
    uip = trail_[at];
    clause = reason_[uip.var()];
    seen_[uip.var()] = 0;
    --open;
  } while (open != 0);
  learned[0] = ~uip;
  for (Var v : marked) seen_[v] = 0;
  back_level = 0;
  for (std::size_t i = 1; i < learned.size(); ++i) {
    if (level_[learned[i].var()] > back_level) {
      back_level = level_[learned[i].var()];
      std::swap(learned[1], learned[i]);
    }
  }
  return learned;
}

// Unit propagation; the index of a clause that became false, or kNoReason.
std::uint32_t ChoiceSolver::propagate() {
  while (head_ < trail_.size()) {
    const ChoiceLit p = trail_[head_++];
    if (const std::uint32_t conflict = propagate_groups(p); conflict != kNoReason) return conflict;
    if (const std::uint32_t conflict = propagate_clauses(p); conflict != kNoReason) return conflict;
  }
  return kNoReason;
}

std::uint32_t ChoiceSolver::propagate_groups(ChoiceLit p) {
  for (const std::uint32_t group : groups_of_[p.code()]) {
    for (const ChoiceLit other : groups_[group]) {
      if (other == p || value(other) < 0) continue;
      if (value(other) > 0) return attach({~p, ~other});
      enqueue(~other, kOther | p.code());
    }
  }
  return kNoReason;
}

std::uint32_t ChoiceSolver::propagate_clauses(ChoiceLit p) {
  std::vector<Watch>& list = watches_[p.code()];
  std::size_t keep = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Watch watch = list[i];
    if (value(watch.blocker) > 0) {
      list[keep++] = watch;
      continue;
    }
    ChoiceLit unit = watch.blocker;
    if (watch.binary == 0) {
      Clause& clause = clauses_[watch.clause];
      if (clause[0] == ~p) std::swap(clause[0], clause[1]);
      unit = clause[0];
      if (value(unit) <= 0 && watch_another(clause, watch.clause)) continue;
    }
    list[keep++] = {watch.clause, watch.binary, unit};
    if (value(unit) > 0) continue;
    if (value(unit) < 0) {
      for (++i; i < list.size(); ++i) list[keep++] = list[i];
      list.resize(keep);
      return watch.clause;
    }
    enqueue(unit, watch.clause);
  }
  list.resize(keep);
  return kNoReason;
}

// Watches a literal that is not false in place of the clause's second one, where there is any.
bool ChoiceSolver::watch_another(Clause& clause, std::uint32_t index) {
  for (std::size_t k = 2; k < clause.size(); ++k) {
    if (value(clause[k]) < 0) continue;
    std::swap(clause[1], clause[k]);
    watches_[(~clause[1]).code()].push_back({index, 0, clause[0]});
    return true;
  }
  return false;
}

void ChoiceSolver::enqueue(ChoiceLit l, std::uint32_t reason) {
  const Var v = l.var();
  PTXMC_CHECK(value_[v] == 0, "a variable is assigned once");
  value_[v] = l.positive() ? 1 : -1;
  phase_[v] = value_[v];
  level_[v] = current_level();
  reason_[v] = reason;
  --open_in_class_[class_[v]];
  trail_.push_back(l);
}

void ChoiceSolver::cancel_until(std::uint32_t level) {
  if (current_level() <= level) return;
  for (std::size_t i = trail_.size(); i > limits_[level]; --i) {
    const Var v = trail_[i - 1].var();
    value_[v] = 0;
    reason_[v] = kNoReason;
    ++open_in_class_[class_[v]];
    if (heap_place_[v] < 0) heap_insert(v);
  }
  trail_.resize(limits_[level]);
  limits_.resize(level);
  head_ = trail_.size();
  checked_class_ = -1;
}

// One round: propagate, let the theory object, decide.
ChoiceSolver::Step ChoiceSolver::advance(Theory& theory) {
  if (unsatisfiable_) return Step::none;
  const std::uint32_t conflict = propagate();
  if (conflict == kNoReason) return after_propagation(theory);
  std::uint32_t top = 0;
  for (ChoiceLit l : clauses_[conflict]) top = std::max(top, level_[l.var()]);
  if (top == 0) {
    unsatisfiable_ = true;
    return Step::none;
  }
  cancel_until(top);
  // A late clause may be false at a level where only one of its literals stands: it is unit below that.
  const std::size_t at_top = std::count_if(clauses_[conflict].begin(), clauses_[conflict].end(),
                                           [&](ChoiceLit l) { return level_[l.var()] == top; });
  if (at_top == 1) {
    Clause copy = clauses_[conflict];
    return refute(std::move(copy)) ? Step::again : Step::none;
  }
  learn_from(conflict);
  return Step::again;
}

// The theory sees each class of choices complete; and an incomplete one when the clauses alone keep failing,
// because it may know why (what atomics exclude is a pigeonhole problem to clauses).
ChoiceSolver::Step ChoiceSolver::after_propagation(Theory& theory) {
  constexpr std::uint64_t kPatience = 100;  // conflicts
  const bool complete = trail_.size() == value_.size();
  const int last = static_cast<int>(open_in_class_.size()) - 1;
  int done = -1;
  while (done < last && open_in_class_[done + 1] == 0) ++done;
  while (done >= 0 && !used_class_[done]) --done;
  if (complete || done > checked_class_ || unchecked_conflicts_ >= kPatience) {
    checked_class_ = done;
    unchecked_conflicts_ = 0;
    std::vector<Clause> objections = theory.check(complete);
    if (!objections.empty()) {
      for (Clause& clause : objections) {
        if (!add(std::move(clause))) return Step::none;
      }
      return Step::again;
    }
    if (complete) return Step::model;
  }
  const std::optional<Var> v = pick();
  PTXMC_CHECK(v.has_value(), "an open variable is in the heap");
  ++decisions_;
  limits_.push_back(trail_.size());
  enqueue(ChoiceLit(*v, phase_[*v] > 0), kNoReason);
  return Step::again;
}

std::optional<Var> ChoiceSolver::pick() {
  while (!heap_.empty()) {
    const Var v = heap_[0];
    heap_place_[v] = -1;
    const Var last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      heap_[0] = last;
      heap_place_[last] = 0;
      heap_down(0);
    }
    if (value_[v] == 0) return v;
  }
  return std::nullopt;
}

void ChoiceSolver::bump(Var v) {
  activity_[v] += increment_;
  if (activity_[v] > 1e100) {
    for (double& a : activity_) a *= 1e-100;
    increment_ *= 1e-100;
  }
  if (heap_place_[v] >= 0) heap_up(heap_place_[v]);
}

bool ChoiceSolver::before(Var a, Var b) const {
  if (class_[a] != class_[b]) return class_[a] < class_[b];
  if (activity_[a] != activity_[b]) return activity_[a] > activity_[b];
  return a < b;
}

void ChoiceSolver::heap_insert(Var v) {
  heap_place_[v] = static_cast<std::int32_t>(heap_.size());
  heap_.push_back(v);
  heap_up(heap_.size() - 1);
}

void ChoiceSolver::heap_up(std::size_t i) {
  const Var v = heap_[i];
  for (; i > 0 && before(v, heap_[(i - 1) / 2]); i = (i - 1) / 2) {
    heap_[i] = heap_[(i - 1) / 2];
    heap_place_[heap_[i]] = static_cast<std::int32_t>(i);
  }
  heap_[i] = v;
  heap_place_[v] = static_cast<std::int32_t>(i);
}

void ChoiceSolver::heap_down(std::size_t i) {
  const Var v = heap_[i];
  while (2 * i + 1 < heap_.size()) {
    std::size_t child = 2 * i + 1;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], v)) break;
    heap_[i] = heap_[child];
    heap_place_[heap_[i]] = static_cast<std::int32_t>(i);
    i = child;
  }
  heap_[i] = v;
  heap_place_[v] = static_cast<std::int32_t>(i);
}

}  // namespace ptxmc::engine::explicit_
