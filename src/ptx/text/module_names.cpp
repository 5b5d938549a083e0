// SPDX-License-Identifier: Apache-2.0
// Names that a module uses and nothing in it declares.
#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ptx/isa/newer.h"
#include "ptx/isa/special_names.h"
#include "ptx/isa/table.h"
#include "ptx/text/module.h"
#include "support/nearest.h"
#include "support/overloaded.h"

namespace ptxmc::ptx {

namespace {

constexpr std::size_t kMaxCandidates = 512;  // among which the name that was meant is looked for

std::string shown(const Name& name) {
  return (name.percent ? "%" : "") + name.name;
}

class Checker {
 public:
  Checker(Module& module, Errors& errors) : module_(module), of_module_(errors), errors_(&errors) {
    for (const Item& item : module.items) {
      if (const auto* variable = std::get_if<Variable>(&item))
        known_.insert(shown(variable->declarator.name));
      if (const auto* function = std::get_if<Function>(&item)) known_.insert(shown(function->name));
      if (const auto* alias = std::get_if<Alias>(&item)) known_.insert(shown(alias->name));
    }
  }

  void run() {
    for (Item& item : module_.items) {
      errors_ = &of_module_;
      if (const auto* variable = std::get_if<Variable>(&item)) initialiser(*variable);
      if (const auto* alias = std::get_if<Alias>(&item)) use(alias->function, false);
      auto* function = std::get_if<Function>(&item);
      if (function != nullptr && function->body && function->unread.errors.empty()) names(*function);
    }
  }

 private:
  void names(Function& function) {
    Errors own(module_.source);
    errors_ = &own;
    try {
      body(function);
    } catch (const TooManyErrors&) {
      // recorded
    }
    function.unread.errors = own.diagnostics().all();
  }

  void body(const Function& function) {
    body_ = &*function.body;
    formals_.clear();
    for (const Variable& formal : function.returns) formals_.push_back(formal.name());
    for (const Variable& formal : function.parameters) formals_.push_back(formal.name());
    told_.clear();
    for (const Statement& statement : body_->statements) this->statement(statement);
    body_ = nullptr;
  }

  void initialiser(const Variable& variable) {
    if (!variable.initial) return;
    for (const Symbol& symbol : variable.initial->symbols) use(symbol.name, false);
  }

  void statement(const Statement& statement) {
    if (const auto* variables = std::get_if<Variables>(&statement.node)) {
      for (const Variable& variable : variables->variables) initialiser(variable);
    }
    if (const auto* targets = std::get_if<Targets>(&statement.node)) {
      for (const Name& name : targets->names) use(name, !targets->calls);
    }
    const auto* instruction = std::get_if<Instruction>(&statement.node);
    if (instruction == nullptr) return;
    if (instruction->guard) use(*instruction->guard, false);
    for (const Operand& operand : instruction->operands) this->operand(operand, instruction->base == "bra");
  }

  void operand(const Operand& operand, bool label) {
    use(operand.name, label);
    use(operand.second, label);
    for (const Operand& element : operand.elements) this->operand(element, false);
  }

  void use(const Name& name, bool label) {
    if (name.scope != kUndeclared || name.name.empty() || name.name == "_") return;
    if (name.percent && isa::is_special_register(name.name)) return;
    if (std::string said = name.percent ? isa::newer_register(name.name) : ""; !said.empty()) {
      errors_->error(name.position, std::move(said));
      return;
    }
    if (!name.percent && name.name == "WARP_SZ") return;
    const std::string text = shown(name);
    if ((!label && known_.contains(text)) || !told_.insert(text).second) return;
    const std::string_view noun = label ? "unknown label" : "undeclared name";
    if (const Declarator* range = label ? nullptr : range_of(text)) {
      const std::string prefix = shown(range->name);
      const std::string there = *range->count == 0
                                    ? "no registers"
                                    : fmt::format("`{}0` to `{}{}`", prefix, prefix, *range->count - 1);
      errors_->error(name.position,
                     fmt::format("{} `{}`: `{}<{}>` declares {}", noun, text, prefix, *range->count, there));
      return;
    }
    const std::optional<std::string> meant = nearest(text, candidates(label));
    errors_->error(name.position, fmt::format("{} `{}`{}", noun, text,
                                              meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
  }

  /// The declaration of a range of registers that ends before this one.
  const Declarator* range_of(std::string_view text) const {
    const std::size_t digits = text.find_last_not_of("0123456789") + 1;
    if (body_ == nullptr || digits >= text.size()) return nullptr;
    for (const Statement& statement : body_->statements) {
      const auto* registers = std::get_if<Registers>(&statement.node);
      if (registers == nullptr) continue;
      for (const Declarator& d : registers->declarators) {
        if (d.count && shown(d.name) == text.substr(0, digits)) return &d;
      }
    }
    return nullptr;
  }

  /// What the body and the module declare.
  std::vector<std::string> candidates(bool label) const {
    std::vector<std::string> out;
    const auto add = [&](std::string name) {
      if (out.size() < kMaxCandidates) out.push_back(std::move(name));
    };
    for (std::size_t i = 0; body_ != nullptr && i < body_->statements.size(); ++i) {
      std::visit(Overloaded{[&](const Label& l) {
                              if (label) add(l.name.name);
                            },
                            [&](const Registers& registers) {
                              for (const Declarator& d : registers.declarators) {
                                if (!label && d.count != 0) add(shown(d.name) + (d.count ? "0" : ""));
                              }
                            },
                            [&](const Variables& variables) {
                              for (const Variable& v : variables.variables) {
                                if (!label) add(shown(v.declarator.name));
                              }
                            },
                            [](const auto&) {}},
                 body_->statements[i].node);
    }
    if (label) return out;
    for (const std::string& name : formals_) add(name);
    for (const std::string& name : isa::special_register_names()) add("%" + name);
    for (const std::string& name : known_) add(name);
    return out;
  }

  Module& module_;
  Errors& of_module_;
  Errors* errors_;
  const Body* body_ = nullptr;
  std::vector<std::string> formals_;       // of its function
  std::unordered_set<std::string> known_;  // of the module
  std::unordered_set<std::string> told_;
};

}  // namespace

void check_names(Module& module, Errors& errors) {
  Checker(module, errors).run();
}

}  // namespace ptxmc::ptx
