// SPDX-License-Identifier: Apache-2.0
// Expressions of a cat text -> nodes of the Set/Rel tree: names, sorts, calls.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/cat/read.h"
#include "model/cat/syntax.h"
#include "model/cat/walk.h"
#include "model/relation/signature.h"
#include "model/relation/tree.h"
#include "support/diagnostic.h"

namespace ptxmc::cat {

struct Poison {};  // something wrong, already reported; whatever it touches is silently wrong too
struct Zero {};    // `0`: empty, of either sort
using Value = std::variant<Poison, Zero, relation::Set, relation::Rel>;

constexpr std::size_t kNoStatement = ~std::size_t{0};

/// A name of the text: a value, or a function.
struct Entry {
  Value value = Poison{};
  const Binding* function = nullptr;
  std::size_t statement = kNoStatement;  // that defines it
  SourcePtr source;
  std::size_t order = 0;    // set by define(): the number of definitions before
  std::size_t horizon = 0;  // of a function: it sees the names with a smaller order
};

class Evaluator {
 public:
  Evaluator(const Syntax& syntax, const relation::Signature& signature, relation::Tree& tree,
            const Conditions& conditions, Diagnostics& diagnostics);

  /// Value of an expression in the current environment. Errors are reported in `source` and yield Poison.
  Value evaluate(ExprId expr, SourcePtr source);
  /// As a relation; Poison yields nothing, `0` the empty relation, a set is an error.
  std::optional<relation::Rel> relation_of(const Value& value, ExprId expr);

  /// Checks the names of a function's body; sorts are known at its calls.
  void check_function(const Binding& function, const SourcePtr& source);

  void define(const std::string& name, Entry entry);
  /// The definition in force; null: the text has none here.
  const Entry* find(const std::string& name) const;
  std::size_t defined() const { return defined_; }

  /// While the bodies of a `let rec` group are read: its variables must not occur negatively.
  void open_group(std::optional<std::uint32_t> group) { open_group_ = group; }
  /// Statements whose names have been looked up since the last call.
  std::set<std::size_t> take_references() { return std::exchange(references_, {}); }

  void error(const SourcePtr& source, Position position, std::string message);

 private:
  Value dispatch(const Expr& expr);
  Value name(const Expr& expr);
  Value call(const Expr& expr);
  Value apply(const Entry& entry, const Expr& expr);
  std::optional<Value> builtin(const Expr& expr);
  std::optional<Value> predefined(const std::string& name);
  Value boolean(const Expr& expr);  // unite, intersect, subtract
  Value sequence(const Expr& expr);
  Value product(const Expr& expr);
  Value complement(const Expr& expr);
  Value closure(const Expr& expr);  // ? + * ^-1
  Value restrict(const Expr& expr);
  Value conditional(const Expr& expr);
  Value evaluate_aside(ExprId expr);
  std::optional<relation::Set> set_of(const Value& value, ExprId expr);
  void check_positive(const Value& value, const Expr& at, const char* where);
  void unknown(const std::string& name, Position position);

  const Syntax& syntax_;
  const relation::Signature& signature_;
  relation::Tree& tree_;
  const Conditions& conditions_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::vector<Entry>> names_;  // per name, ascending by order
  std::size_t defined_ = 0;
  std::size_t horizon_ = ~std::size_t{0};    // definitions from this order on are not in force
  std::map<std::string, Value> parameters_;  // of the function whose body is being evaluated
  SourcePtr source_;                         // of the expression being evaluated
  std::map<std::string, ExprId> predefined_;
  std::set<std::string> predefined_open_;  // being evaluated: `int` is not `ext` is not `int` ...
  std::optional<std::uint32_t> open_group_;
  std::set<std::size_t> references_;
  std::set<std::string> reported_;
  std::size_t calls_ = 0;
  bool quiet_ = false;  // errors are not reported, but set failed_
  bool failed_ = false;
};

}  // namespace ptxmc::cat
