// SPDX-License-Identifier: Apache-2.0
// Every literal of a Choices is a function of its atoms' literals: a binary operation tabulates the product
// of its operands' values, truth values become gates directly. Nothing is asserted here.
#include "axiomatic/engine/smt/values.h"

#include <algorithm>
#include <map>

#include "support/beyond_limits.h"
#include "support/check.h"

namespace ptxmc::engine::smt {

using event::Expr;
using event::Node;
using event::Op;
using event::Value;

namespace {

/// Values are encoded one after the other. Where lanes tell each other what they read, on ways that exclude
/// each other, no such order need exist.
[[noreturn]] void fail_in_circle() {
  Diagnostics diagnostics;
  diagnostics.error({},
                    "values that rest on each other in a circle, though on ways through the program that "
                    "exclude each other");
  throw BeyondLimits(diagnostics);
}

}  // namespace

Values::Values(Circuit& circuit, const event::ProgramGraph& graph, Domains& domains)
    : circuit_(circuit),
      graph_(graph),
      domains_(domains),
      words_(circuit),
      slots_(graph.slot_count()),
      cells_(graph.cells.size()),
      memo_(graph.exprs.size()),
      word_memo_(graph.exprs.size()) {}

Lit Values::lookup(const Choices& choices, Value value) {
  const auto it = std::lower_bound(choices.begin(), choices.end(), value,
                                   [](const auto& choice, Value v) { return choice.first < v; });
  return it != choices.end() && it->first == value ? it->second : kFalse;
}

const Values::Entry& Values::entry(Expr e) {
  if (!memo_[e.index].known) {
    Entry built = recursion_.deeper([&] { return build(e); });
    built.known = true;
    memo_[e.index] = std::move(built);
  }
  return memo_[e.index];
}

const Choices& Values::choices(Expr e) {
  PTXMC_CHECK(finite(e), "a list of values is asked for where there is none");
  return entry(e).choices;
}

Lit Values::truth(Expr e) {
  return lookup(choices(e), 1);
}

Values::Entry Values::build(Expr e) {
  const Node& node = graph_.exprs[e];
  if (node.op == Op::constant) return {true, {{node.constant, kTrue}}, {}};
  if (node.op == Op::value_of || node.op == Op::final_value) {
    const Entry& atom = node.op == Op::value_of ? slots_[graph_.slot_of(node)] : cells_[node.atom];
    if (!atom.known) fail_in_circle();
    return atom;
  }
  if (node.op == Op::term) {
    terms_.push_back(e);
    return {true, {}, words_.fresh(node.width)};
  }
  if (node.op == Op::opaque) {
    word(node.a);
    word(node.b);
    calls_.push_back(e);
    return {true, {}, words_.fresh(node.width)};
  }
  if (!finite(e)) return {true, {}, build_word(e)};
  if (node.width == 1) {
    const Lit lit = build_truth(node);
    Choices choices;
    if (lit != kTrue) choices.emplace_back(0, !lit);
    if (lit != kFalse) choices.emplace_back(1, lit);
    return {true, std::move(choices), {}};
  }
  if (node.op == Op::ite) {  // a branch that is never taken may have no list
    const std::vector<Value>& conditions = domains_.of(node.a).values;
    if (conditions.empty()) return {true, {}, {}};
    if (conditions.size() == 1) return {true, choices(conditions.front() != 0 ? node.b : node.c), {}};
    return {true, merge(truth(node.a), choices(node.b), choices(node.c)), {}};
  }
  return {true, tabulate(node), {}};
}

Choices Values::merge(Lit condition, const Choices& then, const Choices& otherwise) {
  if (condition == kTrue) return then;
  if (condition == kFalse) return otherwise;
  std::map<Value, std::vector<Lit>> buckets;
  for (const auto& [value, lit] : then) buckets[value].push_back(circuit_.conjunction(condition, lit));
  for (const auto& [value, lit] : otherwise) buckets[value].push_back(circuit_.conjunction(!condition, lit));
  Choices result;
  for (auto& [value, parts] : buckets) {
    const Lit a = lookup(then, value), b = lookup(otherwise, value);
    const Lit lit = a == b ? a : circuit_.disjunction(std::move(parts));
    if (lit != kFalse) result.emplace_back(value, lit);
  }
  return result;
}

Choices Values::tabulate(const Node& node) {
  const int arity = event::arity(node.op);
  const Choices one{{0, kTrue}};
  const Choices& a = choices(node.a);
  const Choices& b = arity > 1 ? choices(node.b) : one;
  const event::Width operand_width = graph_.exprs[node.a].width;
  std::map<Value, std::vector<Lit>> buckets;
  for (const auto& [x, is_x] : a) {
    for (const auto& [y, is_y] : b) {
      const Lit both = circuit_.conjunction(is_x, is_y);
      if (both == kFalse) continue;
      try {
        buckets[event::apply(node.op, node.width, operand_width, x, y)].push_back(both);
      } catch (const event::Overflow&) {
        overflow_.push_back(both);
      }
    }
  }
  Choices result;
  for (auto& [value, parts] : buckets) result.emplace_back(value, circuit_.disjunction(std::move(parts)));
  if (result.size() == 1) result.front().second = kTrue;  // the only value there is
  return result;
}

Lit Values::build_truth(const Node& node) {
  switch (node.op) {
    case Op::not_:
      return !truth(node.a);
    case Op::and_:
      return circuit_.conjunction(truth(node.a), truth(node.b));
    case Op::or_:
      return circuit_.disjunction(truth(node.a), truth(node.b));
    case Op::ite:
      return circuit_.choose(truth(node.a), truth(node.b), truth(node.c));
    case Op::xor_:
      return circuit_.exclusive(truth(node.a), truth(node.b));
    default:
      break;
  }
  const bool on_truths = graph_.exprs[node.a].width == 1;
  if (on_truths && (node.op == Op::eq || node.op == Op::ne)) {
    const Lit differ = circuit_.exclusive(truth(node.a), truth(node.b));
    return node.op == Op::ne ? differ : !differ;
  }
  const bool lists = finite(node.a) && (event::arity(node.op) < 2 || finite(node.b));
  if (!lists) {
    const bool binary = event::arity(node.op) > 1;
    return words_.apply(node.op, 1, word(node.a), binary ? word(node.b) : word(node.a), overflow_).front();
  }
  if (node.op == Op::eq || node.op == Op::ne) {
    std::vector<Lit> parts;
    for (const auto& [value, lit] : choices(node.a))
      parts.push_back(circuit_.conjunction(lit, lookup(choices(node.b), value)));
    const Lit equal = circuit_.disjunction(std::move(parts));
    return node.op == Op::eq ? equal : !equal;
  }
  return lookup(tabulate(node), 1);
}

Word Values::to_word(const Choices& choices, event::Width width) {
  Word result(Words::bits(width), kFalse);
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::vector<Lit> parts;
    bool all = true;
    for (const auto& [value, lit] : choices) {
      if (((static_cast<std::uint64_t>(value) >> i) & 1) != 0) {
        parts.push_back(lit);
      } else {
        all = false;
      }
    }
    result[i] = all ? kTrue : circuit_.disjunction(std::move(parts));
  }
  return result;
}

