// SPDX-License-Identifier: Apache-2.0
// The candidate executions. Inputs of the circuit are: one literal per (source, read) pair, one per (read,
// value) where reads lie on a cycle of value flow, the bits of terms, the direction of each ordered pair, the
// chosen alternative of enumerated relations, the final write of each observed cell. Everything else - values, guards, existence - is a function of these.
#include "axiomatic/engine/smt/program.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::engine::smt {

using event::CellId;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::SlotId;
using event::Value;

Sources possible_sources(const event::ProgramGraph& graph, const Guards& guards) {
  Sources sources{std::vector<std::vector<SlotId>>(graph.slot_count()),
                  std::vector<std::vector<SlotId>>(graph.cells.size())};
  std::vector<std::vector<SlotId>> writes(graph.cells.size());
  for (SlotId w = 0; w < graph.slot_count(); ++w) {
    const event::Slot slot = graph.slot(w);
    if (graph.events[slot.event].is_write()) writes[slot.cell].push_back(w);
  }
  for (SlotId r = 0; r < graph.slot_count(); ++r) {
    const event::Slot slot = graph.slot(r);
    const event::Event& read = graph.events[slot.event];
    if (!read.is_read()) continue;
    for (const SlotId w : writes[slot.cell]) {
      const EventId writer = graph.slot(w).event;
      if (writer != read.rmw_partner && guards.together.test(writer, slot.event))
        sources.of_read[r].push_back(w);
    }
  }
  for (CellId cell = 0; cell < writes.size(); ++cell) {
    for (const SlotId w : writes[cell]) {
      const EventId writer = graph.slot(w).event;
      if (guards.together.test(writer, writer)) sources.of_final[cell].push_back(w);
    }
  }
  return sources;
}

Program::Program(const Query& query, const Guards& guards, const Sources& sources, const ValueFlow& flow,
                 const Reach& reach, bool free_values, Circuit& circuit, Cnf& cnf, const Deadline& deadline)
    : query_(query),
      graph_(query.graph),
      guards_(guards),
      sources_(sources),
      circuit_(circuit),
      cnf_(cnf),
      flow_(flow),
      reach_(reach),
      deadline_(deadline),
      domains_(graph_, sources, flow, free_values, deadline),
      values_(circuit, graph_, domains_),
      exists_(graph_.size(), kFalse),
      reads_from_(graph_.slot_count()),
      defined_(graph_.size(), 0),
      alternatives_(query.signature.rows().size()),
      enumerated_bounds_(query.signature.rows().size()),
      finals_(graph_.cells.size()) {
  choose_sources();
  define_values(free_values);
  define_existence();
  constrain_sources();
  choose_finals();
  choose_alternatives();
  for (const Expr assumption : graph_.assumptions) cnf_.require(values_.truth(assumption));
}

Lit Program::reads_from(EventId w, EventId r, CellId cell) const {
  const SlotId s = graph_.slot_at(r, cell);
  if (s == event::kNoSlot) return kFalse;
  for (std::size_t i = 0; i < sources_[s].size(); ++i) {
    if (graph_.slot(sources_[s][i]).event == w) return reads_from_[s][i];
  }
  return kFalse;
}

Lit Program::reads_from(EventId w, EventId r) {
  std::vector<Lit> cells;
  for (std::size_t k = 0; k < graph_.slots_of(r); ++k) {
    cells.push_back(reads_from(w, r, graph_.slot(graph_.slot_of(r, k)).cell));
  }
  return circuit_.disjunction(std::move(cells));
}

void Program::choose_sources() {
  for (SlotId r = 0; r < graph_.slot_count(); ++r) {
    if (sources_[r].size() == 1 && guards_.always[graph_.slot(r).event] != 0) {
      reads_from_[r] = {kTrue};
      continue;
    }
    for (std::size_t i = 0; i < sources_[r].size(); ++i) reads_from_[r].push_back(circuit_.input());
  }
}

Choices Program::fresh_choices(const std::vector<Value>& values) {
  if (values.size() == 1) return {{values.front(), kTrue}};
  if (values.size() == 2) {
    const Lit second = circuit_.input();
    return {{values[0], !second}, {values[1], second}};
  }
  Choices choices;
  std::vector<Lit> lits;
  for (const Value value : values) {
    lits.push_back(circuit_.input());
    choices.emplace_back(value, lits.back());
  }
  cnf_.require_any(lits);
  cnf_.at_most_one(circuit_, lits);
  return choices;
}

// Reads on value cycles get inputs first; then the others can be defined through what their sources store,
// depth first.
void Program::define_values(bool free_values) {
  for (SlotId s = 0; s < graph_.slot_count(); ++s) {
    if (is_cyclic(s)) define_cyclic_read(s, free_values);
  }
  for (EventId e = 0; e < graph_.size(); ++e) define_event(e, free_values);
  if (free_values) return;
  for (SlotId s = 0; s < graph_.slot_count(); ++s) {
    if (is_cyclic(s)) constrain_cyclic_read(s);
  }
}

