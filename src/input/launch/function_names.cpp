// SPDX-License-Identifier: Apache-2.0
#include "input/launch/function_names.h"

#include <charconv>

namespace ptxmc::launch {

namespace {

template <typename T>
const T* find_in(const std::unordered_map<std::string, const T*>& all, std::string_view name) {
  const auto found = all.find(std::string(name));
  return found == all.end() ? nullptr : found->second;
}

}  // namespace

FunctionNames::FunctionNames(const ptx::Function& function) {
  const auto formal = [&](const ptx::Variable& variable) {
    if (variable.space == "reg") registers_.emplace(variable.name(), variable.type);
  };
  for (const ptx::Variable& variable : function.returns) formal(variable);
  for (const ptx::Variable& variable : function.parameters) formal(variable);
  const std::string* label = nullptr;
  for (const ptx::Statement& statement : function.body->statements) {
    if (const auto* registers = std::get_if<ptx::Registers>(&statement.node)) {
      for (const ptx::Declarator& declarator : registers->declarators) {
        if (declarator.count) {
          ranges_.emplace(declarator.name.name, Range{registers->type, *declarator.count});
        } else {
          registers_.emplace(declarator.name.name, registers->type);
        }
      }
    } else if (const auto* variables = std::get_if<ptx::Variables>(&statement.node)) {
      for (const ptx::Variable& variable : variables->variables)
        variables_.emplace(variable.name(), &variable);
    } else if (const auto* targets = std::get_if<ptx::Targets>(&statement.node);
               targets != nullptr && label != nullptr) {
      targets_.emplace(*label, targets);
    } else if (const auto* prototype = std::get_if<ptx::Prototype>(&statement.node);
               prototype != nullptr && label != nullptr) {
      prototypes_.emplace(*label, prototype);
    }
    const auto* own = std::get_if<ptx::Label>(&statement.node);
    label = own == nullptr ? nullptr : &own->name.name;
  }
}

const ptx::Type* FunctionNames::find_register(std::string_view name) const {
  name = name.substr(0, name.find('.'));
  if (const auto own = registers_.find(std::string(name)); own != registers_.end()) return &own->second;
  for (std::size_t at = name.size(); at > 1 && name[at - 1] >= '0' && name[at - 1] <= '9'; --at) {
    const auto range = ranges_.find(std::string(name.substr(0, at - 1)));
    std::uint32_t number = 0;
    std::from_chars(name.data() + at - 1, name.data() + name.size(), number);
    if (range != ranges_.end() && number < range->second.count) return &range->second.type;
  }
  return nullptr;
}

const ptx::Variable* FunctionNames::find_variable(std::string_view name) const {
  return find_in(variables_, name);
}

const ptx::Targets* FunctionNames::find_targets(std::string_view label) const {
  return find_in(targets_, label);
}

const ptx::Prototype* FunctionNames::find_prototype(std::string_view label) const {
  return find_in(prototypes_, label);
}

}  // namespace ptxmc::launch