const Word& Values::word(Expr e) {
  Word& memo = word_memo_[e.index];
  if (memo.empty()) {
    Word word = finite(e) ? to_word(choices(e), graph_.exprs[e].width) : entry(e).word;
    word_memo_[e.index] = std::move(word);
  }
  return word_memo_[e.index];
}

Word Values::build_word(Expr e) {
  const Node& node = graph_.exprs[e];
  if (node.op == Op::ite) return words_.choose(truth(node.a), word(node.b), word(node.c));
  const Word a = word(node.a);
  const Word b = event::arity(node.op) > 1 ? word(node.b) : a;
  return words_.apply(node.op, node.width, a, b, overflow_);
}

Lit Values::equals(Expr e, Value value) {
  if (finite(e)) return lookup(choices(e), value);
  return words_.equal(word(e), words_.constant(value, graph_.exprs[e].width));
}

Value Values::value(Expr e, Valuation& valuation) {
  if (!finite(e)) {
    const Word& bits = word(e);
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) result |= std::uint64_t{valuation(bits[i])} << i;
    return static_cast<Value>(result);
  }
  for (const auto& [value, lit] : choices(e)) {
    if (valuation(lit)) return value;
  }
  return 0;  // an expression over reads that do not exist in this execution
}

}  // namespace ptxmc::engine::smt
