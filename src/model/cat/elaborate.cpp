// SPDX-License-Identifier: Apache-2.0
// One statement after the other; each sees the names before it, and a later definition of a name hides an
// earlier one.
#include "model/cat/elaborate.h"

#include <filesystem>
#include <set>
#include <utility>

#include "model/cat/evaluate.h"
#include "model/cat/walk.h"

namespace ptxmc::cat {

namespace {

using relation::Rel;
using relation::Set;

class Elaborator {
 public:
  Elaborator(const Syntax& syntax, const relation::Signature& signature, const Conditions& conditions,
             Diagnostics& diagnostics)
      : syntax_(syntax),
        signature_(signature),
        evaluator_(syntax, signature, model_.tree, conditions, diagnostics),
        references_(syntax.statements.size()) {}

  Elaborated run() {
    model_.source = syntax_.source;
    model_.name =
        syntax_.quoted ? syntax_.title : std::filesystem::path(syntax_.source->name).stem().string();
    for (at_ = 0; at_ < syntax_.statements.size(); ++at_) {
      statement(syntax_.statements[at_]);
      references_[at_] = evaluator_.take_references();
    }
    name_flags();
    coherence();
    std::vector<bool> reachable = reach();
    return {std::move(model_), std::move(reachable)};
  }

 private:
  void statement(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::let:
        return let(statement);
      case StatementKind::let_rec:
        return let_rec(statement);
      case StatementKind::order:
        return order(statement);
      case StatementKind::constraint:
        return constraint(statement);
      case StatementKind::role:
        return role(statement);
    }
  }

  // `let a = .. and b = ..`: the values are those before the statement.
  void let(const Statement& statement) {
    std::vector<Entry> entries;
    for (const Binding& binding : statement.bindings) {
      Entry entry = fresh_entry(statement);
      if (binding.is_function) {
        evaluator_.check_function(binding, statement.source);
        entry.function = &binding;
        entry.horizon = evaluator_.defined();
      } else if (binding.body) {
        entry.value = evaluator_.evaluate(*binding.body, statement.source);
      }
      entries.push_back(std::move(entry));
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Binding& binding = statement.bindings[i];
      if (!binding.is_function) record(binding, entries[i].value, statement);
      evaluator_.define(binding.name, std::move(entries[i]));
    }
  }

