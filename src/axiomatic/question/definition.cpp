// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/definition.h"

namespace ptxmc::check {

namespace {

DefinitionValue value_of(NaiveRelations& relations, const std::variant<relation::Set, relation::Rel>& node) {
  if (const auto* s = std::get_if<relation::Set>(&node)) return relations.value(*s);
  return relations.value(std::get<relation::Rel>(node));
}

// A base name that the model's tree does not mention has no node there; a tree of its own gives it one.
DefinitionValue base_value(const NaiveInput& input, std::uint32_t base) {
  relation::MemoryModel single;
  std::variant<relation::Set, relation::Rel> node;
  if (input.signature[base].sort == relation::Sort::set) {
    node = single.tree.base_set(base);
  } else {
    node = single.tree.base_relation(base);
  }
  NaiveRelations relations({input.graph, input.base, input.signature, single, input.execution});
  return value_of(relations, node);
}

PairSet order_value(const NaiveInput& input, std::size_t order) {
  PairSet out;
  input.execution.orders[order].for_each([&](std::size_t a, std::size_t b) {
    out.emplace(static_cast<event::EventId>(a), static_cast<event::EventId>(b));
  });
  return out;
}

}  // namespace

std::optional<DefinitionValue> evaluate_definition(const NaiveInput& input, const std::string& name) {
  const auto& definitions = input.model.definitions;
  for (auto it = definitions.rbegin(); it != definitions.rend(); ++it) {
    if (it->name != name) continue;
    NaiveRelations relations(input);
    return value_of(relations, it->value);
  }
  for (std::size_t i = 0; i < input.model.orders.size() && i < input.execution.orders.size(); ++i) {
    if (input.model.orders[i].name == name) return order_value(input, i);
  }
  if (const auto base = input.signature.find(name)) return base_value(input, *base);
  return std::nullopt;
}

std::optional<PairSet> evaluate_role(const NaiveInput& input, model::Role role) {
  const auto relation = model::relation_of(input.model, role);
  if (!relation) return std::nullopt;
  return NaiveRelations(input).value(*relation);
}

PairSet evaluate_base(const NaiveInput& input, const std::string& name) {
  return std::get<PairSet>(base_value(input, input.signature.find(name).value()));
}

}  // namespace ptxmc::check
