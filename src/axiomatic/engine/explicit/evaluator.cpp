// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/evaluator.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "support/check.h"
#include "support/overloaded.h"

namespace ptxmc::engine::explicit_ {

namespace {

using relation::BitMatrix;
using relation::BitSet;
using relation::Rel;
using relation::RelNode;
using relation::Set;
using relation::SetNode;
using relation::Word;

// Calls on_set / on_relation for each direct operand.
template <typename OnSet, typename OnRel>
void operands(const SetNode& node, OnSet on_set, OnRel on_relation) {
  std::visit(
      Overloaded{[](const relation::BaseSet&) {}, [](const relation::EmptySet&) {},
                 [](const relation::Universe&) {}, [&](const relation::Domain& n) { on_relation(n.r); },
                 [&](const relation::Range& n) { on_relation(n.r); },
                 [&](const auto& n) { on_set(n.a), on_set(n.b); }},
      node);
}

template <typename OnSet, typename OnRel>
void operands(const RelNode& node, OnSet on_set, OnRel on_relation) {
  std::visit(Overloaded{[](const relation::BaseRel&) {}, [](const relation::EmptyRel&) {},
                        [](const relation::Identity&) {}, [](const relation::OrderChoice&) {},
                        [](const relation::Variable&) {}, [&](const relation::Restrict& n) { on_set(n.s); },
                        [&](const relation::Product& n) { on_set(n.a), on_set(n.b); },
                        [&](const relation::Inverse& n) { on_relation(n.a); },
                        [&](const relation::Closure& n) { on_relation(n.a); },
                        [&](const relation::FromReads& n) { on_relation(n.co); },
                        [&](const auto& n) { on_relation(n.a), on_relation(n.b); }},
             node);
}

/// Word by word, in one pass over three matrices of one size.
template <typename F>
void combine(BitMatrix& out, const BitMatrix& a, const BitMatrix& b, F&& word) {
  const std::size_t words = out.size() * out.stride();
  if (words == 0) return;
  Word* const to = out.row(0);
  const Word *const left = a.row(0), *const right = b.row(0);
  for (std::size_t w = 0; w < words; ++w) to[w] = word(left[w], right[w]);
}

}  // namespace

std::size_t Choices::made() const {
  auto out = static_cast<std::size_t>(
      std::count_if(sources.begin(), sources.end(), [](std::size_t w) { return w != kNone; }));
  for (const BitMatrix& order : orders) out += order.count();
  return out;
}

Evaluator::Evaluator(const relation::Tree& tree, Inputs inputs, const std::vector<Rel>& relation_roots,
                     const std::vector<Set>& set_roots)
    : Evaluator(tree, std::move(inputs), relation_roots, set_roots, std::nullopt) {}

Evaluator::Evaluator(const relation::Tree& tree, Inputs inputs, const std::vector<Rel>& relation_roots,
                     const std::vector<Set>& set_roots, const std::optional<Copies>& copies)
    : tree_(tree),
      inputs_(std::move(inputs)),
      sets_(tree.sets().size()),
      relations_(tree.relations().size()),
      none_(inputs_.size) {
  scheduled_ = no_marks();
  scheduled_groups_.assign(tree.groups().size(), false);
  mark_dynamic();
  mark_groups();
  std::vector<Step> all;
  all.reserve(sets_.size() + relations_.size());
  std::vector<std::uint32_t> open;
  for (Rel r : relation_roots) schedule(r, all, open);
  for (Set s : set_roots) schedule(s, all, open);
  fixed_steps_.reserve(all.size());
  dynamic_steps_.reserve(all.size());
  for (Step& step : all) {
    const bool dynamic = step.kind == Step::Kind::set ? dynamic_.sets[step.index]
                         : step.kind == Step::Kind::relation
                             ? dynamic_.relations[step.index]
                             : dynamic_.relations[tree.groups()[step.index].variables[0].index];
    (dynamic ? dynamic_steps_ : fixed_steps_).push_back(std::move(step));
  }
  bound_ = Bound::exact;
  if (copies) {
    take_fixed(*copies);
  } else {
    run_fixed();
  }
  drop_empty_steps();
}

// Most relations of a model are empty in a program: they are neither computed nor given memory.
void Evaluator::run_fixed() {
  Support known{std::vector<bool>(sets_.size(), false), std::vector<bool>(relations_.size(), false)};
  for (const Step& step : fixed_steps_) {
    if (step.kind == Step::Kind::relation && !may_hold(tree_.relations()[step.index], known)) continue;
    run({&step, 1});
    note(step, known);
    if (step.kind == Step::Kind::relation && !known.relations[step.index])
      relations_[step.index] = BitMatrix();
  }
}

// What a step computed may hold if there is something in it.
void Evaluator::note(const Step& step, Support& support) const {
  if (step.kind == Step::Kind::set) {
    support.sets[step.index] = !sets_[step.index].empty();
  } else if (step.kind == Step::Kind::relation) {
    support.relations[step.index] = !relations_[step.index].empty();
  } else {
    for (const Step& inner : step.body) note(inner, support);
    for (const Rel v : tree_.groups()[step.index].variables)
      support.relations[v.index] = !relations_[v.index].empty();
  }
}

// What the other evaluator computed, of roots that are its own too.
void Evaluator::take_fixed(const Copies& copies) {
  const std::vector<std::size_t>& events = copies.events;
  std::vector<std::vector<std::size_t>> here(
      copies.of.size());  // the events that stand for each of the other's
  for (std::size_t a = 0; a < events.size(); ++a) here[events[a]].push_back(a);
  for (std::size_t i = 0; i < relations_.size(); ++i) {
    const BitMatrix& from = copies.of.relations_[i];
    if (dynamic_.relations[i] || from.size() == 0) continue;
    BitMatrix& to = relations_[i];
    if (to.size() == 0) to = BitMatrix(events.size());
    for (std::size_t a = 0; a < events.size(); ++a) {
      relation::for_each_bit(from.row(events[a]), from.stride(), [&](std::size_t there) {
        if (there == events[a]) {  // of rivals there is one at a time
          to.set(a, a);
          return;
        }
        for (const std::size_t b : here[there]) to.set(a, b);
      });
    }
  }
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const BitSet& from = copies.of.sets_[i];
    if (dynamic_.sets[i] || from.size() == 0) continue;
    sets_[i] = BitSet(events.size());
    for (std::size_t a = 0; a < events.size(); ++a) {
      if (from.test(events[a])) sets_[i].set(a);
    }
  }
}

