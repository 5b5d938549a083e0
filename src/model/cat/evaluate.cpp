// SPDX-License-Identifier: Apache-2.0
// Names are looked up in this order: parameters, definitions of the text, base rows, predefined names. Sorts
// are checked strictly: only `0` has both. A function is expanded at each call; the number of expansions is
// limited, because calls of calls may double at every level.
#include "model/cat/evaluate.h"

#include <array>
#include <utility>

#include "support/check.h"
#include "support/nearest.h"

namespace ptxmc::cat {

namespace {

using relation::Rel;
using relation::Set;

constexpr std::size_t kMaxCalls = 20000;
constexpr std::array<const char*, 3> kBuiltins = {"domain", "range", "fromreads"};

constexpr std::size_t kChain = 64;

/// Joined from the left; a longer chain, of an associative operator, as a balanced tree, so that what walks the tree
/// does not go as deep as the text is long.
template <typename T, typename F>
T join(std::vector<T> parts, F&& both) {
  while (parts.size() > kChain) {
    std::vector<T> pairs;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) pairs.push_back(both(parts[i], parts[i + 1]));
    if (parts.size() % 2 != 0) pairs.push_back(parts.back());
    parts = std::move(pairs);
  }
  T result = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) result = both(result, parts[i]);
  return result;
}

bool is_poison(const Value& value) {
  return std::holds_alternative<Poison>(value);
}
bool is_zero(const Value& value) {
  return std::holds_alternative<Zero>(value);
}

const char* sort_of(const Value& value) {
  return std::holds_alternative<Set>(value) ? "a set" : "a relation";
}

std::string quoted(const std::string& text) {
  return "`" + text + "`";
}

}  // namespace

Evaluator::Evaluator(const Syntax& syntax, const relation::Signature& signature, relation::Tree& tree,
                     const Conditions& conditions, Diagnostics& diagnostics)
    : syntax_(syntax),
      signature_(signature),
      tree_(tree),
      conditions_(conditions),
      diagnostics_(diagnostics) {
  for (const Statement& statement : syntax.predefined) {
    for (const Binding& binding : statement.bindings) predefined_.emplace(binding.name, *binding.body);
  }
}

// A function's body may be evaluated many times: each of its errors is reported once.
void Evaluator::error(const SourcePtr& source, Position position, std::string message) {
  if (quiet_) {
    failed_ = true;
    return;
  }
  const std::string key = (source ? source->name : "") + ":" + std::to_string(position.line) + ":" +
                          std::to_string(position.column) + ":" + message;
  if (reported_.insert(key).second) diagnostics_.add({Severity::error, source, position, std::move(message)});
}

void Evaluator::define(const std::string& name, Entry entry) {
  entry.order = defined_++;
  names_[name].push_back(std::move(entry));
}

const Entry* Evaluator::find(const std::string& name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return nullptr;
  for (auto entry = found->second.rbegin(); entry != found->second.rend(); ++entry) {
    if (entry->order < horizon_) return &*entry;
  }
  return nullptr;
}

Value Evaluator::evaluate(ExprId expr, SourcePtr source) {  // by value: callers pass source_ itself
  source_.swap(source);
  Value value = dispatch(syntax_.exprs[expr]);
  source_ = std::move(source);
  return value;
}

Value Evaluator::dispatch(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::name:
      return name(expr);
    case ExprKind::call:
      return call(expr);
    case ExprKind::universe:
      return tree_.universe();
    case ExprKind::zero:
      return Zero{};
    case ExprKind::unite:
    case ExprKind::intersect:
    case ExprKind::subtract:
      return boolean(expr);
    case ExprKind::sequence:
      return sequence(expr);
    case ExprKind::product:
      return product(expr);
    case ExprKind::complement:
      return complement(expr);
    case ExprKind::optional:
    case ExprKind::plus:
    case ExprKind::star:
    case ExprKind::inverse:
      return closure(expr);
    case ExprKind::restrict:
      return restrict(expr);
    case ExprKind::conditional:
      return conditional(expr);
  }
  check_failed(__FILE__, __LINE__, "expr.kind", "an expression of unknown kind");
}

// ---- names
// ----------------------------------------------------------------------------------------------------

