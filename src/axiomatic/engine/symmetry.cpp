// SPDX-License-Identifier: Apache-2.0
// Two threads are interchangeable if swapping their events, position by position, is an automorphism of the
// program graph: guards, values, assumptions, filter and proposition are the same expressions after the swap,
// up to the order of commutative operands, and every used base set and relation is invariant. Swaps with one
// representative generate all permutations of a class. Expressions are compared by numbers of a table of
// canonical forms, so equality is exact. Cost: for each thread its expressions, and rows and columns of its
// events in the base relations.
#include "axiomatic/engine/symmetry.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace ptxmc::engine {

namespace {

using event::EventId;
using event::Expr;
using event::Node;
using event::Op;

using Permutation = std::vector<EventId>;

/// Numbers of canonical forms: equal numbers, equal expressions.
class Canonical {
 public:
  explicit Canonical(const event::ExprPool& pool) : pool_(pool) {}

  std::vector<std::uint32_t> numbers(const std::vector<Expr>& exprs, const Permutation& permutation) {
    memo_.clear();
    std::vector<std::uint32_t> result;
    for (const Expr e : exprs) result.push_back(number(e, permutation));
    return result;
  }

 private:
  using Form = std::tuple<Op, event::Width, event::Value, std::uint32_t, std::vector<std::uint32_t>>;

  // Operands of nested conjunctions (or other such operations) of one kind are one list.
  void operands(Expr e, const Node& top, const Permutation& permutation, std::vector<std::uint32_t>& out) {
    const Node& node = pool_[e];
    const bool nested =
        node.op == top.op && node.width == top.width && (top.op == Op::and_ || top.op == Op::or_);
    if (!nested) {
      out.push_back(number(e, permutation));
      return;
    }
    operands(node.a, top, permutation, out);
    operands(node.b, top, permutation, out);
  }

  std::uint32_t number(Expr e, const Permutation& permutation) {
    const auto known = memo_.find(e.index);
    if (known != memo_.end()) return known->second;
    const Node& node = pool_[e];
    const int arity = event::arity(node.op);
    std::vector<std::uint32_t> parts;
    if (commutative(node.op)) {
      operands(node.a, node, permutation, parts);
      operands(node.b, node, permutation, parts);
      std::sort(parts.begin(), parts.end());
      // Idempotent operations: the same operand twice says nothing new.
      if (node.op == Op::and_ || node.op == Op::or_)
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    } else {
      if (arity > 0) parts.push_back(number(node.a, permutation));
      if (arity > 1) parts.push_back(number(node.b, permutation));
      if (arity > 2) parts.push_back(number(node.c, permutation));
    }
    const std::uint32_t atom = node.op == Op::value_of ? permutation[node.atom] : node.atom;
    const auto [it, fresh] =
        forms_.try_emplace(Form{node.op, node.width, node.constant, atom, std::move(parts)},
                           static_cast<std::uint32_t>(forms_.size()));
    memo_.emplace(e.index, it->second);
    return it->second;
  }

  const event::ExprPool& pool_;
  std::map<Form, std::uint32_t> forms_;
  std::map<std::uint32_t, std::uint32_t> memo_;  // of the permutation at hand
};

class Finder {
 public:
  Finder(const Query& query, const UsedBases& used, bool proposition)
      : query_(query),
        graph_(query.graph),
        canonical_(graph_.exprs),
        identity_(graph_.size()),
        relations_(used.relations),
        sets_(used.sets) {
    std::iota(identity_.begin(), identity_.end(), EventId{0});
    threads_.resize(graph_.threads.size());
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (graph_.events[e].thread != event::kNoThread) threads_[graph_.events[e].thread].push_back(e);
    }
    global_ = {graph_.filter};
    if (proposition) global_.push_back(graph_.proposition);
  }