bool Evaluator::reads_choice(const RelNode& node) const {
  if (std::holds_alternative<relation::OrderChoice>(node) ||
      std::holds_alternative<relation::FromReads>(node))
    return true;
  const auto* base = std::get_if<relation::BaseRel>(&node);
  return base != nullptr && inputs_.is_reads_from[base->base];
}

void Evaluator::mark_dynamic() {
  dynamic_ = no_marks();
  for (std::size_t i = 0; i < relations_.size(); ++i)
    dynamic_.relations[i] = reads_choice(tree_.relations()[i]);
  cat::mark_above(tree_, dynamic_);
}

void Evaluator::mark_groups() {
  for (const relation::RecGroup& group : tree_.groups()) {
    cat::Below& marks = in_group_.emplace_back(no_marks());
    for (Rel v : group.variables) marks.relations[v.index] = true;
    cat::mark_above(tree_, marks);
  }
}

cat::Below Evaluator::no_marks() const {
  return {std::vector<bool>(sets_.size(), false), std::vector<bool>(relations_.size(), false)};
}

void Evaluator::schedule(Set s, std::vector<Step>& out, std::vector<std::uint32_t>& open) {
  if (scheduled_.sets[s.index]) return;
  operands(
      tree_.node(s), [&](Set operand) { schedule(operand, out, open); },
      [&](Rel operand) { schedule(operand, out, open); });
  if (scheduled_.sets[s.index]) return;  // in a body, as below
  scheduled_.sets[s.index] = true;
  sets_[s.index] = BitSet(inputs_.size);
  out.push_back({Step::Kind::set, s.index, {}});
}

