// SPDX-License-Identifier: Apache-2.0
#include "session/verify_paths.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "axiomatic/engine/terms.h"
#include "dynamic/claim/claim.h"
#include "finding/rules.h"
#include "session/sums.h"
#include "session/term_values.h"
#include "support/diagnostic.h"

namespace ptxmc::session {

namespace {

using event::Expr;
using event::Op;

constexpr double kAllQuestions = 15;        // of all questions
constexpr double kQuestion = 1;             // of one
constexpr std::size_t kMost = 8'000;        // of them
constexpr std::int64_t kMostPlaces = 4096;  // that an address may be of
constexpr unsigned kRegisterBits = 64;
constexpr std::uint64_t kLongPath = 500'000;  // instructions

/// What truth values say without a solver.
class Facts : public SumFacts {
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
    if (node.op == Op::lt_s || node.op == Op::lt_u) bound(node, holds);
    return true;
  }
  std::optional<bool> truth(Expr value) const override {
    const auto known = holds_.find(value);
    return known == holds_.end() ? std::nullopt : std::optional(known->second);
  }
  std::optional<Bounds> bounds(Expr value) const override {
    const auto known = bounds_.find(value);
    return known == bounds_.end() || known->second.least < 0 ? std::nullopt : std::optional(known->second);
  }

 private:
  /// A comparison with a number, which TermValues writes on the left: as numbers with a sign.
  void bound(const event::Node& less, bool holds) {
    const event::Width width = pool_[less.b].width;
    if (!pool_.is_constant(less.a) || width > kWidestBound) return;
    const auto most = (std::int64_t{1} << (width - 1U)) - 1;
    const std::int64_t number = event::as_signed(pool_[less.a].constant, width);
    const auto [known, fresh] = bounds_.try_emplace(less.b, Bounds{-most - 1, most});
    Bounds& now = known->second;
    if (less.op == Op::lt_s && holds) now.least = std::max(now.least, number + 1);
    if (less.op == Op::lt_s && !holds) now.most = std::min(now.most, number);
    // Without a sign: up to a number that is positive with one
    if (less.op == Op::lt_u && !holds && number >= 0)
      now = {std::max<std::int64_t>(now.least, 0), std::min(now.most, number)};
  }

  bool equal(Expr value, Expr number) {
    if (!pool_.is_constant(number)) return true;
    const auto [known, fresh] = numbers_.try_emplace(value, pool_[number].constant);
    return fresh || known->second == pool_[number].constant;
  }
  static constexpr event::Width kWidestBound = 32;
  const event::ExprPool& pool_;
  std::map<Expr, bool> holds_;
  std::map<Expr, event::Value> numbers_;
  std::map<Expr, Bounds> bounds_;  // of comparisons
};

/// Questions and answers, shared by all runs.
class Questions {
 public:
  explicit Questions(const Budget& budget) : budget_(budget.at_most(kAllQuestions)), solver_(symbols) {}

  event::Symbols symbols{event::ExprPool()};
  TermValues::Initial bytes;

  /// A value of so many bits that is this number.
  struct Placed {
    Expr value;
    std::uint64_t number = 0;
  };

  /// Some of them do not hold, whatever the contents are. `placed`: of some of them what they say.
  bool contradict(std::vector<Expr> truths, std::span<const Placed> placed) {
    Facts facts(symbols.pool());
    if (!add(truths, facts) || apart(placed, facts)) return true;
    std::sort(truths.begin(), truths.end());
    const auto [known, fresh] = answers_.try_emplace(std::move(truths), false);
    if (fresh) known->second = ask(known->first);
    return known->second;
  }

  /// As exec::ConditionJudge::numbers, of a value.
  exec::ConditionJudge::Numbers numbers(Expr value, const std::vector<Expr>& truths) {
    Facts facts(symbols.pool());
    if (!add(truths, facts)) return std::vector<std::uint64_t>();
    const std::optional<Sum> sum = sums_.of(value);
    if (!sum) return std::nullopt;
    const SumRange range = range_of(*sum, facts);
    const std::int64_t step = std::max<std::int64_t>(range.step, 1);
    if ((range.most - range.least) / step >= kMostPlaces) return std::nullopt;
    const event::Width width = symbols.pool()[value].width;
    std::vector<std::uint64_t> out;
    for (std::int64_t number = range.least; number <= range.most; number += step)
      out.push_back(static_cast<std::uint64_t>(event::wrap(number, width)));
    return out;
  }

