// SPDX-License-Identifier: Apache-2.0
// A mutant is an edit of the syntax tree that is then read as usual. Operands have the sort of the whole, so
// a mutant reads, except where a lone `0` would be left without a sort: that is no mutant.
#include "model/cat/mutate.h"

#include <cctype>
#include <utility>

#include "model/cat/defaults.h"
#include "model/cat/elaborate.h"
#include "model/cat/parser.h"
#include "model/cat/print.h"

namespace ptxmc::cat {

namespace {

class Mutator {
 public:
  Mutator(const Syntax& syntax, const relation::Signature& signature, const Conditions& conditions,
          const Elaborated& original)
      : syntax_(syntax),
        signature_(signature),
        conditions_(conditions),
        reachable_(original.reachable),
        original_(print(original.model, signature)) {}

  std::vector<Mutant> run() {
    for (std::size_t i = 0; i < syntax_.statements.size(); ++i) {
      const Statement& statement = syntax_.statements[i];
      if (!reachable_[i] || is_default(statement)) continue;
      source_ = statement.source;
      if (statement.kind == StatementKind::constraint) {
        owner_ = statement.name.empty() ? "the unnamed axiom" : statement.name;
        drop_statement(i);
        expression(*statement.expression);
      }
      for (const Binding& binding : statement.bindings) {
        owner_ = binding.name;
        expression(*binding.body);
      }
    }
    return std::move(mutants_);
  }

 private:
  void drop_statement(std::size_t index) {
    Syntax mutated = syntax_;
    mutated.statements.erase(mutated.statements.begin() + static_cast<std::ptrdiff_t>(index));
    const Statement& statement = syntax_.statements[index];
    add(mutated, std::string("drop the ") + (statement.is_flag ? "flag " : "axiom ") + owner_,
        statement.position);
  }

  void expression(ExprId id) {
    const Expr& expr = syntax_.exprs[id];
    switch (expr.kind) {
      case ExprKind::unite:
        drop_operands(id, 0, "| ");
        break;
      case ExprKind::intersect:
        drop_operands(id, 0, "& ");
        break;
      case ExprKind::sequence:
        drop_operands(id, 0, "; ");
        break;
      case ExprKind::subtract:
        drop_operands(id, 1, "\\ ");
        break;
      case ExprKind::optional:
        unwrap(id, "?");
        break;
      case ExprKind::plus:
        unwrap(id, "+");
        break;
      case ExprKind::star:
        unwrap(id, "*");
        break;
      case ExprKind::conditional:  // read without errors, so the condition is known
        take_other_branch(id);
        return expression(expr.operands[*conditions_(expr.name) ? 0 : 1]);
      case ExprKind::name:
      case ExprKind::call:
      case ExprKind::universe:
      case ExprKind::zero:
      case ExprKind::product:
      case ExprKind::complement:
      case ExprKind::inverse:
      case ExprKind::restrict:
        break;
    }
    for (const ExprId operand : expr.operands) expression(operand);
  }

  void drop_operands(ExprId id, std::size_t first, const std::string& symbol) {
    const Expr& expr = syntax_.exprs[id];
    for (std::size_t i = first; i < expr.operands.size(); ++i) {
      Syntax mutated = syntax_;
      std::vector<ExprId>& operands = mutated.exprs[id].operands;
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
      if (operands.size() == 1) replace(mutated, id, operands[0]);
      const Expr& dropped = syntax_.exprs[expr.operands[i]];
      add(mutated, "drop `" + symbol + excerpt(dropped) + "` from " + owner_, dropped.position);
    }
  }

  void take_other_branch(ExprId id) {
    const Expr& expr = syntax_.exprs[id];
    Syntax mutated = syntax_;
    replace(mutated, id, expr.operands[*conditions_(expr.name) ? 1 : 0]);
    add(mutated, "read `" + expr.name + "` the other way in " + owner_, expr.position);
  }

  void unwrap(ExprId id, const std::string& symbol) {
    Syntax mutated = syntax_;
    const ExprId operand = syntax_.exprs[id].operands[0];
    replace(mutated, id, operand);
    add(mutated, "drop `" + symbol + "` after `" + excerpt(syntax_.exprs[operand]) + "` from " + owner_,
        syntax_.exprs[id].position);
  }

  static void replace(Syntax& syntax, ExprId id, ExprId by) {
    Expr copy = syntax.exprs[by];
    syntax.exprs[id] = std::move(copy);
  }

  // The expression as written, on one line, shortened in its middle.
  std::string excerpt(const Expr& expr) const {
    constexpr std::size_t kLongest = 60;
    std::string out;
    for (const char c : source_->text.substr(expr.begin, expr.end - expr.begin)) {
      const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!space) out += c;
      if (space && !out.empty() && out.back() != ' ') out += ' ';
    }
    if (out.size() > kLongest)
      out = out.substr(0, kLongest / 2) + " ... " + out.substr(out.size() - kLongest / 2);
    return out;
  }

  void add(const Syntax& mutated, const std::string& what, Position position) {
    Diagnostics diagnostics(mutated.source);
    Elaborated elaborated = elaborate(mutated, signature_, conditions_, diagnostics);
    if (diagnostics.has_errors() || print(elaborated.model, signature_) == original_) return;
    const std::string file = source_ == syntax_.source ? "" : source_->name + " ";
    mutants_.push_back({file + "line " + std::to_string(position.line) + ": " + what, source_, position,
                        std::move(elaborated.model)});
  }

  const Syntax& syntax_;
  const relation::Signature& signature_;
  const Conditions& conditions_;
  const std::vector<bool>& reachable_;
  const std::string original_;  // the model as printed: an edit that changes nothing there is no mutant
  SourcePtr source_;
  std::string owner_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutants(const SourcePtr& source, const relation::Signature& signature,
                            const IncludeResolver& include, const Conditions& conditions) {
  Diagnostics diagnostics(source);
  Syntax syntax = parse(source, include, diagnostics);
  add_defaults(syntax, signature, diagnostics);
  const Elaborated elaborated = elaborate(syntax, signature, conditions, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return Mutator(syntax, signature, conditions, elaborated).run();
}

}  // namespace ptxmc::cat
