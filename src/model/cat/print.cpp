// SPDX-License-Identifier: Apache-2.0
// Expressions are printed with the fewest parentheses that keep the tree's shape, and with the names of the
// definitions printed before. The operators that the builders desugar (`?`, `*`, `~`) are recognised and
// printed as such.
#include "model/cat/print.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "support/check.h"

namespace ptxmc::cat {

namespace {

using namespace relation;

// Binding strength; a text of lower strength than its place asks for is parenthesised.
enum Strength : int { kUnion, kSequence, kDifference, kIntersection, kProduct, kPrefix, kPostfix, kPrimary };

struct Text {
  std::string text;
  int strength = kPrimary;
};

constexpr std::array<std::string_view, 5> kOwnNames = {"emptyset", "id", "domain", "range", "fromreads"};

class Printer {
 public:
  Printer(const MemoryModel& model, const Signature& signature) : model_(model), signature_(signature) {
    choose_names();
  }

  std::string whole() {
    std::string out = "\"" + title() + "\"\n\n";
    for (std::size_t i = 0; i < model_.definitions.size(); i = next_) {
      for (std::uint32_t order = 0; order < orders_needed(i); ++order) out += order_declaration(order);
      out += definition(i);
    }
    for (std::uint32_t order = 0; order < model_.orders.size(); ++order) out += order_declaration(order);
    out += "\n";
    for (const Constraint& axiom : model_.axioms) out += constraint(axiom, "");
    for (const Constraint& flag : model_.flags) out += constraint(flag, "flag ");
    for (const RoleDeclaration& role : model_.roles) out += role_declaration(role);
    return out;
  }

  std::string one_value(SetOrRel value) {
    for (std::size_t i = 0; i < model_.definitions.size(); i = next_) definition(i);
    return any(value, kUnion);
  }

 private:
  // ---- names ----
  void choose_names() {
    std::set<std::string> taken;
    for (const Definition& definition : model_.definitions) taken.insert(definition.name);
    for (const OrderDeclaration& order : model_.orders) taken.insert(order.name);
    std::set<std::string> seen;  // from the last to the first: the last of a name keeps it
    const auto choose = [&](const std::string& name) {
      std::string chosen = name;
      bool hidden = !seen.insert(name).second || names_a_used_base(name) ||
                    std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end();
      for (int number = 1; hidden; ++number) {
        chosen = name + "'" + std::to_string(number);
        hidden = !taken.insert(chosen).second || signature_.find(chosen).has_value();
      }
      return chosen;
    };
    definition_names_.resize(model_.definitions.size());
    for (std::size_t i = definition_names_.size(); i-- > 0;)
      definition_names_[i] = choose(model_.definitions[i].name);
    for (const OrderDeclaration& order : model_.orders) order_names_.push_back(choose(order.name));
    order_printed_.resize(model_.orders.size());
  }

  // `let FREL = 0`, while the base set FREL occurs elsewhere.
  bool names_a_used_base(const std::string& name) const {
    const auto base = signature_.find(name);
    if (!base) return false;
    const auto is_set = [&](const SetNode& node) {
      const auto* found = std::get_if<BaseSet>(&node);
      return found != nullptr && found->base == *base;
    };
    const auto is_rel = [&](const RelNode& node) {
      const auto* found = std::get_if<BaseRel>(&node);
      return found != nullptr && found->base == *base;
    };
    return std::any_of(model_.tree.sets().begin(), model_.tree.sets().end(), is_set) ||
           std::any_of(model_.tree.relations().begin(), model_.tree.relations().end(), is_rel);
  }

  std::string title() const {
    std::string out;
    for (const char c : model_.name) {
      if (c != '"' && c != '\n' && c != '\r') out += c;
    }
    return out;
  }

  // ---- statements ----
  static std::string beside(const std::string& section) {
    return section.empty() ? "\n" : "  (* " + section + " *)\n";
  }