 private:
  static bool add(const std::vector<Expr>& truths, Facts& facts) {
    return std::all_of(truths.begin(), truths.end(), [&](Expr truth) { return facts.add(truth, true); });
  }
  SumRange range_of(const Sum& sum, const Facts& facts) const { return sums_.range(sum, facts); }

  /// One of the values is not its number, or two of them are not together.
  bool apart(std::span<const Placed> placed, const Facts& facts) {
    std::vector<std::pair<event::Width, Sum>> off;  // by how much they are off
    for (const Placed& one : placed) {
      const event::Width width = symbols.pool()[one.value].width;
      const auto number = event::as_signed(static_cast<event::Value>(one.number), width);
      const std::optional<Sum> sum = sums_.of(one.value);
      const std::optional<Sum> rest = sum ? Sums::difference(*sum, {{}, number}) : std::nullopt;
      if (rest) off.emplace_back(width, *rest);
    }
    for (std::size_t i = 0; i < off.size(); ++i) {
      if (is_not_zero(off[i].second, off[i].first, facts)) return true;
      for (std::size_t k = 0; k < i; ++k) {
        if (off[i].first != off[k].first) continue;
        const std::optional<Sum> both = Sums::difference(off[i].second, off[k].second);
        if (both && is_not_zero(*both, off[i].first, facts)) return true;
      }
    }
    return false;
  }

  /// Nor any multiple of 2 to the width.
  bool is_not_zero(const Sum& sum, event::Width width, const Facts& facts) const {
    const SumRange range = range_of(sum, facts);
    if (width < kRegisterBits) {
      const std::int64_t bound = std::int64_t{1} << width;
      if (range.least <= -bound || range.most >= bound) return false;
    }
    if (range.least > 0 || range.most < 0) return true;
    return range.step != 0 && range.least % range.step != 0;
  }

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
  Sums sums_{symbols.pool()};
  std::map<std::vector<Expr>, bool> answers_;
};

class SolverJudge : public exec::ConditionJudge {
 public:
  explicit SolverJudge(std::shared_ptr<Questions> questions) : questions_(std::move(questions)) {}

  bool exclude(const exec::Terms& terms, std::span<const exec::Condition> all) override {
    const Said said = say(terms, all);
    return questions_->contradict(said.truths, said.placed);
  }

  Numbers numbers(const exec::Terms& terms, exec::Term term, unsigned bits,
                  std::span<const exec::Condition> all) override {
    const Said said = say(terms, all);
    return questions_->numbers(values_->bits(term, bits), said.truths);
  }

 private:
  struct Said {
    std::vector<Expr> truths;
    std::vector<Questions::Placed> placed;
  };
  Said say(const exec::Terms& terms, std::span<const exec::Condition> all) {
    event::Symbols& symbols = questions_->symbols;
    if (values_ == nullptr) values_ = std::make_unique<TermValues>(terms, symbols, questions_->bytes);
    Said out;
    for (const exec::Condition& condition : all) {
      const Expr value = values_->bits(condition.guard, condition.bits);
      const Expr number =
          symbols.pool().constant(static_cast<event::Value>(condition.number), condition.bits);
      const Expr holds = symbols.pool().make(Op::eq, 1, value, number);
      out.truths.push_back(condition.holds ? holds : symbols.pool().negation(holds));
      if (condition.bits > 1 && condition.holds) out.placed.push_back({value, condition.number});
    }
    return out;
  }

  std::shared_ptr<Questions> questions_;
  std::unique_ptr<TermValues> values_;
};

}  // namespace

std::function<std::unique_ptr<exec::ConditionJudge>()> judge_by_solver(const Budget& budget) {
  return
      [questions = std::make_shared<Questions>(budget)] { return std::make_unique<SolverJudge>(questions); };
}

bool may_be_excluded(const claim::VerifyResult& verified) {
  constexpr exec::Sources kData = bit(exec::Source::data);
  const auto is_race = [](const trace::Finding& finding) { return finding::is_race(finding.rule); };
  if (verified.outcome.instructions > kLongPath) return false;
  claim::VerifyResult others = verified;
  bool any = std::erase_if(others.findings, is_race) != 0;
  for (exec::Decision& decision : others.outcome.decisions) {
    const bool address = decision.what == exec::Decided::address;
    const bool way =
        decision.what == exec::Decided::control && verified.outcome.open_ways.contains(decision.site);
    if ((!address && !way) || decision.sources != kData) continue;
    decision.sources = 0;
    any = true;
  }
  return any && claim::verdict_of(others) == claim::Verdict::proven;
}

}  // namespace ptxmc::session
