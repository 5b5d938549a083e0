// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/widen.h"

#include <algorithm>
#include <map>
#include <utility>

#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using event::Expr;
using relation::BitMatrix;
using relation::Rel;
using relation::Set;

std::vector<Rel> model_relation_roots(const Query& query) {
  std::vector<Rel> out{query.model.coherence};
  for (const relation::Constraint& axiom : query.model.axioms) {
    if (const auto* r = std::get_if<Rel>(&axiom.expression)) out.push_back(*r);
  }
  return out;
}

std::vector<Set> model_set_roots(const Query& query) {
  std::vector<Set> out;
  for (const relation::Constraint& axiom : query.model.axioms) {
    if (const auto* s = std::get_if<Set>(&axiom.expression)) out.push_back(*s);
  }
  return out;
}

/// How often an event's value is used, by anything but an observable that is exactly that.
std::vector<bool> used_elsewhere(const Query& query, Path& path, const std::vector<Expr>& observables) {
  std::vector<bool> used(query.graph.size(), false);
  const auto use = [&](const event::ExprPool& pool, Expr e) {
    for (const event::EventId atom : pool.atoms(e)) used[atom] = true;
  };
  for (const Expr e : observables) {
    if (path.exprs()[e].op != event::Op::value_of) use(path.exprs(), e);
  }
  for (const Expr e : path.constraints()) use(path.exprs(), e);
  for (const Expr e : query.graph.assumptions) use(query.graph.exprs, e);
  for (const event::Decision& decision : query.graph.decisions) use(query.graph.exprs, decision.condition);
  use(query.graph.exprs, query.graph.filter);
  for (std::size_t s = 0; s < path.slots(); ++s) {
    const event::EventKind kind = path.event(path.owner(s)).kind;
    if (kind == event::EventKind::write) use(path.exprs(), path.value_of(s));
  }
  return used;
}

Cube cube_of(State found, std::vector<Cube::Free> free) {
  Cube out{std::move(found), {}, {}};
  for (const event::Value v : out.found.values) out.values.push_back({v});
  for (Cube::Free& f : free) {
    if (f.options.size() == 1) continue;
    std::vector<event::Value>& values = out.values[f.observable];
    values.clear();
    for (const Cube::Option& o : f.options) values.push_back(o.value);
    std::sort(values.begin(), values.end());
    out.free.push_back(std::move(f));
  }
  return out;
}

}  // namespace

std::vector<LooseRead> loose_reads(const Query& query, Path& path, const std::vector<Expr>& observables) {
  const auto negated = [](const relation::Constraint& axiom) { return axiom.negated; };
  const auto& axioms = query.model.axioms;
  if (query.ask != Ask::states || query.graph.exprs.has_terms() || !shows_proposition(query.graph) ||
      std::any_of(axioms.begin(), axioms.end(), negated))
    return {};
  const std::vector<bool> used = used_elsewhere(query, path, observables);
  std::map<std::size_t, std::vector<std::uint32_t>> shown;  // slot -> observables
  for (std::uint32_t i = 0; i < observables.size(); ++i) {
    const event::Node& node = path.exprs()[observables[i]];
    if (node.op != event::Op::value_of) continue;
    const std::size_t slot = path.slot_of(node);
    if (slot < path.slots()) shown[slot].push_back(i);
  }
  std::vector<LooseRead> out;
  for (const auto& [slot, by] : shown) {
    const event::Event& event = path.event(path.owner(slot));
    const event::EventId id = path.events()[path.owner(slot)];
    const bool plain = event.kind == event::EventKind::read && event.rmw_partner == event::kNoEvent &&
                       query.graph.slots_of(id) == 1;
    if (plain && by.size() == 1 && !used[id] && path.sources(slot).size() > 1) out.push_back({slot, by[0]});
  }
  return out;
}

Widener::Copies Widener::copies(Path& path, const std::vector<LooseRead>& loose) {
  Copies out;
  for (std::size_t i = 0; i < path.size(); ++i) out.events.push_back(i);
  for (const LooseRead& read : loose) {
    std::vector<std::size_t>& places = out.of_source.emplace_back();
    for (std::size_t k = 0; k < path.sources(read.slot).size(); ++k) {
      places.push_back(k == 0 ? path.owner(read.slot) : out.events.size());
      if (k != 0) out.events.push_back(path.owner(read.slot));
    }
  }
  return out;
}

Widener::Widener(const Query& query, Path& path, const ChoiceSolver& solver, Encoding& encoding,
                 std::vector<LooseRead> loose, Copies copies, Inputs inputs, const Evaluator& plain)
    : query_(query),
      path_(path),
      solver_(solver),
      encoding_(encoding),
      loose_(std::move(loose)),
      copies_(std::move(copies)),
      evaluator_(query.model.tree, std::move(inputs), model_relation_roots(query), model_set_roots(query),
                 Evaluator::Copies{plain, copies_.events}),
      choices_{BitMatrix(copies_.events.size()),
               {},
               std::vector<BitMatrix>(query.model.orders.size(), BitMatrix(copies_.events.size()))},
      input_of_(copies_.events.size(), Choices::kNone) {
  const auto& reads = evaluator_.inputs().reads;
  for (std::size_t k = 0; k < reads.size(); ++k) input_of_[reads[k].event] = k;
}

