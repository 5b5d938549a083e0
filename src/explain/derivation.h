// SPDX-License-Identifier: Apache-2.0
// Why a pair of events is in a relation of the model: the cheapest derivation from base relations, in the
// terms of the text's own definitions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axiomatic/recheck/naive_relations.h"

namespace ptxmc::explain {

/// (from, to) is in the relation `name`.
struct Step {
  event::EventId from = event::kNoEvent;
  event::EventId to = event::kNoEvent;
  std::string name;  ///< of a definition, an order or a base relation; else the expression, as cat prints it
  std::string section;           ///< as in the model ("8.9.5, D10"); may be empty
  bool named = true;             ///< `name` is one of the model
  std::vector<Step> because;     ///< a chain from `from` to `to`; empty for what an execution chooses or the
                                 ///< program fixes
  std::vector<Step> conditions;  ///< what else holds of the pair (`ms` in `ms & rf`); those that an execution
                                 ///< chooses have a chain too
};

/// A path from one event to another, and what holds of its two ends besides.
struct Chain {
  std::vector<Step> steps;
  std::vector<Step> conditions;
};

/// Costs of pairs: how many base edges the cheapest derivation has; kAbsent where the pair is not in the
/// relation.
class CostMatrix {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  explicit CostMatrix(std::size_t size = 0) : size_(size), costs_(size * size, kAbsent) {}
  std::size_t size() const { return size_; }
  std::uint32_t at(std::size_t a, std::size_t b) const { return costs_[a * size_ + b]; }
  bool has(std::size_t a, std::size_t b) const { return at(a, b) != kAbsent; }
  void offer(std::size_t a, std::size_t b, std::uint32_t cost) {
    std::uint32_t& entry = costs_[a * size_ + b];
    if (cost < entry) entry = cost;
  }
  friend bool operator==(const CostMatrix&, const CostMatrix&) = default;

 private:
  std::size_t size_;
  std::vector<std::uint32_t> costs_;
};

class Derivation {
 public:
  /// What `input` refers to outlives the derivation.
  explicit Derivation(const check::NaiveInput& input);

  const CostMatrix& costs(relation::Rel r);
  /// Unfolds a pair of the relation. A relation with a name is a single step. Throws InternalError when
  /// (from, to) is no pair of it.
  Chain chain(relation::Rel r, event::EventId from, event::EventId to);
  /// The same, but what the relation itself is made of, whether it has a name or not.
  Chain unfold(relation::Rel r, event::EventId from, event::EventId to);
  /// Events of a cheapest cycle e1, e2, ..., e1 (the first repeated at the end); empty when there is none.
  std::vector<event::EventId> shortest_cycle(relation::Rel r);
  check::NaiveRelations& relations() { return relations_; }

 private:
  /// What decides a relation: how it varies between executions, or at least between places of a program.
  enum class Weight : std::uint8_t { fixed, ordered, chosen };
  struct Name {
    std::string name, section;
  };

  CostMatrix compute(relation::Rel r);
  CostMatrix from_pairs(relation::Rel r, std::uint32_t cost = 1);
  CostMatrix sequence(const CostMatrix& a, const CostMatrix& b) const;
  CostMatrix closure(const CostMatrix& a) const;
  void solve(std::uint32_t group);
  Weight weight(relation::Rel r);
  std::optional<Name> name_of(relation::Rel r) const;
  Step leaf(relation::Rel r, event::EventId from, event::EventId to) const;
  Step condition(relation::Rel r, event::EventId from, event::EventId to);
  Chain unfold_intersection(relation::Rel r, event::EventId from, event::EventId to);
  Chain unfold_sequence(relation::Rel a, relation::Rel b, event::EventId from, event::EventId to);
  Chain unfold_closure(relation::Rel a, event::EventId from, event::EventId to);
  Chain unfold_inverse(relation::Rel r, relation::Rel a, event::EventId from, event::EventId to);
  Chain unfold_from_reads(relation::Rel co, event::EventId from, event::EventId to);
  void append(Chain& chain, relation::Rel r, event::EventId from, event::EventId to);

  const check::NaiveInput input_;
  check::NaiveRelations relations_;
  std::map<std::uint32_t, Name> names_;  // by index of the relation
  std::map<std::uint32_t, CostMatrix> memo_;
  // of entries of memo_, so that an unfinished `let rec` can take some back
  std::vector<std::uint32_t> order_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CostMatrix> variables_;  // (group, member)
  std::set<std::uint32_t> solved_, open_;
  std::map<std::uint32_t, Weight> weights_;
};

}  // namespace ptxmc::explain