Value Evaluator::name(const Expr& expr) {
  if (const auto parameter = parameters_.find(expr.name); parameter != parameters_.end())
    return parameter->second;
  if (const Entry* entry = find(expr.name)) {
    references_.insert(entry->statement);
    if (entry->function == nullptr) return entry->value;
    error(source_, expr.position,
          quoted(expr.name) + " is a function, expected its arguments in parentheses");
    return Poison{};
  }
  if (const auto base = signature_.find(expr.name)) {
    if (signature_[*base].sort == relation::Sort::set) return tree_.base_set(*base);
    return tree_.base_relation(*base);
  }
  if (expr.name == "id") return tree_.identity();
  if (const std::optional<Value> value = predefined(expr.name)) return *value;
  unknown(expr.name, expr.position);
  return Poison{};
}

// Evaluated where it is used, so that `fr` follows the `co` in force. Nothing: the base rows it is made of
// are not there.
std::optional<Value> Evaluator::predefined(const std::string& name) {
  const auto found = predefined_.find(name);
  if (found == predefined_.end() || !predefined_open_.insert(name).second) return std::nullopt;
  // Errors inside would point into our own text: they are dropped, and the name counts as unknown.
  auto parameters = std::exchange(parameters_, {});
  const bool quiet = std::exchange(quiet_, true);
  const bool failed = std::exchange(failed_, false);
  const Value value = evaluate(found->second, source_);
  const bool wrong = std::exchange(failed_, failed);
  quiet_ = quiet;
  parameters_ = std::move(parameters);
  predefined_open_.erase(name);
  if (wrong) return std::nullopt;
  return value;
}

void Evaluator::unknown(const std::string& name, Position position) {
  if (predefined_.count(name) != 0) {
    const bool needs_co =
        (name == "fr" || name == "fre" || name == "fri" || name == "coe" || name == "coi" || name == "com") &&
        find("co") == nullptr;
    return error(source_, position,
                 quoted(name) + (needs_co ? " is used before co is defined"
                                          : " needs base relations that are not there"));
  }
  std::vector<std::string> candidates;
  for (const auto& [known, value] : parameters_) candidates.push_back(known);
  for (const auto& [known, entries] : names_) candidates.push_back(known);
  for (const relation::BaseRow& row : signature_.rows()) candidates.push_back(row.name);
  for (const auto& [known, body] : predefined_) candidates.push_back(known);
  candidates.insert(candidates.end(), kBuiltins.begin(), kBuiltins.end());
  const std::optional<std::string> suggestion = nearest(name, candidates);
  error(source_, position,
        "found the unknown name " + quoted(name) +
            (suggestion ? ", did you mean " + quoted(*suggestion) + "?" : ""));
}

// ---- calls
// ----------------------------------------------------------------------------------------------------

Value Evaluator::call(const Expr& expr) {
  if (const Entry* entry = find(expr.name); entry != nullptr && parameters_.count(expr.name) == 0) {
    references_.insert(entry->statement);
    if (entry->function != nullptr) return apply(*entry, expr);
    if (is_poison(entry->value)) return Poison{};
  } else if (const std::optional<Value> value = builtin(expr)) {
    return *value;
  }
  bool known = find(expr.name) != nullptr || parameters_.count(expr.name) != 0 ||
               signature_.find(expr.name).has_value() || predefined_.count(expr.name) != 0 ||
               expr.name == "id";
  if (known) {
    error(source_, expr.position, quoted(expr.name) + " is not a function");
  } else {
    unknown(expr.name, expr.position);
  }
  for (const ExprId operand : expr.operands) evaluate(operand, source_);
  return Poison{};
}

std::optional<Value> Evaluator::builtin(const Expr& expr) {
  if (expr.name != kBuiltins[0] && expr.name != kBuiltins[1] && expr.name != kBuiltins[2])
    return std::nullopt;
  if (expr.operands.size() != 1) {
    error(source_, expr.position,
          "found " + std::to_string(expr.operands.size()) + " arguments, " + quoted(expr.name) + " takes 1");
    return Poison{};
  }
  const std::optional<Rel> argument = relation_of(evaluate(expr.operands[0], source_), expr.operands[0]);
  if (!argument) return Poison{};
  if (expr.name == "domain") return tree_.domain(*argument);
  if (expr.name == "range") return tree_.range(*argument);
  return tree_.from_reads(*argument);
}

