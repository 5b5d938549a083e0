// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/explain.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <variant>

#include "support/check.h"
#include "support/overloaded.h"

namespace ptxmc::engine::explicit_ {

namespace {

using relation::BitMatrix;
using relation::Rel;
using relation::Set;

}  // namespace

bool PairMarks::insert(Rel r, std::size_t a, std::size_t b, std::size_t events) {
  if (r.index >= seen_.size()) seen_.resize(r.index + 1);
  Seen& seen = seen_[r.index];
  if (seen.pairs.size() != events) seen.pairs = BitMatrix(events);
  if (seen.pairs.test(a, b)) return false;
  if (!seen.some) touched_.push_back(r.index);
  seen.some = true;
  seen.pairs.set(a, b);
  return true;
}

void PairMarks::clear() {
  for (const std::uint32_t r : touched_) {
    seen_[r].pairs.clear();
    seen_[r].some = false;
  }
  touched_.clear();
}

void NogoodExplainer::start() {
  reasons_.clear();
  done_.clear();
  absent_done_.clear();
}

Clause NogoodExplainer::finish() const {
  Clause clause;
  for (ChoiceLit l : reasons_) clause.push_back(~l);
  return clause;
}

void NogoodExplainer::give_up() {
  for (ChoiceLit l : leaves_.everything()) add(l);
}

Clause NogoodExplainer::forbid(Rel r, std::size_t a, std::size_t b, ChoiceLit also) {
  start();
  add(also);
  present(r, a, b, {});
  return finish();
}

std::optional<Clause> NogoodExplainer::refute(Rel r, std::size_t a, std::size_t b, ChoiceLit also,
                                              bool complete) {
  if (complete ? evaluator_.value(r).test(a, b) : !ruled_out(r, a, b)) return std::nullopt;
  start();
  add(also);
  complete ? absent(r, a, b) : rule_out(r, a, b);
  return finish();
}

// ---- Violations -------------------------------------------------------------------------------------------
std::vector<Clause> NogoodExplainer::violations(const relation::Constraint& constraint, std::size_t limit) {
  if (constraint.negated) return negated_violations(constraint);
  if (const auto* s = std::get_if<Set>(&constraint.expression)) return violations_of_set(*s, limit);
  return violations_of(constraint.test, std::get<Rel>(constraint.expression), limit);
}

std::vector<Clause> NogoodExplainer::violations_of_set(Set s, std::size_t limit) {
  std::vector<Clause> out;
  evaluator_.value(s).for_each([&](std::size_t a) {
    if (out.size() >= limit) return;
    start();
    present(s, a);
    out.push_back(finish());
  });
  return out;
}

std::vector<Clause> NogoodExplainer::violations_of(relation::Test test, Rel r, std::size_t limit) {
  if (test == relation::Test::acyclic) return cycles(r, limit);
  std::vector<Clause> out;
  auto explain = [&](std::size_t a, std::size_t b) {
    if (out.size() >= limit) return;
    start();
    present(r, a, b, {});
    out.push_back(finish());
  };
  const BitMatrix& value = evaluator_.value(r);
  if (test == relation::Test::empty) {
    if (!value.empty()) value.for_each(explain);
  } else {
    for (std::size_t a = 0; a < value.size(); ++a) {
      if (value.test(a, a)) explain(a, a);
    }
  }
  return out;
}

std::vector<Clause> NogoodExplainer::cycles(Rel r, std::size_t limit) {
  BitMatrix closed = evaluator_.value(r);
  closed.close();
  std::vector<Clause> out;
  std::vector<bool> covered(closed.size(), false);
  for (std::size_t a = 0; a < closed.size() && out.size() < limit; ++a) {
    if (!closed.test(a, a) || covered[a]) continue;
    start();
    const std::vector<std::size_t> events = shortest_path(r, a, a, {});
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
      covered[events[i]] = true;
      present(r, events[i], events[i + 1], {});
    }
    out.push_back(finish());
  }
  return out;
}

std::vector<Clause> NogoodExplainer::negated_violations(const relation::Constraint& constraint) {
  start();
  if (const auto* s = std::get_if<Set>(&constraint.expression)) {
    if (!evaluator_.value(*s).empty()) return {};
    for (std::size_t a = 0; a < evaluator_.size(); ++a) absent(*s, a);
    return {finish()};
  }
  const Rel r = std::get<Rel>(constraint.expression);
  const BitMatrix& value = evaluator_.value(r);
  switch (constraint.test) {
    case relation::Test::acyclic:
      if (!value.acyclic()) return {};
      give_up();
      break;
    case relation::Test::irreflexive:
      if (!value.irreflexive()) return {};
      for (std::size_t a = 0; a < value.size(); ++a) absent(r, a, a);
      break;
    case relation::Test::empty:
      if (!value.empty()) return {};
      for (std::size_t a = 0; a < value.size(); ++a) {
        for (std::size_t b = 0; b < value.size(); ++b) absent(r, a, b);
      }
      break;
  }
  return {finish()};
}

