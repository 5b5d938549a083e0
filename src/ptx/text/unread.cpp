// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/unread.h"

#include <algorithm>
#include <utility>

#include "ptx/text/module.h"
#include "ptx/text/source_lines.h"

namespace ptxmc::ptx {

namespace {

[[noreturn]] void refuse_functions(const std::vector<Diagnostic>& errors, const Module& module) {
  Diagnostics all(module.source);
  for (const Diagnostic& error : errors) all.add(error);
  throw UnreadFunction(with_origins(sorted(all), module, Statements::unread));
}

}  // namespace

std::size_t behind_block(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::size_t at = begin;
  for (int depth = 1; at < end && depth > 0; ++at) {
    if (tokens[at].kind != TokenKind::punct) continue;
    depth += tokens[at].is("{") ? 1 : 0;
    depth -= tokens[at].is("}") ? 1 : 0;
  }
  return at;
}

std::vector<Diagnostic> outside_of_functions(const Errors& errors, Module& module) {
  const auto place = [](const Position& position) { return std::pair(position.line, position.column); };
  std::vector<Diagnostic> out;
  for (const Diagnostic& error : errors.diagnostics().all()) {
    const auto inside = std::find_if(module.items.begin(), module.items.end(), [&](const Item& item) {
      const auto* function = std::get_if<Function>(&item);
      return function != nullptr && function->body && place(function->position) < place(error.position) &&
             place(error.position) < place(function->end);
    });
    if (inside == module.items.end()) {
      out.push_back(error);
    } else {
      std::get<Function>(*inside).unread.errors.push_back(error);
    }
  }
  return out;
}

std::vector<Diagnostic> errors_of_functions(const Module& module) {
  std::vector<Diagnostic> out;
  for (const Item& item : module.items) {
    const auto* function = std::get_if<Function>(&item);
    if (function != nullptr)
      out.insert(out.end(), function->unread.errors.begin(), function->unread.errors.end());
  }
  return out;
}

void check_read(const Module& module, const Function& function) {
  if (!function.unread.errors.empty()) refuse_functions(function.unread.errors, module);
}

void check_read(const Module& module) {
  const std::vector<Diagnostic> errors = errors_of_functions(module);
  if (!errors.empty()) refuse_functions(errors, module);
}

const Function* find_function(const Module& module, std::string_view name) {
  const Function* found = nullptr;
  for (const Item& item : module.items) {
    const auto* function = std::get_if<Function>(&item);
    if (function == nullptr || function->name.name != name) continue;
    if (found == nullptr || function->body) found = function;
  }
  return found;
}

const Variable* find_variable(const Module& module, std::string_view name) {
  const Variable* found = nullptr;
  for (const Item& item : module.items) {
    const auto* variable = std::get_if<Variable>(&item);
    if (variable == nullptr || variable->name() != name) continue;
    if (found == nullptr || found->linkage == Linkage::external) found = variable;
  }
  return found;
}

}  // namespace ptxmc::ptx
