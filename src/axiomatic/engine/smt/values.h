// SPDX-License-Identifier: Apache-2.0
// Values: expressions as circuits, over one literal per (read, value) where values are few and over bits
// elsewhere.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "axiomatic/engine/smt/circuit.h"
#include "axiomatic/engine/smt/domains.h"
#include "axiomatic/engine/smt/words.h"
#include "axiomatic/event/program_graph.h"
#include "support/recursion.h"

namespace ptxmc::engine::smt {

/// value -> "the expression has that value"; ascending; exactly one of the literals holds in every execution.
using Choices = std::vector<std::pair<event::Value, Lit>>;

class Values {
 public:
  Values(Circuit& circuit, const event::ProgramGraph& graph, Domains& domains);

  /// Atoms must be set before an expression over them is asked for.
  void set_slot(event::SlotId event, Choices choices) { slots_[event] = {true, std::move(choices), {}}; }
  void set_slot(event::SlotId event, Word word) { slots_[event] = {true, {}, std::move(word)}; }
  void set_cell(event::CellId cell, Choices choices) { cells_[cell] = {true, std::move(choices), {}}; }
  void set_cell(event::CellId cell, Word word) { cells_[cell] = {true, {}, std::move(word)}; }

  bool finite(event::Expr e) { return domains_.of(e).finite; }
  const Choices& choices(event::Expr e);  ///< finite(e)
  const Word& word(event::Expr e);
  /// Builds e's circuit, so that overflow() knows about it.
  void encode(event::Expr e) { entry(e); }
  bool is_encoded(event::Expr e) const { return memo_[e.index].known; }
  Lit truth(event::Expr e);  ///< width 1
  Lit equals(event::Expr e, event::Value value);
  /// Value of e under a valuation.
  event::Value value(event::Expr e, Valuation& valuation);
  /// Literals under which an unbounded operation leaves 64 bits.
  const std::vector<Lit>& overflow() const { return overflow_; }

  /// The terms and calls of unknown functions that have circuits. That equal operands give equal results is
  /// not said there: words_.equal of the calls' operands is what to say it with (session.cpp).
  const std::vector<event::Expr>& terms() const { return terms_; }
  const std::vector<event::Expr>& calls() const { return calls_; }

  Words& words() { return words_; }
  Word to_word(const Choices& choices, event::Width width);
  static Lit lookup(const Choices& choices, event::Value value);

 private:
  struct Entry {
    bool known = false;
    Choices choices;
    Word word;
  };
  const Entry& entry(event::Expr e);
  Entry build(event::Expr e);
  Choices tabulate(const event::Node& node);
  Choices merge(Lit condition, const Choices& then, const Choices& otherwise);
  Lit build_truth(const event::Node& node);
  Word build_word(event::Expr e);

  Circuit& circuit_;
  const event::ProgramGraph& graph_;
  Domains& domains_;
  Words words_;
  Recursion recursion_;
  std::vector<Entry> slots_, cells_;
  std::vector<Entry> memo_;      // per expression
  std::vector<Word> word_memo_;  // per expression, where a word was asked for
  std::vector<Lit> overflow_;
  std::vector<event::Expr> terms_, calls_;
};

}  // namespace ptxmc::engine::smt
