// SPDX-License-Identifier: Apache-2.0
// What the two readers of conditions (herd's and NVIDIA's notation) share; internal to src/input/litmus. Precedence, from loose to tight:
// => (to the right), or, and, not.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "input/litmus/raw.h"

namespace ptxmc::litmus {

template <typename Node>
ConditionPtr make(Node node, Position position) {
  return std::make_shared<const Condition>(Condition{std::move(node), position});
}

/// The sign at the cursor, taken; nothing when there is none.
std::optional<isa::Compare> accept_compare(Cursor& cursor);

class ConditionGrammar {
 public:
  explicit ConditionGrammar(Cursor& cursor) : c_(cursor) {}
  ConditionGrammar(const ConditionGrammar&) = delete;
  ConditionGrammar& operator=(const ConditionGrammar&) = delete;
  virtual ~ConditionGrammar() = default;

  /// Null: reported.
  ConditionPtr implication(int depth = 0);

 protected:
  virtual bool accept_or() = 0;
  virtual bool accept_and() = 0;
  virtual bool accept_not() = 0;
  /// Behind a part there is a sign that joins none: it is reported.
  virtual bool is_foreign() { return false; }
  /// Nothing: reported.
  virtual std::optional<ConditionTerm> term() = 0;

  Cursor& c_;

 private:
  template <typename List>
  ConditionPtr list(int depth, bool (ConditionGrammar::*joined)(),
                    ConditionPtr (ConditionGrammar::*part)(int));
  ConditionPtr disjunction(int depth) {
    return list<Disjunction>(depth, &ConditionGrammar::accept_or, &ConditionGrammar::conjunction);
  }
  ConditionPtr conjunction(int depth) {
    return list<Conjunction>(depth, &ConditionGrammar::accept_and, &ConditionGrammar::negation);
  }
  ConditionPtr negation(int depth);
  ConditionPtr comparison();
  void check_depth(int depth) const;
};

}  // namespace ptxmc::litmus
