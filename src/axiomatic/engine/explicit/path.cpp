// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/path.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using event::Expr;
using event::Node;
using event::Op;
using event::SymbolicValue;
using event::Value;

bool merge(std::vector<SymbolicValue>& into, const std::vector<SymbolicValue>& values) {
  std::vector<SymbolicValue> out;
  std::set_union(into.begin(), into.end(), values.begin(), values.end(), std::back_inserter(out));
  if (out.size() > kMaxValues) throw Undecided("values");
  const bool grew = out.size() != into.size();
  into = std::move(out);
  return grew;
}

}  // namespace

Path::Path(const Query& query, const event::Assignment& assignment, event::Symbols& symbols)
    : query_(query), assignment_(assignment), pool_(query.graph.exprs), symbols_(symbols) {
  find_events();
  find_constraints();
  find_deciding();
  if (!infeasible_) find_domains();
}

void Path::find_events() {
  const event::ProgramGraph& graph = query_.graph;
  local_.assign(graph.size(), graph.size());
  // Conditions of the path become constants wherever they occur.
  for (std::size_t d = 0; d < graph.decisions.size(); ++d) {
    if (assignment_[d] == event::Truth::unset) continue;
    simplified_[graph.decisions[d].condition] = pool_.truth(assignment_[d] == event::Truth::yes);
  }
  for (event::EventId e = 0; e < graph.size(); ++e) {
    if (!event::exists_on(graph, graph.events[e].guard, assignment_)) continue;
    local_[e] = events_.size();
    events_.push_back(e);
  }
  find_slots();
}

void Path::find_slots() {
  owners_.resize(size());
  std::iota(owners_.begin(), owners_.end(), std::size_t{0});
  ids_ = events_;
  first_parts_.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    first_parts_.push_back(owners_.size());
    for (std::size_t k = 1; k < query_.graph.slots_of(events_[i]); ++k) {
      owners_.push_back(i);
      ids_.push_back(query_.graph.slot_of(events_[i], k));
    }
  }
  for (std::size_t s = 0; s < slots(); ++s) {
    if (event(owners_[s]).is_write()) writes_[slot(s).cell].push_back(s);
  }
}

std::size_t Path::slot_of(const Node& atom) const {
  const std::size_t i = local_[atom.atom];
  if (i >= size()) return slots();
  return atom.constant == 0 ? i : first_parts_[i] + static_cast<std::size_t>(atom.constant) - 1;
}

void Path::find_constraints() {
  const event::ProgramGraph& graph = query_.graph;
  own_constraints_.resize(size());
  auto require = [&](Expr e) {
    if (pool_.is_true(e)) return;
    if (pool_.is_false(e)) infeasible_ = true;
    constraints_.push_back(e);
    const std::vector<event::EventId> atoms = pool_.atoms(e);
    if (atoms.size() == 1 && local_[atoms[0]] < size()) own_constraints_[local_[atoms[0]]].push_back(e);
  };
  for (std::size_t d = 0; d < graph.decisions.size(); ++d) {
    if (assignment_[d] == event::Truth::unset) continue;
    const Expr condition = graph.decisions[d].condition;
    require(assignment_[d] == event::Truth::yes ? condition : pool_.negation(condition));
  }
  for (Expr e : graph.assumptions) require(simplify(e));
}

Expr Path::simplify(Expr e) {
  if (const auto it = simplified_.find(e); it != simplified_.end()) return it->second;
  const Node node = pool_[e];
  Expr out = e;
  const int operands = event::arity(node.op);
  if (operands > 0) {
    const auto operand = [&](Expr of) { return recursion_.deeper([&] { return simplify(of); }); };
    const Expr a = operand(node.a);
    const Expr b = operands > 1 ? operand(node.b) : node.b;
    const Expr c = operands > 2 ? operand(node.c) : node.c;
    out = pool_.rebuild(node, a, b, c);
  }
  simplified_[e] = out;
  simplified_[out] = out;
  return out;
}

