// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/condition_grammar.h"

#include <array>
#include <string_view>

namespace ptxmc::litmus {

namespace {

constexpr int kMaxDepth = 200;

struct CompareSign {
  std::string_view sign;
  isa::Compare op;
};
constexpr std::array<CompareSign, 7> kCompareSigns = {{{"==", isa::Compare::eq},
                                                       {"=", isa::Compare::eq},
                                                       {"!=", isa::Compare::ne},
                                                       {"<=", isa::Compare::le},
                                                       {"<", isa::Compare::lt},
                                                       {">=", isa::Compare::ge},
                                                       {">", isa::Compare::gt}}};

}  // namespace

std::optional<isa::Compare> accept_compare(Cursor& cursor) {
  for (const CompareSign& row : kCompareSigns) {
    if (cursor.accept(row.sign)) return row.op;
  }
  return std::nullopt;
}

void ConditionGrammar::check_depth(int depth) const {
  if (depth <= kMaxDepth) return;
  c_.error(c_.peek().position, "condition nested too deeply");
  throw TooManyErrors();
}

ConditionPtr ConditionGrammar::implication(int depth) {
  check_depth(depth);
  ConditionPtr left = disjunction(depth);
  if (!left || !c_.is("=>")) return left;
  const Position sign = c_.take().position;
  ConditionPtr right = implication(depth + 1);
  return right ? make(Implication{std::move(left), std::move(right)}, sign) : nullptr;
}

template <typename List>
ConditionPtr ConditionGrammar::list(int depth, bool (ConditionGrammar::*joined)(),
                                    ConditionPtr (ConditionGrammar::*part)(int)) {
  const Position position = c_.peek().position;
  List out;
  do {
    ConditionPtr next = (this->*part)(depth);
    if (!next || is_foreign()) return nullptr;
    out.parts.push_back(std::move(next));
  } while ((this->*joined)());
  if (out.parts.size() == 1) return out.parts.front();
  return make(std::move(out), position);
}

ConditionPtr ConditionGrammar::negation(int depth) {
  check_depth(depth);
  const Position position = c_.peek().position;
  if (accept_not()) {
    ConditionPtr part = negation(depth + 1);
    return part ? make(Negation{std::move(part)}, position) : nullptr;
  }
  if (c_.accept("(")) {
    ConditionPtr inner = implication(depth + 1);
    return inner && c_.expect(")") ? inner : nullptr;
  }
  if (c_.accept_word("true")) return make(Conjunction{}, position);
  if (c_.accept_word("false")) return make(Disjunction{}, position);
  return comparison();
}

ConditionPtr ConditionGrammar::comparison() {
  const Position position = c_.peek().position;
  std::optional<ConditionTerm> left = term();
  if (!left) return nullptr;
  const std::optional<isa::Compare> op = accept_compare(c_);
  if (!op) {
    c_.expected("a comparison: =, ==, !=, <, <=, > or >=");
    return nullptr;
  }
  std::optional<ConditionTerm> right = term();
  return right ? make(Comparison{*op, std::move(*left), std::move(*right)}, position) : nullptr;
}

}  // namespace ptxmc::litmus
