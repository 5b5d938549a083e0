// SPDX-License-Identifier: Apache-2.0
#include "explain/judgement.h"

#include <doctest/doctest.h>

#include "../reported.h"
#include "finding/rules.h"

using namespace ptxmc;
using namespace ptxmc::testing;
using event::Goal;
using explain::Answer;
using explain::Word;

namespace {

/// States by whether they satisfy the proposition.
engine::Result with_states(int satisfying, int violating) {
  engine::Result out;
  for (int i = 0; i < satisfying + violating; ++i) {
    out.states.emplace_back();
    out.states.back().satisfied = i < satisfying;
  }
  return out;
}

event::ProgramGraph graph_with(Goal goal, bool cut = false) {
  event::ProgramGraph graph;
  graph.goal = goal;
  graph.cut = cut;
  return graph;
}

struct Row {
  Goal goal;
  int satisfying, violating;
  Word word;
  Answer answer;
};

explain::FlagOutcome flag(const std::string& rule, std::optional<bool> raised) {
  return {rule, raised, &finding::rule_named(rule)};
}

}  // namespace

TEST_CASE("complete states decide") {
  const Row rows[] = {
      {Goal::exists, 1, 2, Word::ok, Answer::allowed},
      {Goal::exists, 0, 2, Word::no, Answer::forbidden},
      {Goal::exists, 2, 0, Word::ok, Answer::allowed},
      {Goal::exists, 0, 0, Word::no, Answer::forbidden},
      {Goal::not_exists, 1, 2, Word::no, Answer::allowed},
      {Goal::not_exists, 0, 2, Word::ok, Answer::forbidden},
      {Goal::not_exists, 0, 0, Word::ok, Answer::forbidden},
      {Goal::forall, 2, 0, Word::ok, Answer::required},
      {Goal::forall, 1, 1, Word::no, Answer::allowed},
      {Goal::forall, 0, 2, Word::no, Answer::forbidden},
      {Goal::forall, 0, 0, Word::ok, Answer::required},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.goal));
    CAPTURE(row.satisfying);
    CAPTURE(row.violating);
    const auto j = explain::judge(graph_with(row.goal), with_states(row.satisfying, row.violating),
                                  engine::Ask::states, false, {});
    CHECK(j.word == row.word);
    CHECK(explain::name_of(j.answer) == explain::name_of(row.answer));
    CHECK(j.unknown == "");
    CHECK_FALSE(j.loop);
  }
}

TEST_CASE("an exhausted bound leaves only witnesses and counterexamples definite") {
  const Row rows[] = {
      {Goal::exists, 1, 0, Word::ok, Answer::allowed},
      {Goal::exists, 0, 1, Word::no, Answer::unknown},
      {Goal::not_exists, 1, 0, Word::no, Answer::allowed},
      {Goal::not_exists, 0, 1, Word::ok, Answer::unknown},
      {Goal::forall, 1, 1, Word::no, Answer::allowed},
      {Goal::forall, 1, 0, Word::ok, Answer::unknown},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.goal));
    const auto j = explain::judge(graph_with(row.goal, true), with_states(row.satisfying, row.violating),
                                  engine::Ask::states, false, {});
    CHECK(j.loop);
    CHECK(j.word == row.word);
    CHECK(explain::name_of(j.answer) == explain::name_of(row.answer));
    CHECK(j.unknown == (row.answer == Answer::unknown ? "unroll-bound" : ""));
  }
  // The user chose the bound: the answer within it counts.
  const auto j =
      explain::judge(graph_with(Goal::exists, true), with_states(0, 1), engine::Ask::states, true, {});
  CHECK(j.loop);
  CHECK(j.answer == Answer::forbidden);
}

TEST_CASE("incomplete searches are unknown unless a state decides") {
  engine::Result timeout = with_states(0, 1);
  timeout.complete = false;
  timeout.unknown = "timeout";
  auto j = explain::judge(graph_with(Goal::exists), timeout, engine::Ask::states, true, {});
  CHECK(j.word == Word::undef);
  CHECK(j.answer == Answer::unknown);
  CHECK(j.unknown == "timeout");
  j = explain::judge(graph_with(Goal::forall), timeout, engine::Ask::states, true, {});
  CHECK(j.word == Word::no);
  CHECK(j.unknown == "");
}

TEST_CASE("a verdict query says nothing about the other side") {
  auto j = explain::judge(graph_with(Goal::exists), with_states(1, 0), engine::Ask::verdict, false, {});
  CHECK(j.some == true);
  CHECK_FALSE(j.all);
  j = explain::judge(graph_with(Goal::forall), with_states(0, 1), engine::Ask::verdict, false, {});
  CHECK(j.answer == Answer::not_required);
  CHECK_FALSE(j.some);
  j = explain::judge(graph_with(Goal::forall), with_states(0, 0), engine::Ask::verdict, false, {});
  CHECK(j.answer == Answer::required);
}