const std::vector<std::size_t>& Path::writes_of(event::CellId cell) const {
  static const std::vector<std::size_t> kNone;
  const auto it = writes_.find(cell);
  return it == writes_.end() ? kNone : it->second;
}

std::vector<SymbolicValue> Path::atom_values(const Node& node) {
  if (node.op == Op::term) return {symbols_.term(node.atom)};
  if (node.op == Op::value_of) {
    const std::size_t s = slot_of(node);
    // A register may merge a read that does not exist on this path; then its value does not matter.
    if (s >= slots()) return {SymbolicValue{}};
    return domains_[s];
  }
  std::vector<SymbolicValue> out;
  for (std::size_t w : writes_of(node.atom)) merge(out, values(value_of(w)));
  return out;
}

const std::vector<SymbolicValue>& Path::values(Expr e) {
  if (const auto it = values_.find(e); it != values_.end()) return it->second;
  const Node node = pool_[e];
  std::vector<SymbolicValue> out;
  const int operands = event::arity(node.op);
  if (node.op == Op::constant) {
    out = {SymbolicValue{node.constant, {}}};
  } else if (operands == 0) {
    out = atom_values(node);
  } else {
    const std::vector<SymbolicValue> none{SymbolicValue{}};
    const auto operand = [&](Expr of) { return recursion_.deeper([&] { return &values(of); }); };
    const std::vector<SymbolicValue>& as = *operand(node.a);
    const std::vector<SymbolicValue>& bs = operands > 1 ? *operand(node.b) : none;
    const std::vector<SymbolicValue>& cs = operands > 2 ? *operand(node.c) : none;
    if (as.size() * bs.size() * cs.size() > kMaxCombinations) throw Undecided("values");
    std::set<SymbolicValue> set;
    for (const SymbolicValue a : as) {
      for (const SymbolicValue b : bs) {
        for (const SymbolicValue c : cs) set.insert(symbols_.apply(pool_, node, a, b, c));
      }
    }
    if (set.size() > kMaxValues) throw Undecided("values");
    out.assign(set.begin(), set.end());
  }
  return values_[e] = std::move(out);
}

bool Path::may_have_value_cycle() {
  relation::BitMatrix flow(size());
  for (std::size_t s = 0; s < slots(); ++s) {
    const std::size_t r = owners_[s];
    if (!event(r).is_read()) continue;
    for (std::size_t w : writes_of(slot(s).cell)) {
      if (events_[owners_[w]] == event(r).rmw_partner) continue;
      for (event::EventId atom : pool_.atoms(value_of(w))) {
        if (local_[atom] < size()) flow.set(local_[atom], r);
      }
    }
  }
  return !flow.acyclic();
}

// What the path, the filter and the question speak of, and what that may be read from.
void Path::find_deciding() {
  decides_.assign(slots(), false);
  std::vector<Expr> open = constraints_;
  open.push_back(simplify(query_.graph.filter));
  if (query_.ask != Ask::flag) open.push_back(simplify(query_.graph.proposition));
  if (query_.ask == Ask::states) {
    for (const event::Observable& o : query_.graph.observables) open.push_back(simplify(o.value));
  }
  std::vector<bool> seen;  // by index; simplifying adds expressions
  const auto stores = [&](event::CellId cell) {
    for (const std::size_t w : writes_of(cell)) open.push_back(value_of(w));
  };
  while (!open.empty()) {
    const Expr next = open.back();
    open.pop_back();
    if (next.index >= seen.size()) seen.resize(pool_.size());
    if (seen[next.index]) continue;
    seen[next.index] = true;
    const Node node = pool_[next];
    if (node.op == Op::final_value) stores(node.atom);
    if (node.op == Op::value_of) {
      const std::size_t s = slot_of(node);
      if (s >= slots() || decides_[s]) continue;
      decides_[s] = true;
      if (event(owners_[s]).is_read()) stores(slot(s).cell);
    }
    const Expr operands[] = {node.a, node.b, node.c};
    open.insert(open.end(), operands, operands + event::arity(node.op));
  }
}

