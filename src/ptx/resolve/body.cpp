// SPDX-License-Identifier: Apache-2.0
#include "ptx/resolve/body.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "ptx/resolve/code.h"
#include "support/nearest.h"

namespace ptxmc::resolve {

namespace {

/// Names in code mean variables of the program, all of them declared.
class ProgramNames : public Names {
 public:
  ProgramNames(const program::Program& program, ptx::Errors& errors) : errors_(errors) {
    for (const program::Variable& variable : program.variables) variables_.emplace(variable.name, &variable);
  }
  const program::Variable* variable(std::string_view name) const override {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : found->second;
  }
  void use_variable(std::string_view name, Position position) override {
    if (variables_.contains(name)) return;
    std::vector<std::string> known;
    for (const auto& [other, variable] : variables_) known.emplace_back(other);
    const std::optional<std::string> near = nearest(std::string(name), known);
    errors_.error(position, fmt::format("variable `{}` is not declared{}", name,
                                        near ? fmt::format("; did you mean `{}`?", *near) : ""));
  }

 private:
  ptx::Errors& errors_;
  std::map<std::string_view, const program::Variable*> variables_;
};

}  // namespace

std::shared_ptr<const program::Body> resolve_body(const program::Program& program, ptx::Body body,
                                                  const std::string& owner) {
  ptx::Errors errors(program.source);
  ProgramNames names(program, errors);
  const Context context{errors, *program.source, names, owner};
  Code code;
  try {
    take_body(context, code, std::move(body));
    resolve_code(context, code);
  } catch (const ptx::TooManyErrors&) {
    // recorded
  }
  if (errors.any()) throw InputError(ptx::sorted(errors.diagnostics()));
  return std::make_shared<const program::Body>(
      program::Body{std::move(code.registers), std::move(code.code)});
}

}  // namespace ptxmc::resolve
