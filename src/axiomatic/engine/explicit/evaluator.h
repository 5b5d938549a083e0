// SPDX-License-Identifier: Apache-2.0
// Evaluation of a model's relations on one candidate: bit matrices over the events that exist.
//
// Nodes that depend on no choice are computed once per path; the others again for each assignment, along a
// schedule that is fixed when the path is set up (`let rec` groups by Kleene iteration). On an incomplete
// assignment the value of a node is a lower bound: chosen edges only, and nothing from `a \ b` when b depends
// on choices. Since bounds only grow towards a complete assignment, an axiom that a lower bound violates is
// violated for good: which axioms prune early follows from the tree, not from a list. On a complete
// assignment values are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/cat/walk.h"
#include "model/relation/bits.h"
#include "model/relation/memory_model.h"

namespace ptxmc::engine::explicit_ {

/// What the choices currently are; edges between local event numbers.
struct Choices {
  relation::BitMatrix reads_from;    // write -> read that takes at least one cell from it
  std::vector<std::size_t> sources;  // per Inputs::reads: the write it is taken from, kNone: not chosen yet
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<relation::BitMatrix> orders;  // per order declaration
  /// How many are made.
  std::size_t made() const;
};

/// Fixed inputs of a path, on local event numbers.
struct Inputs {
  std::size_t size = 0;
  std::vector<relation::BitSet> sets;          // by base id
  std::vector<relation::BitMatrix> relations;  // by base id; enumerated ones included
  std::vector<bool> is_reads_from;             // by base id
  /// One cell of a read, and the writes of that cell by other operations.
  struct Read {
    std::size_t event;
    std::size_t slot;  // Path's number
    relation::BitSet writers;
  };
  std::vector<Read> reads;
};

/// Either a node of one sort or a whole `let rec` group with the steps of its bodies.
struct Step {
  enum class Kind : std::uint8_t { set, relation, group } kind;
  std::uint32_t index;
  std::vector<Step> body;  // group only
};

class Evaluator {
 public:
  Evaluator(const relation::Tree& tree, Inputs inputs, const std::vector<relation::Rel>& relation_roots,
            const std::vector<relation::Set>& set_roots);

  /// Events of which some stand for the same event of another evaluator, one at a time: what no choice changes is there
  /// what it is between those events, and nothing is between two that stand for one.
  struct Copies {
    const Evaluator& of;
    const std::vector<std::size_t>& events;  ///< of each event, the other's
  };
  Evaluator(const relation::Tree& tree, Inputs inputs, const std::vector<relation::Rel>& relation_roots,
            const std::vector<relation::Set>& set_roots, const std::optional<Copies>& copies);

  /// Recomputes every dynamic node. Matrices of `choices` must outlive the call only.
  void evaluate(const Choices& choices, bool complete);
  /// As on a complete assignment, but nothing that depends on choices is taken away by `a \ b`: upper bounds for any
  /// part of these choices.
  void evaluate_most(const Choices& choices);
  /// Keeps the current values as what holds whatever is chosen (call with such choices only as every execution makes).
  void keep_as_base();

  const relation::BitMatrix& value(relation::Rel r) const {
    const relation::BitMatrix& own = relations_[r.index];
    return own.size() == 0 ? none_ : own;
  }
  const relation::BitSet& value(relation::Set s) const { return sets_[s.index]; }
  /// Pairs that need no reason.
  bool in_base(relation::Rel r, std::size_t a, std::size_t b) const;
  bool is_dynamic(relation::Rel r) const { return dynamic_.relations[r.index]; }
  bool is_dynamic(relation::Set s) const { return dynamic_.sets[s.index]; }
  bool depends_on_group(relation::Rel r, std::uint32_t group) const {
    return in_group_[group].relations[r.index];
  }

  /// Kleene iterations of a group under the current choices, for explanations: element k holds the value of
  /// every relation node of the bodies after round k+1, and the variables as they were before it.
  struct Round {
    std::vector<relation::BitMatrix> nodes;
  };
  std::vector<Round> rounds(std::uint32_t group);

  const relation::Tree& tree() const { return tree_; }
  const Inputs& inputs() const { return inputs_; }
  std::size_t size() const { return inputs_.size; }
  /// Nodes that every evaluation computes.
  std::size_t steps() const;

 private:
  cat::Below no_marks() const;
  void mark_dynamic();
  void mark_groups();
  /// Which nodes may be non-empty.
  struct Support {
    std::vector<bool> sets, relations;
  };
  bool may_hold(const relation::SetNode& node, const Support& support) const;
  bool may_hold(const relation::RelNode& node, const Support& support) const;
  void drop_empty_steps();
  void drop_empty(std::vector<Step>& steps, const Support& support) const;
  bool reads_choice(const relation::RelNode& node) const;
  void schedule(relation::Rel r, std::vector<Step>& out, std::vector<std::uint32_t>& open);
  void schedule(relation::Set s, std::vector<Step>& out, std::vector<std::uint32_t>& open);
  void run_fixed();
  void note(const Step& step, Support& support) const;
  void run(std::span<const Step> steps);
  void take_fixed(const Copies& copies);
  void run_group(const Step& step, std::vector<Round>* record);
  void compute(relation::Set s);
  void compute(relation::Rel r);
  void compute_sequence(relation::BitMatrix& out, const relation::Sequence& n);
  void compute_from_reads(relation::BitMatrix& out, const relation::BitMatrix& co);

  const relation::Tree& tree_;
  Inputs inputs_;
  const Choices* choices_ = nullptr;
  enum class Bound : std::uint8_t { lower, exact, upper } bound_ = Bound::lower;
  cat::Below dynamic_, scheduled_;
  std::vector<bool> scheduled_groups_;
  std::vector<cat::Below> in_group_;  // per group: nodes that depend on its variables
  std::vector<relation::BitSet> sets_;
  std::vector<relation::BitMatrix> relations_;  // of size 0: empty, so far
  std::vector<relation::BitMatrix> base_;
  relation::BitMatrix none_;
  std::vector<Step> fixed_steps_, dynamic_steps_;
};

}  // namespace ptxmc::engine::explicit_