void Evaluator::schedule(Rel r, std::vector<Step>& out, std::vector<std::uint32_t>& open) {
  if (scheduled_.relations[r.index]) return;
  if (const auto* variable = std::get_if<relation::Variable>(&tree_.node(r))) {
    if (scheduled_groups_[variable->group]) return;
    scheduled_groups_[variable->group] = true;
    const relation::RecGroup& group = tree_.groups()[variable->group];
    for (Rel v : group.variables) scheduled_.relations[v.index] = true;
    open.push_back(variable->group);
    Step step{Step::Kind::group, variable->group, {}};
    std::vector<Step> steps;
    for (Rel body : group.bodies) schedule(body, steps, open);
    open.pop_back();
    // What does not depend on the variables is computed once, outside the iteration.
    for (Step& inner : steps) {
      const bool inside =
          inner.kind == Step::Kind::set ? in_group_[variable->group].sets[inner.index]
          : inner.kind == Step::Kind::relation
              ? in_group_[variable->group].relations[inner.index]
              : in_group_[variable->group].relations[tree_.groups()[inner.index].variables[0].index];
      (inside ? step.body : out).push_back(std::move(inner));
    }
    out.push_back(std::move(step));
    return;
  }
  operands(
      tree_.node(r), [&](Set operand) { schedule(operand, out, open); },
      [&](Rel operand) { schedule(operand, out, open); });
  // A group that an operand belongs to may have this node in a body: there it is computed in every round.
  if (scheduled_.relations[r.index]) return;
  scheduled_.relations[r.index] = true;
  out.push_back({Step::Kind::relation, r.index, {}});
}

void Evaluator::run(std::span<const Step> steps) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::set:
        compute(Set{step.index});
        break;
      case Step::Kind::relation:
        compute(Rel{step.index});
        break;
      case Step::Kind::group:
        run_group(step, nullptr);
        break;
    }
  }
}

void Evaluator::run_group(const Step& step, std::vector<Round>* record) {
  const relation::RecGroup& group = tree_.groups()[step.index];
  for (Rel v : group.variables) relations_[v.index].clear();
  for (bool changed = true; std::exchange(changed, false);) {
    run(step.body);
    if (record != nullptr) {
      std::vector<BitMatrix>& nodes = record->emplace_back().nodes;
      nodes.resize(relations_.size());
      for (std::size_t i = 0; i < relations_.size(); ++i) {
        if (in_group_[step.index].relations[i]) nodes[i] = value(Rel{static_cast<std::uint32_t>(i)});
      }
    }
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      const BitMatrix& body = value(group.bodies[i]);
      if (value(group.variables[i]) == body) continue;
      relations_[group.variables[i].index] = body;
      changed = true;
    }
  }
}

std::vector<Evaluator::Round> Evaluator::rounds(std::uint32_t group) {
  std::vector<Round> out;
  for (const Step& step : dynamic_steps_) {
    if (step.kind == Step::Kind::group && step.index == group) run_group(step, &out);
  }
  return out;
}

std::size_t Evaluator::steps() const {
  std::size_t count = 0;
  for (const Step& step : dynamic_steps_) count += 1 + step.body.size();
  return count;
}

void Evaluator::evaluate(const Choices& choices, bool complete) {
  choices_ = &choices;
  bound_ = complete ? Bound::exact : Bound::lower;
  run(dynamic_steps_);
}

void Evaluator::evaluate_most(const Choices& choices) {
  choices_ = &choices;
  bound_ = Bound::upper;
  run(dynamic_steps_);
}

void Evaluator::keep_as_base() {
  base_.resize(relations_.size());
  for (std::size_t i = 0; i < relations_.size(); ++i)  // in_base asks for no others
    if (dynamic_.relations[i] && !relations_[i].empty()) base_[i] = relations_[i];
}

bool Evaluator::in_base(Rel r, std::size_t a, std::size_t b) const {
  if (!dynamic_.relations[r.index]) return value(r).test(a, b);
  return !base_.empty() && base_[r.index].size() != 0 && base_[r.index].test(a, b);
}