void Program::define_event(EventId e, bool free_values) {
  if (defined_[e] == 0) recursion_.deeper([&] { define_open_event(e, free_values); });
}

void Program::define_open_event(EventId e, bool free_values) {
  deadline_.check();
  defined_[e] = 1;
  const event::Event& event = graph_.events[e];
  if (event.kind == EventKind::initial_write && !event.choices.empty()) define_initial(e);
  if (!event.is_read()) return;
  for (std::size_t k = 0; k < graph_.slots_of(e); ++k) {
    const SlotId s = graph_.slot_of(e, k);
    for (const SlotId w : sources_[s]) {
      const event::Slot source = graph_.slot(w);
      define_event(source.event, free_values);
      for (const EventId atom : graph_.exprs.atoms(source.value)) define_event(atom, free_values);
    }
    define_read(s);
  }
}

void Program::define_initial(EventId e) {
  const ValueSet& domain = domains_.of_read(e);
  if (domain.finite) return values_.set_slot(e, fresh_choices(domain.values));
  const event::Event& event = graph_.events[e];
  const event::Width width = graph_.exprs[event.value].width;
  const Word word = values_.words().fresh(width);
  std::vector<Lit> any;
  for (const Value value : event.choices)
    any.push_back(values_.words().equal(word, values_.words().constant(value, width)));
  cnf_.require_any(std::move(any));
  values_.set_slot(e, word);
}

void Program::define_cyclic_read(SlotId s, bool free_values) {
  defined_[graph_.slot(s).event] = 1;
  const ValueSet& domain = domains_.of_read(s);
  const event::Width width = graph_.exprs[graph_.slot(s).value].width;
  if (free_values || !domain.finite) {
    values_.set_slot(s, values_.words().fresh(width));
  } else if (domain.values.empty()) {
    values_.set_slot(s, Choices{{0, kTrue}});  // no value ever arrives: the read has no source
  } else {
    values_.set_slot(s, fresh_choices(domain.values));
  }
}

void Program::define_read(SlotId s) {
  const ValueSet& domain = domains_.of_read(s);
  const auto& sources = sources_[s];
  if (!domain.finite) {
    const std::size_t bits = values_.words().bits(graph_.exprs[graph_.slot(s).value].width);
    std::vector<std::vector<Lit>> parts(bits);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Word stored = values_.word(graph_.slot(sources[i]).value);
      for (std::size_t bit = 0; bit < bits; ++bit)
        parts[bit].push_back(circuit_.conjunction(reads_from_[s][i], stored[bit]));
    }
    Word word;
    for (auto& part : parts) word.push_back(circuit_.disjunction(std::move(part)));
    values_.set_slot(s, std::move(word));
    return;
  }
  Choices choices;
  for (const Value value : domain.values) {
    std::vector<Lit> parts;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Lit stored = Values::lookup(values_.choices(graph_.slot(sources[i]).value), value);
      parts.push_back(circuit_.conjunction(reads_from_[s][i], stored));
    }
    choices.emplace_back(value, circuit_.disjunction(std::move(parts)));
  }
  // With one possible value the read has it, and one that does not exist counts as reading zero.
  if (choices.size() == 1) choices.front().second = kTrue;
  if (choices.size() > 1 && guards_.always[graph_.slot(s).event] == 0) {
    std::vector<Lit> others;
    Lit* zero = nullptr;
    for (auto& [value, lit] : choices) {
      if (value == 0) {
        zero = &lit;
      } else {
        others.push_back(lit);
      }
    }
    PTXMC_CHECK(zero != nullptr, "a read that may not exist has the value zero among others");
    *zero = !circuit_.disjunction(std::move(others));
  }
  values_.set_slot(s, std::move(choices));
}

// The value read is the value of the source.
void Program::constrain_cyclic_read(SlotId s) {
  const Expr self = graph_.slot(s).value;
  for (std::size_t i = 0; i < sources_[s].size(); ++i) {
    const Expr stored = graph_.slot(sources_[s][i]).value;
    const Lit from = reads_from_[s][i];
    if (values_.finite(self) && values_.finite(stored)) {
      for (const auto& [value, lit] : values_.choices(stored)) {
        cnf_.require_any({!from, !lit, Values::lookup(values_.choices(self), value)});
      }
    } else {
      const Word a = values_.word(self), b = values_.word(stored);
      for (std::size_t bit = 0; bit < a.size(); ++bit) {
        cnf_.require_any({!from, !circuit_.exclusive(a[bit], b[bit])});
      }
    }
  }
}