bool Path::admits(std::size_t slot, SymbolicValue value) {
  if (!value.is_number()) return true;  // numbers for its terms may be found
  for (Expr e : own_constraints_[owners_[slot]]) {
    const std::optional<Value> truth = pool_.evaluate(e, [&](const Node& atom) -> std::optional<Value> {
      if (atom.op == Op::value_of && slot_of(atom) == slot) return value.value;
      return std::nullopt;
    });
    if (truth && *truth == 0) return false;
  }
  return true;
}

// What the writes of a cell store, ascending, as far as it is known.
std::vector<Path::Offer> Path::offered(event::CellId cell) {
  std::map<SymbolicValue, Offer> all;
  for (const std::size_t w : writes_of(cell)) {
    for (const SymbolicValue v : values(value_of(w))) {
      Offer& offer = all.try_emplace(v, Offer{v, w, true}).first->second;
      offer.only = offer.only && offer.write == w;
    }
  }
  std::vector<Offer> out;
  for (const auto& [value, offer] : all) out.push_back(offer);
  return out;
}

// Adds to a read's values those that it admits and another operation than its own stores. False: there are no new ones.
bool Path::take(std::size_t read, const std::vector<Offer>& offers, std::vector<SymbolicValue>& into) {
  const event::EventId own = event(owners_[read]).rmw_partner;
  std::vector<SymbolicValue> admitted;
  for (const Offer& offer : offers) {
    if (offer.only && events_[owners_[offer.write]] == own) continue;
    if (std::binary_search(into.begin(), into.end(), offer.value)) continue;
    if (admits(read, offer.value)) admitted.push_back(offer.value);
  }
  return merge(into, admitted);
}

// Values flow from writes to reads. A value that passes k reads needs k rounds, and no consistent value
// passes one read twice unless it depends on itself; such cycles are left to the relations (no thin air), so
// as many rounds as reads do.
void Path::find_domains() {
  domains_.resize(slots());
  sources_.resize(slots());
  std::vector<std::size_t> reads;  // slots
  for (std::size_t s = 0; s < slots(); ++s) {
    const event::Event& access = event(owners_[s]);
    if (access.is_read()) {
      if (decides_[s]) reads.push_back(s);
      for (std::size_t w : writes_of(slot(s).cell)) {
        if (events_[owners_[w]] != access.rmw_partner) sources_[s].push_back(w);
      }
    } else if (s < size() && !access.choices.empty()) {
      for (const event::Value value : access.choices) domains_[s].push_back({value, {}});
      std::sort(domains_[s].begin(), domains_[s].end());
    }
  }
  bool grew = true;
  for (std::size_t round = 0; grew && round <= reads.size(); ++round) {
    grew = false;
    values_.clear();
    std::vector<std::vector<SymbolicValue>> next = domains_;
    std::map<event::CellId, std::vector<Offer>> offers;
    for (const std::size_t r : reads) {
      auto place = offers.find(slot(r).cell);
      if (place == offers.end()) place = offers.emplace(slot(r).cell, offered(slot(r).cell)).first;
      grew |= take(r, place->second, next[r]);
    }
    domains_ = std::move(next);
  }
  values_.clear();
  for (std::size_t r : reads) {
    std::vector<std::size_t> kept;
    for (std::size_t w : sources_[r]) {
      const std::vector<SymbolicValue>& flow = values(value_of(w));
      const bool useful = std::any_of(flow.begin(), flow.end(), [&](SymbolicValue v) {
        return std::binary_search(domains_[r].begin(), domains_[r].end(), v);
      });
      if (useful) kept.push_back(w);
    }
    sources_[r] = std::move(kept);
    if (sources_[r].empty()) infeasible_ = true;
  }
}

}  // namespace ptxmc::engine::explicit_