void Evaluator::compute(Set s) {
  BitSet& out = sets_[s.index];
  std::visit(Overloaded{[&](const relation::BaseSet& n) { out = inputs_.sets[n.base]; },
                        [&](const relation::EmptySet&) { out.clear(); },
                        [&](const relation::Universe&) { out.set_all(); },
                        [&](const relation::SetUnion& n) { out = value(n.a), out |= value(n.b); },
                        [&](const relation::SetIntersection& n) { out = value(n.a), out &= value(n.b); },
                        [&](const relation::SetDifference& n) {
                          out = value(n.a);
                          if (bound_ == Bound::exact || !is_dynamic(n.b))
                            out -= value(n.b);
                          else if (bound_ == Bound::lower)
                            out.clear();
                        },
                        [&](const relation::Domain& n) { value(n.r).assign_domain(out); },
                        [&](const relation::Range& n) { value(n.r).assign_range(out); }},
             tree_.node(s));
}

void Evaluator::compute_from_reads(BitMatrix& out, const BitMatrix& co) {
  out.clear();
  for (std::size_t k = 0; k < inputs_.reads.size(); ++k) {
    if (choices_->sources[k] == Choices::kNone) continue;
    const relation::Word* later = co.row(choices_->sources[k]);
    const relation::Word* writers = inputs_.reads[k].writers.data();
    relation::Word* row = out.row(inputs_.reads[k].event);
    for (std::size_t w = 0; w < out.stride(); ++w) row[w] |= later[w] & writers[w];
  }
}

void Evaluator::compute_sequence(BitMatrix& out, const relation::Sequence& n) {
  if (const auto* from = std::get_if<relation::Restrict>(&tree_.node(n.a))) {
    out.assign_within(value(from->s), value(n.b));
  } else if (const auto* to = std::get_if<relation::Restrict>(&tree_.node(n.b))) {
    out.assign_within(value(n.a), value(to->s));
  } else {
    out.assign_sequence(value(n.a), value(n.b));
  }
}

void Evaluator::compute(Rel r) {
  BitMatrix& out = relations_[r.index];
  if (out.size() != inputs_.size) out = BitMatrix(inputs_.size);
  std::visit(
      Overloaded{
          [&](const relation::BaseRel& n) {
            out = inputs_.is_reads_from[n.base] ? choices_->reads_from : inputs_.relations[n.base];
          },
          [&](const relation::EmptyRel&) { out.clear(); },
          [&](const relation::Identity&) {
            out.clear();
            for (std::size_t i = 0; i < inputs_.size; ++i) out.set(i, i);
          },
          [&](const relation::Restrict& n) { out.assign_identity(value(n.s)); },
          [&](const relation::Product& n) { out.assign_product(value(n.a), value(n.b)); },
          [&](const relation::Union& n) {
            combine(out, value(n.a), value(n.b), [](Word a, Word b) { return a | b; });
          },
          [&](const relation::Intersection& n) {
            combine(out, value(n.a), value(n.b), [](Word a, Word b) { return a & b; });
          },
          [&](const relation::Difference& n) {
            if (bound_ == Bound::exact || !is_dynamic(n.b))
              combine(out, value(n.a), value(n.b), [](Word a, Word b) { return a & ~b; });
            else if (bound_ == Bound::lower)
              out.clear();
            else
              out = value(n.a);
          },
          [&](const relation::Sequence& n) { compute_sequence(out, n); },
          [&](const relation::Inverse& n) { out.assign_inverse(value(n.a)); },
          [&](const relation::Closure& n) { out = value(n.a), out.close(); },
          [&](const relation::OrderChoice& n) { out = choices_->orders[n.order]; },
          [&](const relation::FromReads& n) { compute_from_reads(out, value(n.co)); },
          [](const relation::Variable&) { PTXMC_CHECK(false, "variables are computed by their group"); }},
      tree_.node(r));
}

}  // namespace ptxmc::engine::explicit_
