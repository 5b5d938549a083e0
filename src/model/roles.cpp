// SPDX-License-Identifier: Apache-2.0
#include "model/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "finding/rules.h"
#include "support/check.h"
#include "support/nearest.h"

namespace ptxmc::model {

namespace {

constexpr std::array<RoleRow, 8> kRoles = {{
    {Role::moral_strength, "moral-strength"},
    {Role::visibility, "visibility"},
    {Role::observation, "observation"},
    {Role::meeting, "meeting"},
    {Role::synchronization, "synchronization"},
    {Role::execution, "execution"},
    {Role::base_causality, "base-causality"},
    {Role::pipelined, "pipelined"},
}};

std::string_view name_of(Role role) {
  const auto row =
      std::find_if(kRoles.begin(), kRoles.end(), [&](const RoleRow& r) { return r.role == role; });
  PTXMC_CHECK(row != kRoles.end(), "a role without a name");
  return row->name;
}

bool is_role(std::string_view name) {
  return std::any_of(kRoles.begin(), kRoles.end(), [&](const RoleRow& row) { return row.name == name; });
}

std::string unknown_role(const std::string& name) {
  std::vector<std::string> known;
  for (const RoleRow& row : kRoles) known.emplace_back(row.name);
  for (const finding::Rule& rule : finding::rules()) known.emplace_back(rule.name);
  std::string message = fmt::format("`{}` is no role", name);
  if (const auto near = nearest(name, known)) message += fmt::format("; did you mean `{}`?", *near);
  return message;
}

/// What is wrong with one declaration; empty: nothing.
std::string problem(const relation::RoleDeclaration& declared) {
  if (finding::find_rule(declared.role) != nullptr)
    return declared.flag ? ""
                         : fmt::format("found no flag `{}` for the role `{}`", declared.name, declared.role);
  if (!is_role(declared.role)) return unknown_role(declared.role);
  if (!declared.value)
    return fmt::format("found no relation `{}` for the role `{}`", declared.name, declared.role);
  if (std::holds_alternative<relation::Rel>(*declared.value)) return "";
  return fmt::format("`{}` is a set, the role `{}` is a relation's", declared.name, declared.role);
}

}  // namespace

std::span<const RoleRow> roles() {
  return kRoles;
}

std::optional<relation::Rel> relation_of(const relation::MemoryModel& model, Role role) {
  for (const relation::RoleDeclaration& declared : model.roles) {
    if (declared.role != name_of(role) || !declared.value) continue;
    if (const auto* rel = std::get_if<relation::Rel>(&*declared.value)) return *rel;
  }
  return std::nullopt;
}

void check_roles(const relation::MemoryModel& model, Diagnostics& diagnostics) {
  std::set<std::string> given;
  for (const relation::RoleDeclaration& declared : model.roles) {
    std::string message = problem(declared);
    // Several flags may have one rule, a role of a relation is one relation's.
    const bool twice = is_role(declared.role) && !given.insert(declared.role).second;
    if (message.empty() && twice) message = fmt::format("the role `{}` is given twice", declared.role);
    if (!message.empty()) diagnostics.add({Severity::error, declared.source, declared.position, message});
  }
}

}  // namespace ptxmc::model