  /// Prints definition `index`, or the whole group it begins; next_ is the first one after it.
  std::string definition(std::size_t index) {
    const Definition& definition = model_.definitions[index];
    next_ = index + 1;
    if (const Rel* rel = std::get_if<Rel>(&definition.value)) {
      if (const auto* variable = std::get_if<Variable>(&model_.tree.node(*rel))) {
        if (groups_.insert(variable->group).second) return recursive(index, variable->group);
      }
    }
    std::string out = "let " + definition_names_[index] + " = " + any(definition.value, kUnion) +
                      beside(definition.section);
    names_.emplace(definition.value, definition_names_[index]);
    return out;
  }

  std::string recursive(std::size_t index, std::uint32_t group_number) {
    const RecGroup& group = model_.tree.groups()[group_number];
    PTXMC_CHECK(index + group.variables.size() <= model_.definitions.size(),
                "a `let rec` group without its definitions");
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      names_[group.variables[i]] = definition_names_[index + i];
    }
    std::string out = "let rec ";
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      if (i > 0) out += "\n    and ";
      out += definition_names_[index + i] + " = " + any(group.bodies[i], kUnion);
    }
    next_ = index + group.variables.size();
    return out + beside(model_.definitions[index].section);
  }

  // How many orders must be declared before definition `index`: all up to the last one it uses, to keep their
  // numbers.
  std::uint32_t orders_needed(std::size_t index) const {
    std::uint32_t needed = 0;
    const Below below = nodes_below(model_.tree, {model_.definitions[index].value});
    for (std::size_t i = 0; i < below.relations.size(); ++i) {
      const auto* choice = std::get_if<OrderChoice>(&model_.tree.relations()[i]);
      if (below.relations[i] && choice != nullptr) needed = std::max(needed, choice->order + 1);
    }
    return needed;
  }

  std::string order_declaration(std::uint32_t number) {
    if (order_printed_[number]) return {};
    order_printed_[number] = true;
    const OrderDeclaration& order = model_.orders[number];
    return (order.partial ? "partial order " : "order ") + order_names_[number] + " over " +
           any(order.over, kUnion) + "\n";
  }

  std::string constraint(const Constraint& constraint, const std::string& prefix) {
    std::string out = prefix + (constraint.negated ? "~" : "");
    switch (constraint.test) {
      case Test::acyclic:
        out += "acyclic ";
        break;
      case Test::irreflexive:
        out += "irreflexive ";
        break;
      case Test::empty:
        out += "empty ";
        break;
    }
    out += any(constraint.expression, kUnion) + " as " + quoted(constraint.name);
    return out + beside(constraint.section);
  }