Value Evaluator::apply(const Entry& entry, const Expr& expr) {
  const Binding& function = *entry.function;
  std::map<std::string, Value> arguments;
  for (std::size_t i = 0; i < expr.operands.size(); ++i) {
    const Value value = evaluate(expr.operands[i], source_);
    if (i < function.parameters.size()) arguments.emplace(function.parameters[i], value);
  }
  if (expr.operands.size() != function.parameters.size()) {
    error(source_, expr.position,
          "found " + std::to_string(expr.operands.size()) + " arguments, " + quoted(expr.name) + " takes " +
              std::to_string(function.parameters.size()));
    return Poison{};
  }
  if (++calls_ > kMaxCalls) {
    error(source_, expr.position,
          "the text expands to more than " + std::to_string(kMaxCalls) + " calls of functions");
    return Poison{};
  }
  if (!function.body) return Poison{};
  auto parameters = std::exchange(parameters_, std::move(arguments));
  const std::size_t horizon = std::exchange(horizon_, entry.horizon);
  const Value value = evaluate(*function.body, entry.source);
  horizon_ = horizon;
  parameters_ = std::move(parameters);
  return value;
}

void Evaluator::check_function(const Binding& function, const SourcePtr& source) {
  if (!function.body) return;
  for (const std::string& parameter : function.parameters) parameters_.emplace(parameter, Poison{});
  evaluate(*function.body, source);
  parameters_.clear();
}

// ---- sorts and operators
// ----------------------------------------------------------------------------------------

std::optional<Rel> Evaluator::relation_of(const Value& value, ExprId expr) {
  if (is_zero(value)) return tree_.empty_relation();
  if (const Rel* rel = std::get_if<Rel>(&value)) return *rel;
  if (!is_poison(value)) {
    error(source_, syntax_.exprs[expr].position,
          "found a set, expected a relation (`[S]` is the identity on the set S)");
  }
  return std::nullopt;
}

std::optional<Set> Evaluator::set_of(const Value& value, ExprId expr) {
  if (is_zero(value)) return tree_.empty_set();
  if (const Set* set = std::get_if<Set>(&value)) return *set;
  if (!is_poison(value)) error(source_, syntax_.exprs[expr].position, "found a relation, expected a set");
  return std::nullopt;
}

// A `let rec` is a least fixed point: its bodies must grow with their variables.
void Evaluator::check_positive(const Value& value, const Expr& at, const char* where) {
  if (!open_group_) return;
  bool depends = false;
  if (const Set* set = std::get_if<Set>(&value)) depends = depends_on_group(tree_, *set, *open_group_);
  if (const Rel* rel = std::get_if<Rel>(&value)) depends = depends_on_group(tree_, *rel, *open_group_);
  if (depends)
    error(source_, at.position,
          std::string("a variable of the `let rec` stands ") + where +
              ": the definition would not be monotone");
}

Value Evaluator::boolean(const Expr& expr) {
  std::vector<Value> values;
  Value sort = Zero{};  // the first operand that has one decides
  bool poisoned = false;
  for (const ExprId operand : expr.operands) {
    const Value value = evaluate(operand, source_);
    if (expr.kind == ExprKind::subtract && !values.empty()) {
      check_positive(value, syntax_.exprs[operand], "under the right side of `\\`");
    }
    if (is_zero(sort)) sort = value;
    if (is_poison(value) || is_poison(sort)) {
      poisoned = true;
    } else if (!is_zero(value) && value.index() != sort.index()) {
      error(source_, syntax_.exprs[operand].position,
            std::string("found ") + sort_of(value) + ", expected " + sort_of(sort) +
                " as the operands before it");
      poisoned = true;
    }
    values.push_back(value);
  }
  if (poisoned) return Poison{};
  if (is_zero(sort)) return Zero{};
  const auto fold = [&](auto first, auto convert) -> Value {
    std::vector parts{first};
    for (std::size_t i = 1; i < values.size(); ++i) parts.push_back(*convert(values[i], expr.operands[i]));
    const auto unite = [&](auto a, auto b) { return tree_.unite(a, b); };
    if (expr.kind == ExprKind::unite) return join(std::move(parts), unite);
    if (expr.kind == ExprKind::intersect)
      return join(std::move(parts), [&](auto a, auto b) { return tree_.intersect(a, b); });
    if (parts.size() > kChain) {  // a \ b \ c is a \ (b | c)
      parts.erase(parts.begin());
      return tree_.subtract(first, join(std::move(parts), unite));
    }
    return join(std::move(parts), [&](auto a, auto b) { return tree_.subtract(a, b); });
  };
  if (std::holds_alternative<Set>(sort)) {
    const auto convert = [&](const Value& value, ExprId id) { return set_of(value, id); };
    return fold(*convert(values[0], expr.operands[0]), convert);
  }
  const auto convert = [&](const Value& value, ExprId id) { return relation_of(value, id); };
  return fold(*convert(values[0], expr.operands[0]), convert);
}