// ---- Presence ---------------------------------------------------------------------------------------------
const BitMatrix& NogoodExplainer::value(Rel r, Context context) const {
  if (context.round == kNoRound || !evaluator_.depends_on_group(r, context.group)) return evaluator_.value(r);
  return rounds_.at(context.group)[context.round].nodes[r.index];
}

const std::vector<Evaluator::Round>& NogoodExplainer::rounds(std::uint32_t group) {
  auto it = rounds_.find(group);
  if (it == rounds_.end()) it = rounds_.emplace(group, evaluator_.rounds(group)).first;
  return it->second;
}

void NogoodExplainer::present(Rel r, std::size_t a, std::size_t b, Context context) {
  if (evaluator_.in_base(r, a, b) || !done_.insert({r.index, a, b, context.round}).second) return;
  std::visit(
      Overloaded{
          [&](const relation::BaseRel&) { present_reads_from(a, b); },
          [](const relation::EmptyRel&) { PTXMC_CHECK(false, "nothing is in the empty relation"); },
          [](const relation::Identity&) {}, [&](const relation::Restrict& n) { present(n.s, a); },
          [&](const relation::Product& n) { present(n.a, a), present(n.b, b); },
          [&](const relation::Union& n) { present_in_union(n, a, b, context); },
          [&](const relation::Intersection& n) { present(n.a, a, b, context), present(n.b, a, b, context); },
          [&](const relation::Difference& n) { present(n.a, a, b, context), absent(n.b, a, b); },
          [&](const relation::Sequence& n) { present_in_sequence(n, a, b, context); },
          [&](const relation::Inverse& n) { present(n.a, b, a, context); },
          [&](const relation::Closure& n) { path(n.a, a, b, context); },
          [&](const relation::OrderChoice& n) { add(leaves_.order_edge(n.order, a, b)); },
          [&](const relation::FromReads& n) { present_from_reads(n, a, b, context); },
          [&](const relation::Variable& n) { present_in_variable(n, a, b, context); }},
      evaluator_.tree().node(r));
}

void NogoodExplainer::present_in_union(const relation::Union& n, std::size_t a, std::size_t b,
                                       Context context) {
  if (evaluator_.in_base(n.a, a, b) || evaluator_.in_base(n.b, a, b)) return;
  present(value(n.a, context).test(a, b) ? n.a : n.b, a, b, context);
}

void NogoodExplainer::present_in_sequence(const relation::Sequence& n, std::size_t a, std::size_t b,
                                          Context context) {
  const BitMatrix& first = value(n.a, context);
  const BitMatrix& second = value(n.b, context);
  std::size_t best = evaluator_.size();
  int best_cost = 3;
  for (std::size_t mid = 0; mid < evaluator_.size() && best_cost > 0; ++mid) {
    if (!first.test(a, mid) || !second.test(mid, b)) continue;
    const int cost = !evaluator_.in_base(n.a, a, mid) + !evaluator_.in_base(n.b, mid, b);
    if (cost < best_cost) best = mid, best_cost = cost;
  }
  PTXMC_CHECK(best < evaluator_.size(), "a pair of a sequence has a middle event");
  present(n.a, a, best, context);
  present(n.b, best, b, context);
}

void NogoodExplainer::present_reads_from(std::size_t w, std::size_t r) {
  const auto& reads = evaluator_.inputs().reads;
  for (std::size_t k = 0; k < reads.size(); ++k) {
    if (reads[k].event == r && choices_.sources[k] == w) return add(leaves_.source_of(reads[k].slot));
  }
  PTXMC_CHECK(false, "some cell of the read is taken from the write");
}

// No cell that both access is taken from the write.
void NogoodExplainer::absent_reads_from(std::size_t w, std::size_t r) {
  for (const Inputs::Read& read : evaluator_.inputs().reads) {
    if (read.event == r && read.writers.test(w)) add(leaves_.source_of(read.slot));
  }
}

void NogoodExplainer::present_from_reads(const relation::FromReads& n, std::size_t a, std::size_t b,
                                         Context context) {
  const BitMatrix& co = value(n.co, context);
  const auto& reads = evaluator_.inputs().reads;
  for (std::size_t k = 0; k < reads.size(); ++k) {
    const std::size_t w = choices_.sources[k];
    if (reads[k].event != a || w == Choices::kNone || !reads[k].writers.test(b) || !co.test(w, b)) continue;
    add(leaves_.source_of(reads[k].slot));
    present(n.co, w, b, context);
    return;
  }
  PTXMC_CHECK(false, "from-reads goes through a source");
}

