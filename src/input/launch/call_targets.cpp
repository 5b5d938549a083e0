// SPDX-License-Identifier: Apache-2.0
#include "input/launch/call_targets.h"

#include <algorithm>
#include <set>
#include <string>

#include "input/launch/entry.h"
#include "ptx/text/module.h"

namespace ptxmc::launch {

namespace {

using Functions = std::vector<const ptx::Function*>;

/// Adds what takes the address of functions.
class Taken {
 public:
  explicit Taken(const ptx::Module& module) : module_(module) {}

  Functions run() {
    for (const ptx::Item& item : module_.items) {
      if (const auto* variable = std::get_if<ptx::Variable>(&item)) initialiser(*variable);
      if (const auto* function = std::get_if<ptx::Function>(&item)) body(*function);
    }
    return std::move(out_);
  }
  Functions run(const ptx::Variable& table) {
    initialiser(table);
    return std::move(out_);
  }

 private:
  void body(const ptx::Function& function) {
    if (!function.body) return;
    for (const ptx::Statement& statement : function.body->statements) {
      if (const auto* variables = std::get_if<ptx::Variables>(&statement.node)) {
        for (const ptx::Variable& variable : variables->variables) initialiser(variable);
      } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement.node);
                 instruction != nullptr && instruction->base != "call") {
        for (const ptx::Operand& operand : instruction->operands) name(operand.name);
      }
    }
  }
  void initialiser(const ptx::Variable& variable) {
    if (!variable.initial) return;
    for (const ptx::Symbol& symbol : variable.initial->symbols) name(symbol.name);
  }
  void name(const ptx::Name& name) {
    if (name.percent || name.scope != ptx::kUndeclared) return;
    const ptx::Function* function = called_by(module_, name.name);
    if (function != nullptr && seen_.insert(function).second) out_.push_back(function);
  }

  const ptx::Module& module_;
  Functions out_;
  std::set<const ptx::Function*> seen_;
};

bool same_values(const std::vector<ptx::Variable>& a, const std::vector<ptx::Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ptx::Variable& one, const ptx::Variable& other) {
                      return one.space == other.space && bytes_of(one) == bytes_of(other);
                    });
}

}  // namespace

const ptx::Function* called_by(const ptx::Module& module, std::string_view name) {
  for (const ptx::Item& item : module.items) {
    const auto* alias = std::get_if<ptx::Alias>(&item);
    if (alias != nullptr && alias->name.name == name) return ptx::find_function(module, alias->function.name);
  }
  return ptx::find_function(module, name);
}

std::optional<Functions> call_targets(const ptx::Module& module, const FunctionNames& names,
                                      std::string_view list) {
  if (const ptx::Targets* targets = names.find_targets(list); targets != nullptr && targets->calls) {
    Functions out;
    for (const ptx::Name& name : targets->names) {
      const ptx::Function* function = called_by(module, name.name);
      if (function == nullptr) return std::nullopt;
      out.push_back(function);
    }
    return out;
  }
  if (const ptx::Prototype* prototype = names.find_prototype(list)) {
    Functions out = Taken(module).run();
    std::erase_if(out, [&](const ptx::Function* function) {
      return function->entry || !same_values(function->parameters, prototype->parameters) ||
             !same_values(function->returns, prototype->returns);
    });
    return out;
  }
  const ptx::Variable* own = names.find_variable(list);
  const ptx::Variable* table = own != nullptr ? own : ptx::find_variable(module, list);
  if (table == nullptr || !table->initial) return std::nullopt;
  return Taken(module).run(*table);
}

}  // namespace ptxmc::launch