TEST_CASE("a mixed-size race makes the behaviour undefined") {
  const auto graph = graph_with(Goal::exists);
  const auto j =
      explain::judge(graph, with_states(1, 0), engine::Ask::states, false, {flag("mixed-size-race", true)});
  CHECK(j.answer == Answer::undefined);
  CHECK(j.word == Word::undef);
  CHECK(explain::judge(graph, with_states(1, 0), engine::Ask::states, false, {flag("mixed-size-race", false)})
            .answer == Answer::allowed);
}

TEST_CASE("flags that a reading lets decide void the answer, raised or open") {
  const auto graph = graph_with(Goal::exists);
  const auto voided = [&](const std::vector<explain::FlagOutcome>& flags) {
    auto j = explain::judge(graph, with_states(1, 0), engine::Ask::states, false, flags);
    explain::make_void(
        j, flags, [](const explain::FlagOutcome& flag) { return flag.rule->kind == finding::Kind::race; });
    return j;
  };
  CHECK(voided({}).answer == Answer::allowed);
  CHECK(voided({flag("race", false)}).answer == Answer::allowed);
  CHECK(voided({flag("race", true)}).answer == Answer::undefined);
  CHECK(voided({flag("race", true)}).undefined == true);
  const auto open = voided({flag("race", std::nullopt)});
  CHECK(open.answer == Answer::unknown);
  CHECK(open.unknown == "unknown-race");
  CHECK_FALSE(open.some);
  CHECK_FALSE(open.undefined);
  CHECK(voided({flag("race", std::nullopt), flag("proxy-race", true)}).answer == Answer::undefined);
  CHECK(voided({flag("mixed-size-race", true), flag("race", std::nullopt)}).answer == Answer::undefined);
}

TEST_CASE("races are the flags whose rule is one, and those of a user's own") {
  CHECK(explain::raced({{"own", true}, flag("race", false)}) == true);
  CHECK(explain::raced({flag("race", false), flag("mbarrier-misuse", true)}) == false);
  CHECK(explain::raced({flag("race", false), {"own", std::nullopt}}) == std::nullopt);
  CHECK(explain::raced({flag("mbarrier-misuse", true)}) == std::nullopt);  // a text that knows no races
}

TEST_CASE("stated verdicts") {
  const auto met = [](const std::string& words, int satisfying, int violating,
                      const std::vector<explain::FlagOutcome>& flags = {}, bool cut = false) {
    const litmus::Test test = parse_text(mp_text("exists (P1:r0 == 1)", "Verdict=" + words + "\n"));
    REQUIRE(test.verdicts.size() == 1);
    const auto graph = graph_with(Goal::exists, cut);
    const auto j =
        explain::judge(graph, with_states(satisfying, violating), engine::Ask::states, false, flags);
    return explain::is_met(test.verdicts[0], j, flags);
  };
  CHECK(met("Allowed", 1, 1) == true);
  CHECK(met("Allowed", 0, 1) == false);
  CHECK(met("Forbidden", 0, 1) == true);
  CHECK(met("Forbidden", 1, 1) == false);
  CHECK(met("Required", 1, 0) == true);
  CHECK(met("Required", 1, 1) == false);
  CHECK(met("Forbidden", 0, 1, {}, true) == std::nullopt);
  CHECK(met("Unknown", 0, 1, {}, true) == true);
  CHECK(met("Unknown", 0, 1) == false);
  CHECK(met("Allowed Racy", 1, 0, {flag("race", true)}) == true);
  CHECK(met("Allowed Racy", 1, 0, {flag("race", false)}) == false);
  CHECK(met("Allowed RaceFree", 1, 0, {flag("race", true)}) == false);
  CHECK(met("Allowed RaceFree", 1, 0, {flag("race", std::nullopt)}) == std::nullopt);
  CHECK(met("Forbidden RaceFree", 1, 0, {}) == false);  // one part suffices to be unmet
  CHECK(met("Allowed Terminates", 1, 0) == std::nullopt);
  CHECK(met("Allowed shared-after-exit", 1, 0, {flag("shared-after-exit", true)}) == true);
  CHECK(met("Allowed shared-after-exit", 1, 0, {flag("shared-after-exit", false)}) == false);
  CHECK(met("Allowed shared-after-exit", 1, 0) == false);
  CHECK(met("Allowed own-flag", 1, 0, {{"own-flag", true}}) == true);
  CHECK(met("Undefined", 1, 0, {flag("mixed-size-race", true)}) == true);
  CHECK(met("Allowed", 1, 0, {flag("mixed-size-race", true)}) == false);
}

TEST_CASE("the entry of a model goes before the general one") {
  const litmus::Test test =
      parse_text(mp_text("exists (P1:r0 == 1)", "Verdict=Forbidden\nVerdict[ptx-6.0]=Allowed\n"));
  CHECK(explain::print(*explain::stated_for(test, "ptx-6.0")) == "Allowed");
  CHECK(explain::print(*explain::stated_for(test, "ptx-9.4")) == "Forbidden");
  const litmus::Test other = parse_text(mp_text("exists (P1:r0 == 1)", "Verdict[ptx-6.0]=Allowed\n"));
  CHECK(explain::stated_for(other, "ptx-9.4") == nullptr);
}
