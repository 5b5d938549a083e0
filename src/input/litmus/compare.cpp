// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/compare.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::litmus {

namespace {

bool same(const ConditionPtr& a, const ConditionPtr& b) {
  if (!a || !b) return !a && !b;
  return litmus::same(*a, *b);
}

bool same_parts(const std::vector<ConditionPtr>& a, const std::vector<ConditionPtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ConditionPtr& x, const ConditionPtr& y) { return same(x, y); });
}

struct SameNode {
  const Condition& other;
  bool operator()(const Comparison& a) const {
    const auto& b = std::get<Comparison>(other.node);
    return a.op == b.op && a.left == b.left && a.right == b.right;
  }
  bool operator()(const Conjunction& a) const {
    return same_parts(a.parts, std::get<Conjunction>(other.node).parts);
  }
  bool operator()(const Disjunction& a) const {
    return same_parts(a.parts, std::get<Disjunction>(other.node).parts);
  }
  bool operator()(const Negation& a) const { return same(a.part, std::get<Negation>(other.node).part); }
  bool operator()(const Implication& a) const {
    const auto& b = std::get<Implication>(other.node);
    return same(a.left, b.left) && same(a.right, b.right);
  }
};

bool same(const Variable& a, const Variable& b) {
  return a.name == b.name && a.space == b.space && a.type == b.type && a.elements == b.elements &&
         a.is_array == b.is_array && a.align == b.align && a.initial == b.initial &&
         a.ptx_form == b.ptx_form && a.opaque == b.opaque && a.open == b.open && a.aliases == b.aliases &&
         a.alias_proxy == b.alias_proxy && a.locations == b.locations && a.map == b.map;
}

bool same(const RegisterInit& a, const RegisterInit& b) {
  return a.thread == b.thread && a.name == b.name && a.value == b.value;
}

bool same(const Verdict& a, const Verdict& b) {
  return a.model == b.model && a.readings == b.readings && a.proposition == b.proposition &&
         a.racy == b.racy && a.hangs == b.hangs && a.vacuous == b.vacuous;
}

bool same(const RegisterDeclaration& a, const RegisterDeclaration& b) {
  return a.name == b.name && a.type == b.type;
}

bool same(const std::optional<Guard>& a, const std::optional<Guard>& b) {
  if (!a || !b) return !a && !b;
  return a->reg == b->reg && a->negated == b->negated;
}

bool same(const Instruction& a, const Instruction& b) {
  return a.labels == b.labels && same(a.guard, b.guard) && a.opcode == b.opcode &&
         a.modifiers == b.modifiers &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [](const Operand& x, const Operand& y) { return x.value == y.value; });
}

bool same(const Kernel& a, const Kernel& b) {
  return a.name == b.name && a.threads == b.threads && a.after == b.after && a.programmatic == b.programmatic;
}

bool same(const KernelGraph& a, const KernelGraph& b) {
  return a.name == b.name && a.kernels == b.kernels;
}

template <typename T>
std::string list_difference(std::string_view name, const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return fmt::format("number of {}: {} and {}", name, a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return fmt::format("{}[{}]", name, i);
  }
  return "";
}

std::string thread_difference(std::size_t index, const Thread& a, const Thread& b) {
  std::string what;
  if (a.number != b.number) what = "number";
  if (what.empty() && !(a.placement == b.placement)) what = "placement";
  if (what.empty()) what = list_difference("registers", a.registers(), b.registers());
  if (what.empty()) what = list_difference("code", a.code(), b.code());
  return what.empty() ? "" : fmt::format("threads[{}].{}", index, what);
}

}  // namespace

bool same(const Condition& a, const Condition& b) {
  return a.node.index() == b.node.index() && std::visit(SameNode{b}, a.node);
}

std::string difference(const Test& a, const Test& b) {
  if (a.name != b.name) return "name";
  if (a.docs != b.docs) return "docs";
  if (a.keys != b.keys) return "keys";
  if (a.native != b.native) return "native";
  std::string what = list_difference("verdicts", a.verdicts, b.verdicts);
  if (what.empty()) what = list_difference("variables", a.variables, b.variables);
  if (what.empty()) what = list_difference("register_inits", a.register_inits, b.register_inits);
  if (what.empty() && a.threads.size() != b.threads.size()) what = "number of threads";
  for (std::size_t i = 0; what.empty() && i < a.threads.size(); ++i) {
    what = thread_difference(i, a.threads[i], b.threads[i]);
  }
  if (what.empty() && a.kernels.stated != b.kernels.stated) what = "kernels";
  if (what.empty()) what = list_difference("kernels", a.kernels.kernels, b.kernels.kernels);
  if (what.empty()) what = list_difference("graphs", a.kernels.graphs, b.kernels.graphs);
  if (what.empty()) what = list_difference("calls", a.kernels.calls, b.kernels.calls);
  if (what.empty() && a.property.locations != b.property.locations) what = "locations";
  if (what.empty() && a.property.quantifier != b.property.quantifier) what = "quantifier";
  if (what.empty() && !same(a.property.filter, b.property.filter)) what = "filter";
  if (what.empty() && !same(a.property.condition, b.property.condition)) what = "condition";
  return what;
}

}  // namespace ptxmc::litmus