// The variable's value before round k is what its body gave in round k-1; look for the first round that has
// the pair.
void NogoodExplainer::present_in_variable(const relation::Variable& n, std::size_t a, std::size_t b,
                                          Context context) {
  if (context.round != kNoRound && context.group != n.group) return give_up();  // nested groups
  const std::vector<Evaluator::Round>& all = rounds(n.group);
  const Rel body = evaluator_.tree().groups()[n.group].bodies[n.member];
  for (std::uint32_t k = 0; k < all.size(); ++k) {
    const BitMatrix& value =
        evaluator_.depends_on_group(body, n.group) ? all[k].nodes[body.index] : evaluator_.value(body);
    if (!value.test(a, b)) continue;
    PTXMC_CHECK(context.round == kNoRound || k < context.round, "reasons of a recursive pair are older");
    return recursion_.deeper([&] { present(body, a, b, {n.group, k}); });
  }
  PTXMC_CHECK(false, "a pair of a recursive relation appears in some round");
}

std::vector<std::size_t> NogoodExplainer::shortest_path(Rel r, std::size_t a, std::size_t b,
                                                        Context context) {
  const BitMatrix& edges = value(r, context);
  const std::size_t n = evaluator_.size();
  constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> cost(n, kFar), previous(n, kFar);
  std::deque<std::size_t> queue;
  auto relax = [&](std::size_t from, std::size_t base_cost) {
    relation::for_each_bit(edges.row(from), edges.stride(), [&](std::size_t to) {
      const bool free = evaluator_.in_base(r, from, to);
      const std::size_t next = base_cost + (free ? 0 : 1);
      if (next >= cost[to]) return;
      cost[to] = next;
      previous[to] = from;
      free ? queue.push_front(to) : queue.push_back(to);
    });
  };
  relax(a, 0);
  std::vector<bool> settled(n, false);
  while (!queue.empty()) {
    const std::size_t at = queue.front();
    queue.pop_front();
    if (settled[at]) continue;
    settled[at] = true;
    if (at == b) break;
    relax(at, cost[at]);
  }
  PTXMC_CHECK(cost[b] != kFar, "a pair of a closure has a path");
  std::vector<std::size_t> out{b};
  do out.push_back(previous[out.back()]);
  while (out.back() != a);
  std::reverse(out.begin(), out.end());
  return out;
}

void NogoodExplainer::path(Rel r, std::size_t a, std::size_t b, Context context) {
  const std::vector<std::size_t> events = shortest_path(r, a, b, context);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) present(r, events[i], events[i + 1], context);
}

void NogoodExplainer::present(Set s, std::size_t a) {
  if (!evaluator_.is_dynamic(s)) return;
  std::visit(
      Overloaded{[](const relation::BaseSet&) {}, [](const relation::EmptySet&) {},
                 [](const relation::Universe&) {},
                 [&](const relation::SetUnion& n) { present(evaluator_.value(n.a).test(a) ? n.a : n.b, a); },
                 [&](const relation::SetIntersection& n) { present(n.a, a), present(n.b, a); },
                 [&](const relation::SetDifference& n) { present(n.a, a), absent(n.b, a); },
                 [&](const relation::Domain& n) {
                   for (std::size_t b = 0; b < evaluator_.size(); ++b) {
                     if (evaluator_.value(n.r).test(a, b)) return present(n.r, a, b, {});
                   }
                 },
                 [&](const relation::Range& n) {
                   for (std::size_t b = 0; b < evaluator_.size(); ++b) {
                     if (evaluator_.value(n.r).test(b, a)) return present(n.r, b, a, {});
                   }
                 }},
      evaluator_.tree().node(s));
}

// ---- Absence ----------------------------------------------------------------------------------------------
void NogoodExplainer::absent(Set s, std::size_t) {
  if (evaluator_.is_dynamic(s)) give_up();
}

