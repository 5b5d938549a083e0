// SPDX-License-Identifier: Apache-2.0
#include "session/verify_paths.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "engine/terms.h"
#include "explain/verify/claim.h"
#include "session/term_values.h"
#include "support/diagnostic.h"

namespace ptxmc::session {

namespace {

using event::Expr;
using event::Op;

constexpr double kSeconds = 15;           // of all questions
constexpr double kQuestion = 1;           // of one
constexpr std::size_t kMost = 8'000;      // of them
constexpr std::uint64_t kLong = 500'000;  // instructions

/// What truth values say without a solver.
class Facts {
 public:
  explicit Facts(const event::ExprPool& pool) : pool_(pool) {}
  /// False: it contradicts those before.
  bool add(Expr truth, bool holds) {
    if (pool_.is_constant(truth)) return pool_.is_true(truth) == holds;
    const auto [known, fresh] = holds_.try_emplace(truth, holds);
    if (!fresh) return known->second == holds;
    const event::Node node = pool_[truth];
    if (node.op == Op::not_) return add(node.a, !holds);
    if ((node.op == Op::and_ && holds) || (node.op == Op::or_ && !holds))
      return add(node.a, holds) && add(node.b, holds);
    if ((node.op == Op::eq && holds) || (node.op == Op::ne && !holds))
      return equal(node.a, node.b) && equal(node.b, node.a);
    return true;
  }

 private:
  bool equal(Expr value, Expr number) {
    if (!pool_.is_constant(number)) return true;
    const auto [known, fresh] = numbers_.try_emplace(value, pool_[number].constant);
    return fresh || known->second == pool_[number].constant;
  }
  const event::ExprPool& pool_;
  std::map<Expr, bool> holds_;
  std::map<Expr, event::Value> numbers_;
};

/// Questions and answers, shared by all runs.
class Questions {
 public:
  explicit Questions(const Budget& budget) : budget_(budget.at_most(kSeconds)), solver_(symbols) {}

  event::Symbols symbols{event::ExprPool()};
  TermValues::Initial bytes;

  /// Some of them do not hold, whatever the contents are.
  bool contradict(std::vector<Expr> truths) {
    Facts facts(symbols.pool());
    for (const Expr truth : truths) {
      if (!facts.add(truth, true)) return true;
    }
    std::sort(truths.begin(), truths.end());
    const auto [known, fresh] = answers_.try_emplace(std::move(truths), false);
    if (fresh) known->second = ask(known->first);
    return known->second;
  }

 private:
  bool ask(const std::vector<Expr>& truths) {
    if (answers_.size() > kMost || budget_.over()) return false;
    try {
      const double left = budget_.left().value_or(kQuestion);
      return solver_.satisfiable(truths, std::min(left, kQuestion)) == engine::TermSolver::Answer::no;
    } catch (const InputError&) {  // there is no solver
      return false;
    }
  }

  Budget budget_;
  engine::TermSolver solver_;
  std::map<std::vector<Expr>, bool> answers_;
};

class SolverJudge : public kernel::ConditionJudge {
 public:
  explicit SolverJudge(std::shared_ptr<Questions> questions) : questions_(std::move(questions)) {}

  bool exclude(const kernel::Terms& terms, std::span<const kernel::Condition> all) override {
    event::Symbols& symbols = questions_->symbols;
    if (values_ == nullptr) values_ = std::make_unique<TermValues>(terms, symbols, questions_->bytes);
    std::vector<Expr> truths;
    for (const kernel::Condition& condition : all) {
      const Expr holds = values_->truth(condition.guard);
      truths.push_back(condition.holds ? holds : symbols.pool().negation(holds));
    }
    return questions_->contradict(std::move(truths));
  }

 private:
  std::shared_ptr<Questions> questions_;
  std::unique_ptr<TermValues> values_;
};

}  // namespace

std::function<std::unique_ptr<kernel::ConditionJudge>()> judge_by_solver(const Budget& budget) {
  return
      [questions = std::make_shared<Questions>(budget)] { return std::make_unique<SolverJudge>(questions); };
}

bool may_be_excluded(const explain::Verified& verified) {
  const auto is_race = [](const trace::Finding& finding) { return trace::is_race(finding.rule); };
  if (verified.outcome.instructions > kLong ||
      std::none_of(verified.findings.begin(), verified.findings.end(), is_race))
    return false;
  explain::Verified others = verified;
  std::erase_if(others.findings, is_race);
  return explain::verdict_of(others) == explain::Verdict::proven;
}

}  // namespace ptxmc::session