  static std::string quoted(const std::string& name) {
    const auto plain = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    };
    const bool word = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                      std::all_of(name.begin(), name.end(), plain);
    return word ? name : "\"" + name + "\"";
  }

  // A definition may have been printed under a fresh name, a flag has its own.
  std::string role_declaration(const RoleDeclaration& role) {
    std::string name = quoted(role.name);
    if (role.value && !role.flag) {
      const auto named = names_.find(*role.value);
      if (named != names_.end()) name = named->second;
    }
    return "role " + quoted(role.role) + " = " + name + "\n";
  }

  // ---- expressions ----
  std::string any(SetOrRel value, int strength) {
    return std::visit([&](auto v) { return at(v, strength); }, value);
  }

  template <typename T>
  std::string at(T value, int strength) {
    const auto named = names_.find(SetOrRel{value});
    if (named != names_.end()) return named->second;
    const Text text = std::visit([&](const auto& node) { return show(node); }, model_.tree.node(value));
    return text.strength < strength ? "(" + text.text + ")" : text.text;
  }

  template <typename Node, typename T>
  bool is(T value) const {
    return std::holds_alternative<Node>(model_.tree.node(value)) &&
           names_.find(SetOrRel{value}) == names_.end();
  }

  // a op b, left-associative. A commutative operator puts an operand of its own kind first: `a | b | c`
  // without parentheses.
  template <typename Node, typename T>
  Text binary(T a, T b, const char* symbol, int strength, bool commutes) {
    if (commutes && is<Node>(b) && !is<Node>(a)) std::swap(a, b);
    return {at(a, strength) + symbol + at(b, strength + 1), strength};
  }

  bool is_universe(Set s) const { return std::holds_alternative<Universe>(model_.tree.node(s)); }
  bool is_identity(Rel r) const { return std::holds_alternative<Identity>(model_.tree.node(r)); }
  bool is_everything(Rel r) const {
    const auto* product = std::get_if<Product>(&model_.tree.node(r));
    return product != nullptr && is_universe(product->a) && is_universe(product->b);
  }

  Text show(const BaseSet& n) { return {signature_[n.base].name, kPrimary}; }
  Text show(const EmptySet&) { return {"emptyset", kPrimary}; }
  Text show(const Universe&) { return {"_", kPrimary}; }
  Text show(const SetUnion& n) { return binary<SetUnion>(n.a, n.b, " | ", kUnion, true); }
  Text show(const SetIntersection& n) {
    return binary<SetIntersection>(n.a, n.b, " & ", kIntersection, true);
  }
  Text show(const SetDifference& n) {
    if (is_universe(n.a)) return {"~" + at(n.b, kPrimary), kPrefix};
    return binary<SetDifference>(n.a, n.b, " \\ ", kDifference, false);
  }
  Text show(const Domain& n) { return {"domain(" + at(n.r, kUnion) + ")", kPrimary}; }
  Text show(const Range& n) { return {"range(" + at(n.r, kUnion) + ")", kPrimary}; }

  Text show(const BaseRel& n) { return {signature_[n.base].name, kPrimary}; }
  Text show(const EmptyRel&) { return {"0", kPrimary}; }
  Text show(const Identity&) { return {"id", kPrimary}; }
  Text show(const Restrict& n) { return {"[" + at(n.s, kUnion) + "]", kPrimary}; }
  Text show(const Product& n) { return {at(n.a, kPrefix) + " * " + at(n.b, kPrefix), kProduct}; }
  Text show(const Union& n) {
    if (!is_identity(n.a) && !is_identity(n.b)) return binary<Union>(n.a, n.b, " | ", kUnion, true);
    const Rel other = is_identity(n.a) ? n.b : n.a;
    if (is<Closure>(other))
      return {at(std::get<Closure>(model_.tree.node(other)).a, kPostfix) + "*", kPostfix};
    return {at(other, kPostfix) + "?", kPostfix};
  }
  Text show(const Intersection& n) { return binary<Intersection>(n.a, n.b, " & ", kIntersection, true); }
  Text show(const Difference& n) {
    if (is_everything(n.a)) return {"~" + at(n.b, kPrimary), kPrefix};
    return binary<Difference>(n.a, n.b, " \\ ", kDifference, false);
  }
  Text show(const Sequence& n) { return binary<Sequence>(n.a, n.b, "; ", kSequence, false); }
  Text show(const Inverse& n) { return {at(n.a, kPostfix) + "^-1", kPostfix}; }
  Text show(const Closure& n) { return {at(n.a, kPostfix) + "+", kPostfix}; }
  Text show(const OrderChoice& n) { return {order_names_[n.order], kPrimary}; }
  Text show(const FromReads& n) { return {"fromreads(" + at(n.co, kUnion) + ")", kPrimary}; }
  Text show(const Variable&) {
    check_failed(__FILE__, __LINE__, "Variable", "a `let rec` variable outside its definition");
  }

  const MemoryModel& model_;
  const Signature& signature_;
  std::vector<std::string> definition_names_;
  std::vector<std::string> order_names_;
  std::vector<bool> order_printed_;
  std::set<std::uint32_t> groups_;         // printed
  std::map<SetOrRel, std::string> names_;  // values that a printed definition names
  std::size_t next_ = 0;
};

}  // namespace

std::string print(const MemoryModel& model, const Signature& signature) {
  return Printer(model, signature).whole();
}

std::string print(const MemoryModel& model, const Signature& signature, SetOrRel value) {
  return Printer(model, signature).one_value(value);
}

}  // namespace ptxmc::cat