  void let_rec(const Statement& statement) {
    relation::Tree& tree = model_.tree;
    const std::uint32_t group = tree.open_group(statement.bindings.size());
    const std::vector<Rel> variables = tree.groups()[group].variables;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      Entry entry = fresh_entry(statement);
      entry.value = variables[i];
      evaluator_.define(statement.bindings[i].name, std::move(entry));
    }
    evaluator_.open_group(group);
    std::vector<Rel> bodies;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const Binding& binding = statement.bindings[i];
      bodies.push_back(variables[i]);  // stays when the body is wrong
      if (!binding.body) continue;
      const Value value = evaluator_.evaluate(*binding.body, statement.source);
      if (std::holds_alternative<Set>(value)) {
        evaluator_.error(statement.source, syntax_.exprs[*binding.body].position,
                         "found a set, expected a relation: `let rec` defines relations only");
      } else if (const std::optional<Rel> body = evaluator_.relation_of(value, *binding.body)) {
        bodies.back() = *body;
      }
    }
    evaluator_.open_group(std::nullopt);
    tree.set_bodies(group, std::move(bodies));
    for (std::size_t i = 0; i < variables.size(); ++i) record(statement.bindings[i], variables[i], statement);
  }

  void order(const Statement& statement) {
    if (statement.bindings.empty()) return;  // the parser has reported it
    const Binding& binding = statement.bindings[0];
    Entry entry = fresh_entry(statement);
    if (binding.body) {
      const Value value = evaluator_.evaluate(*binding.body, statement.source);
      const Position position = syntax_.exprs[*binding.body].position;
      if (std::holds_alternative<Set>(value)) {
        evaluator_.error(statement.source, position,
                         "found a set, expected the relation whose pairs are ordered");
      } else if (const std::optional<Rel> over = evaluator_.relation_of(value, *binding.body)) {
        check_fixed(*over, statement.source, position);
        const auto number = static_cast<std::uint32_t>(model_.orders.size());
        model_.orders.push_back({binding.name, *over, statement.partial, statement.position, statement.source,
                                 statement.section});
        entry.value = model_.tree.order_choice(number);
      }
    }
    evaluator_.define(binding.name, std::move(entry));
  }

  // The pairs must be known before anything is chosen: an order over what another choice decides has no fixed
  // size.
  void check_fixed(Rel over, const SourcePtr& source, Position position) {
    const relation::Tree& tree = model_.tree;
    const Below below = nodes_below(tree, {over});
    for (std::size_t i = 0; i < below.relations.size(); ++i) {
      if (!below.relations[i]) continue;
      const relation::RelNode& node = tree.relations()[i];
      std::string chosen;
      if (const auto* base = std::get_if<relation::BaseRel>(&node)) {
        if (signature_[base->base].provider != relation::Provider::fixed)
          chosen = signature_[base->base].name;
      } else if (const auto* choice = std::get_if<relation::OrderChoice>(&node)) {
        chosen = model_.orders[choice->order].name;
      } else if (std::holds_alternative<relation::FromReads>(node)) {
        chosen = "fromreads";
      }
      if (!chosen.empty()) {
        return evaluator_.error(
            source, position,
            "the pairs of an order must not depend on `" + chosen + "`, which an execution chooses itself");
      }
    }
  }

  void constraint(const Statement& statement) {
    std::vector<relation::Constraint>& list = statement.is_flag ? model_.flags : model_.axioms;
    const Value value = evaluator_.evaluate(*statement.expression, statement.source);
    relation::Constraint constraint;
    constraint.test = statement.test;
    constraint.negated = statement.negated;
    constraint.name = statement.name.empty() ? "axiom " + std::to_string(list.size() + 1) : statement.name;
    constraint.section = statement.section;
    constraint.position = statement.position;
    constraint.source = statement.source;
    if (const Set* set = std::get_if<Set>(&value)) {
      if (statement.test != relation::Test::empty) {
        evaluator_.error(statement.source, syntax_.exprs[*statement.expression].position,
                         "found a set, expected a relation");
      }
      constraint.expression = *set;
    } else if (const std::optional<Rel> rel = evaluator_.relation_of(value, *statement.expression)) {
      constraint.expression = *rel;
    }
    list.push_back(std::move(constraint));
  }

  // A name that nothing has is no error here: which roles a text must fill is not known.
  void role(const Statement& statement) {
    for (const RoleName& given : statement.roles) {
      relation::RoleDeclaration declared;
      declared.role = given.role;
      declared.name = given.name;
      declared.position = given.position;
      declared.source = statement.source;
      if (const Entry* entry = evaluator_.find(given.name)) {
        declared.value = stored(entry->value);
      } else if (const auto base = signature_.find(given.name)) {
        if (signature_[*base].sort == relation::Sort::set) {
          declared.value = model_.tree.base_set(*base);
        } else {
          declared.value = model_.tree.base_relation(*base);
        }
      }
      model_.roles.push_back(std::move(declared));
    }
  }

  // Flags have names of their own, wherever in the text they stand.
  void name_flags() {
    for (relation::RoleDeclaration& declared : model_.roles) {
      for (relation::Constraint& flag : model_.flags) {
        if (flag.name != declared.name) continue;
        declared.flag = true;
        flag.role = declared.role;
      }
    }
  }

  std::optional<std::variant<Set, Rel>> stored(const Value& value) {
    if (const Set* set = std::get_if<Set>(&value)) return *set;
    if (const Rel* rel = std::get_if<Rel>(&value)) return *rel;
    if (std::holds_alternative<Zero>(value)) return model_.tree.empty_relation();
    return std::nullopt;
  }

  void record(const Binding& binding, const Value& value, const Statement& statement) {
    const std::optional<std::variant<Set, Rel>> kept = stored(value);
    if (!kept) return;
    model_.definitions.push_back(
        {binding.name, *kept, statement.section, binding.position, statement.source});
  }

  void coherence() {
    const Entry* entry = evaluator_.find("co");
    if (entry == nullptr) return;  // reported with the order that lacks it
    if (const Rel* rel = std::get_if<Rel>(&entry->value)) {
      model_.coherence = *rel;
    } else if (std::holds_alternative<Zero>(entry->value)) {
      model_.coherence = model_.tree.empty_relation();
    } else if (entry->function != nullptr || std::holds_alternative<Set>(entry->value)) {
      const Statement& statement = syntax_.statements[entry->statement];
      evaluator_.error(statement.source, statement.position,
                       "`co` must be a relation: it is the coherence order");
    }
    if (entry->statement != kNoStatement) roots_.insert(entry->statement);
  }

  std::vector<bool> reach() {
    std::vector<bool> reachable(syntax_.statements.size());
    std::vector<std::size_t> work(roots_.begin(), roots_.end());
    for (std::size_t i = 0; i < syntax_.statements.size(); ++i) {
      const StatementKind kind = syntax_.statements[i].kind;
      if (kind == StatementKind::constraint || kind == StatementKind::order) work.push_back(i);
    }
    while (!work.empty()) {
      const std::size_t next = work.back();
      work.pop_back();
      if (next == kNoStatement || reachable[next]) continue;
      reachable[next] = true;
      work.insert(work.end(), references_[next].begin(), references_[next].end());
    }
    return reachable;
  }

  Entry fresh_entry(const Statement& statement) const {
    Entry entry;
    entry.statement = at_;
    entry.source = statement.source;
    return entry;
  }

  const Syntax& syntax_;
  const relation::Signature& signature_;
  relation::MemoryModel model_;
  Evaluator evaluator_;
  std::vector<std::set<std::size_t>> references_;  // per statement: the statements it uses
  std::set<std::size_t> roots_;
  std::size_t at_ = 0;
};

}  // namespace

Elaborated elaborate(const Syntax& syntax, const relation::Signature& signature, const Conditions& conditions,
                     Diagnostics& diagnostics) {
  return Elaborator(syntax, signature, conditions, diagnostics).run();
}

}  // namespace ptxmc::cat
