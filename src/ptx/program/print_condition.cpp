// SPDX-License-Identifier: Apache-2.0
// Conditions in herd's notation.
#include <fmt/format.h>

#include "ptx/program/print.h"
#include "support/check.h"

namespace ptxmc::program {

namespace {

// How tightly an operator binds; an operand that binds less tightly than its place wants is put in
// parentheses.
enum Precedence { kImplication, kDisjunction, kConjunction, kNegation, kAtom };

std::string_view sign(isa::Compare op) {
  switch (op) {
    case isa::Compare::eq:
      return "=";
    case isa::Compare::ne:
      return "!=";
    case isa::Compare::lt:
      return "<";
    case isa::Compare::le:
      return "<=";
    case isa::Compare::gt:
      return ">";
    case isa::Compare::ge:
      return ">=";
    case isa::Compare::none:
      break;
  }
  PTXMC_CHECK(false, "a comparison without an operator");
  return "";
}

std::string print_term(const ConditionTerm& term) {
  if (const auto* name = std::get_if<StateName>(&term)) return print(*name);
  const InitialValue& value = std::get<InitialValue>(term);
  return value.address_of.empty() ? std::to_string(value.integer) : "&" + value.address_of;
}

std::string print_at(const Condition& condition, Precedence least);

std::string join(const std::vector<ConditionPtr>& parts, std::string_view sign, Precedence least,
                 std::string_view nothing) {
  std::string out;
  for (const ConditionPtr& part : parts)
    out += (out.empty() ? "" : std::string(sign)) + print_at(*part, least);
  return parts.empty() ? std::string(nothing) : out;
}

struct Printer {
  Precedence precedence = kAtom;
  std::string text;

  void operator()(const Comparison& c) {
    text = print_term(c.left) + std::string(sign(c.op)) + print_term(c.right);
  }
  void operator()(const Conjunction& c) {
    precedence = c.parts.empty() ? kAtom : kConjunction;
    text = join(c.parts, " /\\ ", kNegation, "true");
  }
  void operator()(const Disjunction& d) {
    precedence = d.parts.empty() ? kAtom : kDisjunction;
    text = join(d.parts, " \\/ ", kConjunction, "false");
  }
  void operator()(const Negation& n) {
    precedence = kNegation;
    // herd's way: `not (...)`
    text = "not (" + print_at(*n.part, kImplication) + ")";
  }
  void operator()(const Implication& i) {
    precedence = kImplication;
    text = print_at(*i.left, kDisjunction) + " => " + print_at(*i.right, kImplication);
  }
};

std::string print_at(const Condition& condition, Precedence least) {
  Printer printer;
  std::visit(printer, condition.node);
  return printer.precedence < least ? "(" + printer.text + ")" : printer.text;
}

}  // namespace

std::string print(const StateName& name) {
  if (name.thread) return fmt::format("{}:{}", *name.thread, name.name);
  if (name.element) return fmt::format("{}[{}]", name.name, *name.element);
  return fmt::format("[{}]", name.name);
}

std::string print(const Condition& condition) {
  return "(" + print_at(condition, kImplication) + ")";
}

std::string print_condition_line(const Property& property) {
  if (!property.condition) return "forall (true)";
  const std::string condition = print(*property.condition);
  switch (property.quantifier) {
    case Quantifier::exists:
      return "exists " + condition;
    case Quantifier::not_exists:
      return "~exists " + condition;
    case Quantifier::forall:
      return "forall " + condition;
  }
  return "";
}

}  // namespace ptxmc::program