void NogoodExplainer::absent(Rel r, std::size_t a, std::size_t b) {
  if (!evaluator_.is_dynamic(r) || !absent_done_.insert(r, a, b, evaluator_.size())) return;
  // A static operand that already excludes the pair needs no reason.
  auto never = [&](Rel x) { return !evaluator_.is_dynamic(x) && !evaluator_.value(x).test(a, b); };
  auto out = [&](Rel x) { return !evaluator_.value(x).test(a, b); };
  std::visit(Overloaded{[&](const relation::BaseRel&) { absent_reads_from(a, b); },
                        [](const relation::EmptyRel&) {}, [](const relation::Identity&) {},
                        [&](const relation::Restrict& n) {
                          if (a == b) absent(n.s, a);
                        },
                        [&](const relation::Product& n) { absent(n.a, a), absent(n.b, b); },
                        [&](const relation::Union& n) { absent(n.a, a, b), absent(n.b, a, b); },
                        [&](const relation::Intersection& n) {
                          if (never(n.a) || never(n.b)) return;
                          absent(out(n.a) ? n.a : n.b, a, b);
                        },
                        [&](const relation::Difference& n) {
                          if (out(n.a))
                            absent(n.a, a, b);
                          else
                            present(n.b, a, b, {});
                        },
                        [&](const relation::Sequence& n) { absent_from_sequence(n, a, b); },
                        [&](const relation::Inverse& n) { absent(n.a, b, a); },
                        [&](const relation::Closure& n) { absent_from_closure(n, a, b); },
                        [&](const relation::OrderChoice& n) {
                          if (const auto reason = leaves_.no_order_edge(n.order, a, b)) add(*reason);
                        },
                        [&](const relation::FromReads& n) { absent_from_reads(n, a, b); },
                        [&](const relation::Variable&) { give_up(); }},
             evaluator_.tree().node(r));
}

void NogoodExplainer::absent_from_sequence(const relation::Sequence& n, std::size_t a, std::size_t b) {
  for (std::size_t mid = 0; mid < evaluator_.size(); ++mid) {
    const bool first = evaluator_.value(n.a).test(a, mid);
    const bool second = evaluator_.value(n.b).test(mid, b);
    if ((!first && !evaluator_.is_dynamic(n.a)) || (!second && !evaluator_.is_dynamic(n.b))) continue;
    if (first)
      absent(n.b, mid, b);
    else
      absent(n.a, a, mid);
  }
}

// Values of an incomplete assignment are lower bounds, so that a pair is out for good only where one on the
// right of a difference is in, or what never has it.
bool NogoodExplainer::ruled_out(Rel r, std::size_t a, std::size_t b) const {
  if (!evaluator_.is_dynamic(r)) return !evaluator_.value(r).test(a, b);
  const relation::RelNode& node = evaluator_.tree().node(r);
  if (const auto* n = std::get_if<relation::Difference>(&node))
    return evaluator_.value(n->b).test(a, b) || ruled_out(n->a, a, b);
  if (const auto* n = std::get_if<relation::Intersection>(&node))
    return ruled_out(n->a, a, b) || ruled_out(n->b, a, b);
  if (const auto* n = std::get_if<relation::Union>(&node))
    return ruled_out(n->a, a, b) && ruled_out(n->b, a, b);
  if (const auto* n = std::get_if<relation::Inverse>(&node)) return ruled_out(n->a, b, a);
  return false;
}

void NogoodExplainer::rule_out(Rel r, std::size_t a, std::size_t b) {
  if (!evaluator_.is_dynamic(r)) return;
  const relation::RelNode& node = evaluator_.tree().node(r);
  if (const auto* n = std::get_if<relation::Difference>(&node)) {
    if (ruled_out(n->a, a, b))
      rule_out(n->a, a, b);
    else
      present(n->b, a, b, {});
  } else if (const auto* n = std::get_if<relation::Intersection>(&node)) {
    rule_out(ruled_out(n->a, a, b) ? n->a : n->b, a, b);
  } else if (const auto* n = std::get_if<relation::Union>(&node)) {
    rule_out(n->a, a, b), rule_out(n->b, a, b);
  } else if (const auto* n = std::get_if<relation::Inverse>(&node)) {
    rule_out(n->a, b, a);
  }
}

// The events reached from a are a cut that no edge leaves.
void NogoodExplainer::absent_from_closure(const relation::Closure& n, std::size_t a, std::size_t b) {
  BitMatrix closed = evaluator_.value(n.a);
  closed.close();
  PTXMC_CHECK(!closed.test(a, b), "the pair is absent");
  for (std::size_t from = 0; from < closed.size(); ++from) {
    if (from != a && !closed.test(a, from)) continue;
    for (std::size_t to = 0; to < closed.size(); ++to) {
      if (!closed.test(a, to)) absent(n.a, from, to);
    }
  }
}

void NogoodExplainer::absent_from_reads(const relation::FromReads& n, std::size_t a, std::size_t b) {
  const auto& reads = evaluator_.inputs().reads;
  for (std::size_t k = 0; k < reads.size(); ++k) {
    if (reads[k].event != a || !reads[k].writers.test(b)) continue;
    add(leaves_.source_of(reads[k].slot));
    absent(n.co, choices_.sources[k], b);
  }
}

}  // namespace ptxmc::engine::explicit_
