// SPDX-License-Identifier: Apache-2.0
// Roles and rules: what the built-in texts declare, and what is wrong with a declaration.
#include "model/roles.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "axiomatic/event/base.h"
#include "model/cat/read.h"
#include "model/flag_rules.h"
#include "model/models.h"
#include "support/check.h"

using namespace ptxmc;

namespace {

relation::MemoryModel read(const std::string& text) {
  return cat::read(std::make_shared<const Source>(Source{"own.cat", text}), event::base_signature());
}

/// The first thing that is wrong with the roles of a text.
std::string wrong(const std::string& text) {
  const relation::MemoryModel model = read("\"own\"\nlet co = po\n" + text);
  Diagnostics diagnostics(model.source);
  model::check_roles(model, diagnostics);
  return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
}

}  // namespace

TEST_CASE("every flag of a built-in model has a rule") {
  for (const model::Profile& profile : model::profiles()) {
    const relation::MemoryModel model = model::load(std::string(profile.name), event::base_signature());
    for (const relation::Constraint& flag : model.flags) {
      CAPTURE(flag.name);
      CHECK(finding::find_rule(flag.role) != nullptr);
    }
  }
}

TEST_CASE("the models of the manual fill every role of a relation, the published ones those that they have") {
  const auto filled = [](const std::string& name) {
    const relation::MemoryModel model = model::load(name, event::base_signature());
    std::size_t count = 0;
    for (const model::RoleRow& row : model::roles()) count += model::relation_of(model, row.role) ? 1 : 0;
    return count;
  };
  CHECK(filled("ptx-9.4") == model::roles().size());
  CHECK(filled("ptx-8.4") == model::roles().size());
  CHECK(filled("ptx-7.5") == model::roles().size() - 3);  // neither an execution order nor tensor memory
  CHECK(filled("ptx-6.0") == model::roles().size() - 3);
  CHECK(filled("sc") == 0);
}

TEST_CASE("a role is declared, whatever the name of what fills it") {
  const relation::MemoryModel model = read(
      "\"own\"\nlet co = po\nlet anything = po | rf\nflag ~empty rf as tensor-interesting\n"
      "flag ~empty rf as mine\nrole base-causality = anything, data-race = tensor-interesting\n");
  const auto relation = model::relation_of(model, model::Role::base_causality);
  REQUIRE(relation);
  CHECK(relation == std::get<relation::Rel>(model.definitions.back().value));
  CHECK(model::rule_of(model.flags[0]).id == finding::RuleId::race);
  CHECK(model::rule_of(model.flags[1]).name.empty());  // no role: a race of the text's own
  CHECK(model::rule_of(model.flags[1]).kind == finding::Kind::race);
  CHECK(model::knows_races(model));
  CHECK_FALSE(
      model::knows_races(read("\"own\"\nlet co = po\nflag ~empty rf as x\nrole mbarrier-misuse = x\n")));
}

TEST_CASE("`role` is a name where no statement begins") {
  const relation::MemoryModel model =
      read("\"own\"\nlet co = po\nlet role = po*\nacyclic role\n  & po as A\n");
  CHECK(model.roles.empty());
  CHECK(model.definitions.back().name == "role");
}

TEST_CASE("wrong roles") {
  CHECK(wrong("let bc = po\nrole base-causality = bc\n").empty());
  CHECK(wrong("role moral-strength = po\n").empty());  // a base relation
  CHECK(wrong("let bc = po\nrole base-casuality = bc\n") ==
        "`base-casuality` is no role; did you mean `base-causality`?");
  CHECK(wrong("role base-causality = bc\n") == "found no relation `bc` for the role `base-causality`");
  CHECK(wrong("role base-causality = W\n") == "`W` is a set, the role `base-causality` is a relation's");
  CHECK(wrong("role data-race\n") == "found no flag `data-race` for the role `data-race`");
  CHECK(wrong("let data-race = po\nrole data-race\n") ==
        "found no flag `data-race` for the role `data-race`");
  CHECK(wrong("let a = po\nrole observation = a, observation = a\n") ==
        "the role `observation` is given twice");
}