  std::vector<ThreadSymmetry> run(bool of_states) {
    std::vector<ThreadSymmetry> classes;
    if (!plain_enumerations()) return classes;
    const auto fixed_global = canonical_.numbers(global_, identity_);
    const auto fixed_assumptions = sorted(canonical_.numbers(graph_.assumptions, identity_));
    std::vector<char> taken(threads_.size(), 0);
    for (std::size_t a = 0; a < threads_.size(); ++a) {
      if (taken[a] != 0 || threads_[a].empty()) continue;
      ThreadSymmetry members{{threads_[a]}, {}, {}};
      for (std::size_t b = a + 1; b < threads_.size(); ++b) {
        if (taken[b] != 0 || !same_shape(threads_[a], threads_[b])) continue;
        Permutation swap = identity_;
        for (std::size_t i = 0; i < threads_[a].size(); ++i) {
          swap[threads_[a][i]] = threads_[b][i];
          swap[threads_[b][i]] = threads_[a][i];
        }
        if (canonical_.numbers(global_, swap) != fixed_global ||
            sorted(canonical_.numbers(graph_.assumptions, swap)) != fixed_assumptions || !same_events(swap) ||
            !invariant(swap)) {
          continue;
        }
        if (of_states &&
            !add_images(static_cast<event::ThreadId>(a), static_cast<event::ThreadId>(b), swap, members))
          continue;
        taken[b] = 1;
        members.events.push_back(threads_[b]);
      }
      if (members.events.size() > 1) classes.push_back(std::move(members));
    }
    return classes;
  }

 private:
  static std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  /// Expressions `moved[k]` of thread a become `images[k]` of thread b under the swap, all others stay.
  struct Images {
    std::vector<std::uint32_t> moved, images;
  };

  std::optional<Images> images_of(const std::vector<Expr>& exprs, const std::vector<event::ThreadId>& owners,
                                  event::ThreadId a, event::ThreadId b, const Permutation& swap) {
    const auto before = canonical_.numbers(exprs, identity_);
    const auto after = canonical_.numbers(exprs, swap);
    Images out;
    for (std::uint32_t i = 0; i < exprs.size(); ++i) {
      if (after[i] == before[i]) continue;
      if (owners[i] != a && owners[i] != b) return std::nullopt;
      if (owners[i] != a) continue;
      std::uint32_t j = 0;
      while (j < exprs.size() && (owners[j] != b || before[j] != after[i])) ++j;
      if (j == exprs.size()) return std::nullopt;
      out.moved.push_back(i);
      out.images.push_back(j);
    }
    std::vector<std::uint32_t> distinct = out.images;
    std::sort(distinct.begin(), distinct.end());
    const bool twice = std::adjacent_find(distinct.begin(), distinct.end()) != distinct.end();
    const auto moves_b = [&](std::uint32_t i) { return after[i] != before[i] && owners[i] == b; };
    std::size_t of_b = 0;
    for (std::uint32_t i = 0; i < exprs.size(); ++i) of_b += moves_b(i) ? 1 : 0;
    if (twice || of_b != out.images.size()) return std::nullopt;
    return out;
  }

  /// The one thread whose events e depends on; none or several: no thread.
  event::ThreadId owner(Expr e) const {
    event::ThreadId found = event::kNoThread;
    for (const EventId atom : graph_.exprs.atoms(e)) {
      const event::ThreadId thread = graph_.events[atom].thread;
      if (found != event::kNoThread && thread != found) return event::kNoThread;
      found = thread;
    }
    return found;
  }

  /// Adds thread b's observables and decisions to the class of a; false when they do not correspond to a's.
  bool add_images(event::ThreadId a, event::ThreadId b, const Permutation& swap, ThreadSymmetry& members) {
    std::vector<Expr> shown, conditions;
    std::vector<event::ThreadId> shown_by, decided_by;
    for (const event::Observable& observable : graph_.observables) {
      shown.push_back(observable.value);
      shown_by.push_back(owner(observable.value));
    }
    for (const event::Decision& decision : graph_.decisions) {
      conditions.push_back(decision.condition);
      decided_by.push_back(decision.thread);
    }
    const auto observables = images_of(shown, shown_by, a, b, swap);
    const auto decisions = images_of(conditions, decided_by, a, b, swap);
    if (!observables || !decisions) return false;
    for (std::size_t k = 0; k < observables->moved.size(); ++k) {
      const event::Observable& one = graph_.observables[observables->moved[k]];
      const event::Observable& other = graph_.observables[observables->images[k]];
      if (one.width != other.width || one.is_signed != other.is_signed) return false;
    }
    if (members.observables.empty()) {
      members.observables.push_back(observables->moved);
      members.decisions.push_back(decisions->moved);
    } else if (members.observables.front() != observables->moved ||
               members.decisions.front() != decisions->moved) {
      return false;
    }
    members.observables.push_back(observables->images);
    members.decisions.push_back(decisions->images);
    return true;
  }

