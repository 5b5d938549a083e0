// SPDX-License-Identifier: Apache-2.0
// Syntax tree of a cat text: what is written, before names and sorts are known. Expressions live in one arena
// per model (included files share it) and refer to each other by index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/relation/memory_model.h"
#include "support/source.h"

namespace ptxmc::cat {

using ExprId = std::uint32_t;

enum class ExprKind : std::uint8_t {
  name,        // Expr::name
  call,        // Expr::name applied to the operands
  universe,    // _
  zero,        // 0: the empty set or relation
  unite,       // a | b | ...      two or more operands, left to right
  sequence,    // a ; b ; ...
  subtract,    // a \ b \ ...      ((a \ b) \ ...)
  intersect,   // a & b & ...
  product,     // A * B
  complement,  // ~a
  optional,    // a?
  plus,        // a+
  star,        // a*
  inverse,     // a^-1
  restrict,    // [S]
  conditional  // if "name" then a else b: Expr::name is the condition, the operands are a and b
};

struct Expr {
  ExprKind kind = ExprKind::zero;
  std::string name;
  std::vector<ExprId> operands;
  Position position;      // where it begins; its length ends with the line at most
  std::size_t begin = 0;  // byte range in the text, for messages
  std::size_t end = 0;
};

/// `name = body` or `name(parameters) = body`. No body: it did not parse (already reported).
struct Binding {
  std::string name;
  Position position;
  bool is_function = false;
  std::vector<std::string> parameters;
  std::optional<ExprId> body;
};

/// `ROLE = NAME`, or ROLE alone for a thing of that name.
struct RoleName {
  std::string role;
  std::string name;
  Position position;
};

enum class StatementKind : std::uint8_t { let, let_rec, order, constraint, role };

struct Statement {
  StatementKind kind = StatementKind::let;
  SourcePtr source;  // the file it stands in
  Position position;
  std::string section;
  std::vector<Binding> bindings;  // let, let_rec; order: one, whose body is the relation after `over`
  bool partial = false;           // order
  // constraint
  relation::Test test = relation::Test::empty;
  bool negated = false;
  bool is_flag = false;
  std::string name;  // after `as`; may be empty
  std::optional<ExprId> expression;
  std::vector<RoleName> roles;  // role
};

/// A whole model text, includes spliced in where they stand.
struct Syntax {
  SourcePtr source;
  std::string title;    // first line: a word or a quoted string; may be empty
  bool quoted = false;  // the title was a string
  std::vector<Expr> exprs;
  std::vector<Statement> statements;
  std::vector<Statement> predefined;  // names that are defined when nothing else defines them, see defaults.h
};

}  // namespace ptxmc::cat