void Program::define_existence() {
  for (EventId e = 0; e < graph_.size(); ++e) exists_[e] = values_.truth(graph_.events[e].guard);
}

void Program::constrain_sources() {
  for (SlotId s = 0; s < graph_.slot_count(); ++s) {
    const event::Slot slot = graph_.slot(s);
    const EventId r = slot.event;
    if (!graph_.events[r].is_read()) continue;
    deadline_.check();
    std::vector<Lit> some = reads_from_[s];
    cnf_.at_most_one(circuit_, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      cnf_.require_implies(some[i], exists_[graph_.slot(sources_[s][i]).event]);
      cnf_.require_implies(some[i], exists_[r]);
    }
    if (is_cyclic(s) && guards_.always[r] == 0 && values_.finite(slot.value)) {
      cnf_.require_any({exists_[r], values_.equals(slot.value, 0)});
    }
    some.push_back(!exists_[r]);
    cnf_.require_any(std::move(some));
  }
}

// Which cells' final values are asked for?
void Program::choose_finals() {
  std::vector<Expr> stack{graph_.proposition, graph_.filter};
  for (const event::Observable& observable : graph_.observables) stack.push_back(observable.value);
  std::vector<char> seen(graph_.exprs.size(), 0), needed(graph_.cells.size(), 0);
  while (!stack.empty()) {
    const Expr e = stack.back();
    stack.pop_back();
    if (seen[e.index] != 0) continue;
    seen[e.index] = 1;
    const event::Node& node = graph_.exprs[e];
    if (node.op == event::Op::final_value) needed[node.atom] = 1;
    const int arity = event::arity(node.op);
    if (arity > 0) stack.push_back(node.a);
    if (arity > 1) stack.push_back(node.b);
    if (arity > 2) stack.push_back(node.c);
  }
  for (CellId cell = 0; cell < graph_.cells.size(); ++cell) {
    if (needed[cell] != 0) define_final(cell);
  }
  join_final_reads();
}

// A final value that is put together from several cells is a single read.
void Program::join_final_reads() {
  for (const auto& cells : graph_.final_reads) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (std::size_t j = i + 1; j < cells.size(); ++j) {
        for (const FinalChoice& one : finals_[cells[i]]) {
          for (const FinalChoice& other : finals_[cells[j]]) {
            if (event::torn_between(graph_, one.write, cells[i], other.write, cells[j]))
              cnf_.require_any({!one.chosen, !other.chosen});
          }
        }
      }
    }
  }
}

void Program::define_final(CellId cell) {
  const auto stored = [&](EventId w) { return graph_.slot(graph_.slot_at(w, cell)).value; };
  std::vector<Lit> lits;
  const bool finite = domains_.of_final(cell).finite;  // as for expressions over the final value
  deadline_.check();
  for (const SlotId w : sources_.of_final[cell])
    finals_[cell].push_back({graph_.slot(w).event, circuit_.input()});
  if (finals_[cell].size() == 1) finals_[cell].front().chosen = kTrue;
  for (const FinalChoice& choice : finals_[cell]) {
    lits.push_back(choice.chosen);
    cnf_.require_implies(choice.chosen, exists_[choice.write]);
  }
  cnf_.require_any(lits);
  cnf_.at_most_one(circuit_, lits);
  std::map<Value, std::vector<Lit>> buckets;
  std::vector<std::vector<Lit>> bits;
  for (const FinalChoice& choice : finals_[cell]) {
    if (finite) {
      for (const auto& [value, lit] : values_.choices(stored(choice.write)))
        buckets[value].push_back(circuit_.conjunction(choice.chosen, lit));
      continue;
    }
    const Word& word = values_.word(stored(choice.write));
    bits.resize(word.size());
    for (std::size_t i = 0; i < word.size(); ++i)
      bits[i].push_back(circuit_.conjunction(choice.chosen, word[i]));
  }
  if (finite) {
    Choices choices;
    for (auto& [value, parts] : buckets) choices.emplace_back(value, circuit_.disjunction(std::move(parts)));
    if (choices.size() == 1) choices.front().second = kTrue;
    values_.set_cell(cell, std::move(choices));
  } else {
    Word word;
    for (auto& parts : bits) word.push_back(circuit_.disjunction(std::move(parts)));
    values_.set_cell(cell, std::move(word));
  }
}

Program::Direction Program::direction(std::uint32_t order, EventId a, EventId b, bool partial) {
  const auto [it, fresh] = directions_.try_emplace({order, a, b});
  if (fresh) {
    const Lit forward = circuit_.input();
    it->second = {forward, !forward};
    if (partial) {
      it->second.backward = circuit_.input();
      cnf_.require_any({!forward, !it->second.backward});
    }
  }
  return it->second;
}

}  // namespace ptxmc::engine::smt