Value Evaluator::sequence(const Expr& expr) {
  std::vector<Rel> parts;
  for (const ExprId operand : expr.operands) {
    if (const std::optional<Rel> next = relation_of(evaluate(operand, source_), operand))
      parts.push_back(*next);
  }
  if (parts.empty() || parts.size() != expr.operands.size()) return Poison{};
  return join(std::move(parts), [&](Rel a, Rel b) { return tree_.sequence(a, b); });
}

Value Evaluator::product(const Expr& expr) {
  const std::optional<Set> a = set_of(evaluate(expr.operands[0], source_), expr.operands[0]);
  const std::optional<Set> b = set_of(evaluate(expr.operands[1], source_), expr.operands[1]);
  if (!a || !b) return Poison{};
  return tree_.product(*a, *b);
}

Value Evaluator::complement(const Expr& expr) {
  const Value value = evaluate(expr.operands[0], source_);
  check_positive(value, syntax_.exprs[expr.operands[0]], "under `~`");
  if (const Set* set = std::get_if<Set>(&value)) return tree_.complement(*set);
  if (const Rel* rel = std::get_if<Rel>(&value)) return tree_.complement(*rel);
  if (is_zero(value)) error(source_, expr.position, "`~0` is a set or a relation: write `_` or `_ * _`");
  return Poison{};
}

Value Evaluator::closure(const Expr& expr) {
  const std::optional<Rel> a = relation_of(evaluate(expr.operands[0], source_), expr.operands[0]);
  if (!a) return Poison{};
  switch (expr.kind) {
    case ExprKind::optional:
      return tree_.optional(*a);
    case ExprKind::plus:
      return tree_.closure(*a);
    case ExprKind::star:
      return tree_.star(*a);
    case ExprKind::inverse:
      return tree_.inverse(*a);
    default:
      check_failed(__FILE__, __LINE__, "expr.kind", "not a postfix operator");
  }
}

Value Evaluator::restrict(const Expr& expr) {
  const std::optional<Set> set = set_of(evaluate(expr.operands[0], source_), expr.operands[0]);
  if (!set) return Poison{};
  return tree_.restrict_to(*set);
}

// ---- conditions
// -----------------------------------------------------------------------------------------------

// The branch that does not hold is only checked: it leaves nothing in the tree, and what it names is not
// used.
Value Evaluator::evaluate_aside(ExprId expr) {
  const relation::Tree tree = tree_;
  const std::set<std::size_t> references = references_;
  Value value = evaluate(expr, source_);
  tree_ = tree;
  references_ = references;
  return value;
}

Value Evaluator::conditional(const Expr& expr) {
  const std::optional<bool> holds = conditions_ ? conditions_(expr.name) : std::nullopt;
  if (!holds) error(source_, expr.position, "found the unknown condition \"" + expr.name + "\"");
  const bool yes = holds.value_or(true);
  const Value other = evaluate_aside(expr.operands[yes ? 1 : 0]);
  const Value value = evaluate(expr.operands[yes ? 0 : 1], source_);
  if (!holds || is_poison(value) || is_poison(other)) return Poison{};
  if (!is_zero(value) && !is_zero(other) && value.index() != other.index()) {
    const Value& first = yes ? value : other;
    const Value& second = yes ? other : value;
    error(source_, syntax_.exprs[expr.operands[1]].position,
          std::string("found ") + sort_of(second) + ", expected " + sort_of(first) +
              " as the branch before it");
    return Poison{};
  }
  if (!is_zero(value) || is_zero(other)) return value;
  // `0` has the sort of the other branch.
  if (std::holds_alternative<Set>(other)) return tree_.empty_set();
  return tree_.empty_relation();
}

}  // namespace ptxmc::cat