  // Enumerated relations are compared only in the case that makes no difference: one alternative, no pairs.
  bool plain_enumerations() const {
    return std::all_of(relations_.begin(), relations_.end(), [&](std::uint32_t base) {
      if (query_.signature[base].provider != relation::Provider::enumerated) return true;
      if (!event::relevant_decisions(graph_, base).empty()) return false;
      const auto listed =
          event::alternatives(graph_, base, event::Assignment(graph_.decisions.size(), event::Truth::unset),
                              query_.budget, event::HowMany::few);
      return listed.complete && listed.values.size() == 1 && listed.values.front().empty();
    });
  }

  bool same_shape(const std::vector<EventId>& a, const std::vector<EventId>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](EventId x, EventId y) {
      const event::Event& p = graph_.events[x];
      const event::Event& q = graph_.events[y];
      if (p.part_count != q.part_count) return false;
      for (std::size_t k = 1; k <= p.part_count; ++k) {
        if (graph_.slot(graph_.slot_of(x, k)).cell != graph_.slot(graph_.slot_of(y, k)).cell) return false;
      }
      return p.kind == q.kind && p.cell == q.cell && p.choices == q.choices;
    });
  }

  bool same_events(const Permutation& swap) {
    std::vector<Expr> before, after;
    for (EventId e = 0; e < graph_.size(); ++e) {
      const event::Event& event = graph_.events[e];
      const event::Event& image = graph_.events[swap[e]];
      const EventId partner =
          event.rmw_partner == event::kNoEvent ? event::kNoEvent : swap[event.rmw_partner];
      if (image.rmw_partner != partner) return false;
      before.push_back(event.guard);
      after.push_back(image.guard);
      if (!event.is_access()) continue;
      for (std::size_t k = 0; k < graph_.slots_of(e); ++k) {
        before.push_back(graph_.slot(graph_.slot_of(e, k)).value);
        after.push_back(graph_.slot(graph_.slot_of(swap[e], k)).value);
      }
    }
    return canonical_.numbers(before, swap) == canonical_.numbers(after, identity_);
  }

  bool invariant(const Permutation& swap) const {
    std::vector<EventId> moved;
    for (EventId e = 0; e < swap.size(); ++e) {
      if (swap[e] != e) moved.push_back(e);
    }
    for (const std::uint32_t base : sets_) {
      const relation::BitSet& set = query_.base.sets[base];
      for (const EventId e : moved) {
        if (set.test(e) != set.test(swap[e])) return false;
      }
    }
    for (const std::uint32_t base : relations_) {
      if (query_.signature[base].provider != relation::Provider::fixed) continue;
      const relation::BitMatrix& matrix = query_.base.relations[base];
      for (const EventId a : moved) {
        for (EventId b = 0; b < swap.size(); ++b) {
          if (matrix.test(a, b) != matrix.test(swap[a], swap[b]) ||
              matrix.test(b, a) != matrix.test(swap[b], swap[a]))
            return false;
        }
      }
    }
    return true;
  }

  const Query& query_;
  const event::ProgramGraph& graph_;
  Canonical canonical_;
  Permutation identity_;
  std::vector<std::vector<EventId>> threads_;
  std::vector<std::uint32_t> relations_, sets_;  // used base ids
  std::vector<Expr> global_;                     // expressions that every swap must keep
};

}  // namespace

std::vector<Interchangeable> interchangeable_threads(const Query& query, const UsedBases& used,
                                                     bool proposition) {
  std::vector<Interchangeable> out;
  for (ThreadSymmetry& found : Finder(query, used, proposition).run(false))
    out.push_back(std::move(found.events));
  return out;
}

std::vector<ThreadSymmetry> state_symmetries(const Query& query, const UsedBases& used) {
  return Finder(query, used, false).run(true);
}

}  // namespace ptxmc::engine
