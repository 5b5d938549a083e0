// SPDX-License-Identifier: Apache-2.0
// Three-valued evaluation of expressions; internal to this folder.
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/event/expr.h"
#include "axiomatic/event/valuation.h"

namespace ptxmc::event {

/// Evaluates by demand with a stack of its own: expressions of unrolled loops may be deeper than the call
/// stack. `leaf(e, node, value)` returns true where it answers for e itself, with `value` or (left empty)
/// "not known".
template <typename Leaf>
class Evaluation {
 public:
  Evaluation(const ExprPool& pool, const Leaf& leaf, std::size_t size, const Valuation* valuation = nullptr)
      : pool_(pool), leaf_(leaf), valuation_(valuation), memo_(size) {}

  std::optional<Value> run(Expr root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      const Expr e = stack_.back();
      if (memo_[e.index].state != State::fresh || step(e)) stack_.pop_back();
    }
    return known(root) ? std::optional<Value>(memo_[root.index].value) : std::nullopt;
  }

 private:
  enum class State : std::uint8_t { fresh, unknown, known };
  struct Cell {
    State state = State::fresh;
    Value value = 0;
  };

  bool known(Expr e) const { return memo_[e.index].state == State::known; }
  bool is(Expr e, Value value) const { return known(e) && memo_[e.index].value == value; }

  bool set(Expr e, std::optional<Value> value) {
    memo_[e.index] = value ? Cell{State::known, *value} : Cell{State::unknown, 0};
    return true;
  }
  bool copy(Expr e, Expr from) {
    memo_[e.index] = memo_[from.index];
    return true;
  }
  /// True when e has been evaluated; else puts it on the stack.
  bool need(Expr e) {
    if (memo_[e.index].state != State::fresh) return true;
    stack_.push_back(e);
    return false;
  }

  /// Computes e if its operands are there (true), else asks for one of them (false).
  bool step(Expr e) {
    const Node& node = pool_[e];
    if (node.op == Op::constant) return set(e, node.constant);
    std::optional<Value> value;
    if (leaf_(e, node, value)) return set(e, value);
    if (arity(node.op) == 0) return set(e, std::nullopt);
    switch (node.op) {
      case Op::ite:
        return step_choice(e, node);
      case Op::and_:
        if (node.width == 1) return step_truths(e, node, 0);
        break;
      case Op::or_:
        if (node.width == 1) return step_truths(e, node, 1);
        break;
      default:
        break;
    }
    if (!need(node.a)) return false;
    if (!known(node.a)) return set(e, std::nullopt);
    const bool binary = arity(node.op) > 1;
    if (binary && !need(node.b)) return false;
    if (binary && !known(node.b)) return set(e, std::nullopt);
    if (node.op == Op::opaque) return set(e, call(node));
    return set(e, apply(node.op, node.width, pool_[node.a].width, memo_[node.a.index].value,
                        binary ? memo_[node.b.index].value : 0));
  }

  std::optional<Value> call(const Node& node) const {
    if (!valuation_) return std::nullopt;
    return valuation_->of_call({node.constant, node.width, pool_[node.a].width, pool_[node.b].width,
                                memo_[node.a.index].value, memo_[node.b.index].value});
  }

  /// Conjunction (decisive = 0) or disjunction (decisive = 1).
  bool step_truths(Expr e, const Node& node, Value decisive) {
    if (!need(node.a)) return false;
    if (is(node.a, decisive)) return set(e, decisive);
    if (!need(node.b)) return false;
    if (is(node.b, decisive)) return set(e, decisive);
    return known(node.a) && known(node.b) ? set(e, 1 - decisive) : set(e, std::nullopt);
  }

  bool step_choice(Expr e, const Node& node) {
    if (!need(node.a)) return false;
    if (known(node.a)) {
      const Expr chosen = memo_[node.a.index].value != 0 ? node.b : node.c;
      return need(chosen) && copy(e, chosen);
    }
    if (!need(node.b) || !need(node.c)) return false;
    if (known(node.b) && is(node.c, memo_[node.b.index].value)) return copy(e, node.b);
    return set(e, std::nullopt);
  }

  const ExprPool& pool_;
  const Leaf& leaf_;
  const Valuation* valuation_;
  std::vector<Cell> memo_;
  std::vector<Expr> stack_;
};

}  // namespace ptxmc::event
