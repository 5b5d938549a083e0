// SPDX-License-Identifier: Apache-2.0
// Questions to both engines, asked in every way that has to give one answer.
#include <fmt/format.h>

#include <algorithm>

#include "axiomatic/engine/specialise.h"
#include "axiomatic/recheck/recheck.h"
#include "harness.h"

namespace ptxmc::testing {

using engine::Ask;
using engine::Query;
using engine::Result;
using engine::State;
using event::ProgramGraph;
using relation::MemoryModel;

namespace {

/// States as comparable things: values and whether they satisfy the proposition.
std::vector<std::pair<std::vector<event::Value>, bool>> essence(const Result& result) {
  std::vector<std::pair<std::vector<event::Value>, bool>> all;
  for (const State& state : result.states) {
    auto& [values, satisfied] = all.emplace_back(state.values, state.satisfied);
    for (std::size_t i = 0; i < state.symbols.size(); ++i) {  // values over terms: whichever number they got
      if (state.symbols[i] != 0) values[i] = 0;
    }
    for (const std::uint64_t symbol : state.symbols) values.push_back(static_cast<event::Value>(symbol));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::optional<Failure> check_witnesses(Engine engine, const Query& query, const Result& result) {
  for (const State& state : result.states) {
    const std::vector<std::string> complaints = check::recheck(query, state);
    if (complaints.empty()) continue;
    std::string detail = fmt::format("{}: state {}:", name_of(engine), describe(query.graph, state));
    for (const std::string& complaint : complaints) detail += " " + complaint + ";";
    return Failure{fmt::format("witness-rejected-{}", name_of(engine)), detail};
  }
  return std::nullopt;
}

std::string list_states(const ProgramGraph& graph, const Result& result) {
  std::string text = fmt::format("{} states{}{}:", result.states.size(),
                                 result.complete ? "" : ", incomplete: ", result.unknown);
  for (const State& state : result.states) text += "\n    " + describe(graph, state);
  return text;
}

/// True iff `part` (of an engine that gave up, maybe) has no state that a complete result `whole` lacks.
bool included(const Result& part, const Result& whole) {
  const auto a = essence(part), b = essence(whole);
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

std::optional<Failure> compare_states(const ProgramGraph& graph, const Result& a, const Result& b,
                                      const char* first = "explicit", const char* second = "smt") {
  // What a value over terms must be is known once all executions with it are.
  const bool both = a.complete && b.complete;
  if (!both && graph.exprs.has_terms()) return std::nullopt;
  if (both) {
    const auto differ = [](std::optional<bool> x, std::optional<bool> y) { return x && y && *x != *y; };
    if (differ(a.some_depends, b.some_depends) || differ(a.all_depends, b.all_depends))
      return Failure{"dependence-differs",
                     fmt::format("{} and {} differ on whether the answer depends on unknown values: {}; {}",
                                 first, second, a.depends_on, b.depends_on)};
  }
  const bool agree = (!b.complete || included(a, b)) && (!a.complete || included(b, a));
  if (agree) return std::nullopt;
  return Failure{"states-differ", fmt::format("{}: {}\n  {}: {}", first, list_states(graph, a), second,
                                              list_states(graph, b))};
}

/// Both engines count as many states as the explicit one lists.
std::optional<Failure> compare_count(const Query& query, const Result& listed) {
  if (!listed.complete) return std::nullopt;
  Query question = query;
  question.count = true;
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    const Result counted = solve_in_time(engine, question);
    if (!counted.complete || (counted.count && *counted.count == listed.states.size())) continue;
    return Failure{"count-differs", fmt::format("{} counts {}, listed are {}", name_of(engine),
                                                counted.count ? fmt::format("{}", *counted.count) : "nothing",
                                                listed.states.size())};
  }
  return std::nullopt;
}

/// The same states, one by one and packed, by two threads.
std::optional<Failure> compare_packed(const Query& query, const Result& listed) {
  if (!listed.complete) return std::nullopt;
  Query question = query;
  question.witnesses = 1;
  question.packs_from = 2;
  question.jobs = 2;
  const Result result = solve_in_time(Engine::explicit_, question);
  if (!result.complete || !result.packed) return std::nullopt;
  std::size_t next = 0;
  bool same = result.packed->size() == listed.states.size();
  result.packed->for_each(0, result.packed->size(),
                          [&](const std::vector<std::uint32_t>& codes, bool satisfied) {
                            if (!same) return;
                            const State& state = listed.states[next++];
                            same = satisfied == state.satisfied;
                            for (std::size_t i = 0; i < codes.size(); ++i)
                              same = same && result.packed->domain(i)[codes[i]] == state.values[i];
                          });
  if (same) return std::nullopt;
  return Failure{"packed-states-differ", fmt::format("listed: {}", list_states(query.graph, listed))};
}

/// The explicit engine answers the same where it leaves out nothing.
std::optional<Failure> compare_reductions(const Query& query, const Result& reduced) {
  Query question = query;
  question.reductions = engine::kNoReductions;
  const Result whole = solve_in_time(Engine::explicit_, question);
  auto failure = check_witnesses(Engine::explicit_, question, whole);
  if (!failure && query.ask == Ask::states)
    failure = compare_states(query.graph, reduced, whole, "reduced search", "whole search");
  const Answer a = found(reduced), b = found(whole);
  if (!failure && a != b && a != Answer::unknown && b != Answer::unknown)
    failure = Failure{"answer-differs", fmt::format("{} reduced, {} whole", name_of(a), name_of(b))};
  if (failure) failure->kind = "reductions-" + failure->kind;
  return failure;
}

/// The verdict question against the list of states of the same engine.
std::optional<Failure> compare_verdict(Engine engine, const Query& query, const Result& states,
                                       Counts& counts) {
  Query question = query;
  question.ask = Ask::verdict;
  const Result result = solve_in_time(engine, question);
  if (!result.complete && result.states.empty()) {
    ++counts.incomplete;
    return std::nullopt;
  }
  if (auto failure = check_witnesses(engine, question, result)) return failure;
  if (engine == Engine::explicit_) {
    if (auto failure = compare_reductions(question, result)) return failure;
  }
  const bool wanted = query.graph.goal != event::Goal::forall;
  const bool exists = std::any_of(states.states.begin(), states.states.end(),
                                  [&](const State& s) { return s.satisfied == wanted; });
  const std::string kind = fmt::format("verdict-differs-{}", name_of(engine));
  if (result.states.size() > 1) return Failure{kind, "a verdict question answered with several states"};
  if (states.complete && exists != !result.states.empty()) {
    return Failure{kind, fmt::format("decisive state {} by the verdict question, {} by the states: {}",
                                     result.states.empty() ? "not found" : "found",
                                     exists ? "found" : "not found", list_states(query.graph, states))};
  }
  if (!result.states.empty() && result.states[0].satisfied != wanted) {
    return Failure{kind, "the decisive state does not decide: " + describe(query.graph, result.states[0])};
  }
  if (states.complete && !query.graph.exprs.has_terms() && !included(result, states)) {
    return Failure{kind,
                   "the decisive state is not among the states: " + describe(query.graph, result.states[0])};
  }
  return std::nullopt;
}

/// By the explicit engine, with the model folded to what it says of this program.
Result solve_specialised(const Query& query) {
  const engine::Specialiser specialiser(query.model);
  return specialiser.solve(query, [](const Query& q) { return solve_in_time(Engine::explicit_, q); });
}

std::optional<Failure> compare_flag(const Query& query, std::size_t flag, Counts& counts) {
  Query question = query;
  question.ask = Ask::flag;
  question.flag = flag;
  Result results[2];
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    Result& result = results[static_cast<int>(engine)];
    result = solve_in_time(engine, question);
    if (auto failure = check_witnesses(engine, question, result)) return failure;
  }
  if (auto failure = compare_reductions(question, results[0])) return failure;
  const Answer a = found(results[0]), b = found(results[1]);
  if (a == Answer::unknown || b == Answer::unknown) {
    ++counts.incomplete;
    return std::nullopt;
  }
  const Answer folded = found(solve_specialised(question));
  if (folded != a && folded != Answer::unknown) {
    return Failure{"specialised-flag-differs",
                   fmt::format("flag {}: the whole model says {}, the folded one {}",
                               query.model.flags[flag].name, name_of(a), name_of(folded))};
  }
  if (a == b) return std::nullopt;
  return Failure{"flag-differs", fmt::format("flag {}: explicit says {}, smt says {}",
                                             query.model.flags[flag].name, name_of(a), name_of(b))};
}

/// The model folded to what it says of this program gives the same answer as the whole one (explicit engine).
std::optional<Failure> compare_specialised(const Query& query, const Result& whole) {
  const Result folded = solve_specialised(query);
  auto failure = check_witnesses(Engine::explicit_, query, folded);
  if (!failure) failure = compare_states(query.graph, whole, folded, "whole model", "folded model");
  if (failure) failure->kind = "specialised-" + failure->kind;
  return failure;
}

}  // namespace

std::optional<Failure> compare_engines(const Prepared& prepared, const MemoryModel& model,
                                       const CompareOptions& options, Counts& counts) {
  const Query query = query_for(prepared, model);
  Result results[2];
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    Result& result = results[static_cast<int>(engine)];
    result = solve_in_time(engine, query);
    if (!result.complete) ++counts.incomplete;
    if (auto failure = check_witnesses(engine, query, result)) return failure;
  }
  counts.states += results[0].states.size();
  if (auto failure = compare_states(*prepared.graph, results[0], results[1])) return failure;
  if (auto failure = compare_specialised(query, results[0])) return failure;
  if (auto failure = compare_reductions(query, results[0])) return failure;
  if (auto failure = compare_count(query, results[0])) return failure;
  if (auto failure = compare_packed(query, results[0])) return failure;
  if (options.verdict) {
    for (Engine engine : {Engine::explicit_, Engine::smt}) {
      if (auto failure = compare_verdict(engine, query, results[static_cast<int>(engine)], counts))
        return failure;
    }
  }
  for (std::size_t flag = 0; flag < model.flags.size(); ++flag) {
    if (!options.all_flags && flag != options.flag % model.flags.size()) continue;
    if (auto failure = compare_flag(query, flag, counts)) return failure;
  }
  return std::nullopt;
}

}  // namespace ptxmc::testing