// The choices at hand, with no source for the loose reads.
void Widener::fix(const Choices& choices) {
  std::vector<std::vector<std::size_t>> copies_of(path_.size());
  for (std::size_t i = 0; i < copies_.events.size(); ++i) copies_of[copies_.events[i]].push_back(i);
  for (std::size_t k = 0; k < choices.orders.size(); ++k) {
    choices_.orders[k].clear();
    choices.orders[k].for_each([&](std::size_t a, std::size_t b) {
      for (const std::size_t x : copies_of[a]) {
        for (const std::size_t y : copies_of[b]) choices_.orders[k].set(x, y);
      }
    });
  }
  choices_.reads_from.clear();
  const auto& reads = evaluator_.inputs().reads;
  choices_.sources.assign(reads.size(), Choices::kNone);
  for (std::size_t k = 0; k < reads.size(); ++k) {
    const bool loose = std::any_of(loose_.begin(), loose_.end(),
                                   [&](const LooseRead& read) { return read.slot == reads[k].slot; });
    if (loose) continue;
    for (const auto& [w, l] : encoding_.sources(reads[k].slot)) {
      if (!solver_.is_true(l)) continue;
      choices_.sources[k] = path_.owner(w);
      choices_.reads_from.set(path_.owner(w), reads[k].event);
    }
  }
}

// No other write may come after one that is the last in the executions of the cube.
bool Widener::finals_hold() const {
  const BitMatrix& co = evaluator_.value(query_.model.coherence);
  for (const auto& [cell, options] : encoding_.finals()) {
    for (const auto& [w, l] : options) {
      if (!solver_.is_true(l)) continue;
      for (const auto& [later, other] : options) {
        if (later != w && co.test(path_.owner(w), path_.owner(later))) return false;
      }
    }
  }
  return true;
}

bool Widener::holds() {
  ++evaluations_;
  evaluator_.evaluate_most(choices_);
  for (const relation::Constraint& axiom : query_.model.axioms) {
    if (const auto* s = std::get_if<Set>(&axiom.expression)) {
      if (!evaluator_.value(*s).empty()) return false;
      continue;
    }
    const BitMatrix& r = evaluator_.value(std::get<Rel>(axiom.expression));
    const bool fine = axiom.test == relation::Test::acyclic       ? r.acyclic()
                      : axiom.test == relation::Test::irreflexive ? r.irreflexive()
                                                                  : r.empty();
    if (!fine) return false;
  }
  return finals_hold();
}

Cube Widener::widen(const Choices& choices, State found) {
  fix(choices);
  std::vector<Cube::Free> free;
  std::vector<std::vector<std::size_t>> copy;  // per loose read, per option: its copy
  struct More {
    std::size_t read;
    Cube::Option option;
    std::size_t copy, write;
  };
  std::vector<More> more;
  const auto choose = [&](std::size_t copy_of, std::size_t write, bool on) {
    choices_.sources[input_of_[copy_of]] = on ? write : Choices::kNone;
    if (on) {
      choices_.reads_from.set(write, copy_of);
    } else {
      choices_.reads_from.reset(write, copy_of);
    }
  };
  for (std::size_t i = 0; i < loose_.size(); ++i) {
    free.push_back({path_.slot_id(loose_[i].slot), loose_[i].observable, {}});
    const auto& sources = encoding_.sources(loose_[i].slot);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const std::size_t write = path_.owner(sources[k].first);
      const Cube::Option option{encoding_.current(path_.value_of(sources[k].first)).value,
                                path_.events()[write]};
      if (solver_.is_true(sources[k].second)) {
        free.back().options.push_back(option);
        choose(copies_.of_source[i][k], write, true);
      } else {
        more.push_back({i, option, copies_.of_source[i][k], write});
      }
    }
  }
  // All at once would be too much as a rule: one after the other, what holds stays.
  const bool sound = holds();
  double states = 1;
  for (const More& one : more) {
    std::vector<Cube::Option>& options = free[one.read].options;
    const bool known = std::any_of(options.begin(), options.end(),
                                   [&](const Cube::Option& o) { return o.value == one.option.value; });
    if (known || !sound) continue;
    choose(one.copy, one.write, true);
    if (holds()) {
      states *= static_cast<double>(options.size() + 1) / static_cast<double>(options.size());
      options.push_back(one.option);
    } else {
      choose(one.copy, one.write, false);
    }
  }
  gained_ += states;
  return cube_of(std::move(found), std::move(free));
}

}  // namespace ptxmc::engine::explicit_
