// SPDX-License-Identifier: Apache-2.0
#include "check/agree.h"

#include <fmt/format.h>

#include <map>

namespace ptxmc::check {

namespace {

/// What a state is, with numbers for values over terms left out, and the truth of the condition put in, as it
/// may depend on them.
using Shown = std::vector<std::uint64_t>;
using StateMap = std::map<Shown, const engine::State*>;

Shown shown(const engine::Query& query, const engine::State& state) {
  Shown out;
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    const std::uint64_t symbol = state.symbols.empty() ? 0 : state.symbols[i];
    out.push_back(symbol == 0 ? static_cast<std::uint64_t>(state.values[i]) : 0);
    out.push_back(symbol);
  }
  if (query.graph.exprs.has_terms()) out.push_back(state.satisfied ? 1 : 0);
  return out;
}

StateMap by_values(const engine::Query& query, const engine::Result& result) {
  StateMap out;
  for (const engine::State& state : result.states) out.emplace(shown(query, state), &state);
  return out;
}

struct Named {
  const std::string& name;
  const engine::Result& result;
};

// States of `some` that `all`, which is complete, lacks or judges differently.
void compare(const engine::Query& query, Named some, Named all, std::vector<std::string>& out) {
  const StateMap known = by_values(query, all.result);
  for (const engine::State& state : some.result.states) {
    const auto it = known.find(shown(query, state));
    if (it == known.end()) {
      out.push_back(fmt::format("{} finds the state {} and {} does not", some.name,
                                describe_state(query.graph, state), all.name));
    } else if (it->second->satisfied != state.satisfied) {
      out.push_back(fmt::format("{} and {} differ on whether {} satisfies the condition", some.name, all.name,
                                describe_state(query.graph, state)));
    }
  }
}

/// Whether the answer depends on terms, where both could decide it.
void compare_dependence(const engine::Query& query, Named a, Named b, std::vector<std::string>& out) {
  const bool forall = query.graph.goal == event::Goal::forall;
  const auto depends = [&](const engine::Result& result) {
    return forall ? result.all_depends : result.some_depends;
  };
  const auto first = depends(a.result), second = depends(b.result);
  if (!first || !second || *first == *second) return;
  out.push_back(fmt::format("{} says that the answer depends on unknown values and {} that it does not",
                            *first ? a.name : b.name, *first ? b.name : a.name));
}

}  // namespace

std::string describe_state(const event::ProgramGraph& graph, const engine::State& state) {
  std::string out;
  for (std::size_t i = 0; i < state.values.size() && i < graph.observables.size(); ++i) {
    const bool named = !state.names.empty() && !state.names[i].empty();
    out += fmt::format("{}{}={};", out.empty() ? "" : " ", graph.observables[i].name,
                       named ? state.names[i] : std::to_string(state.values[i]));
  }
  return out.empty() ? "(empty)" : out;
}

std::vector<std::string> differences(const engine::Query& query, const std::string& first_name,
                                     const engine::Result& first, const std::string& second_name,
                                     const engine::Result& second) {
  std::vector<std::string> out;
  const Named a{first_name, first}, b{second_name, second};
  if (query.ask != engine::Ask::states) {
    for (const auto& [found, none] : {std::pair{a, b}, std::pair{b, a}}) {
      if (found.result.states.empty() || !none.result.states.empty() || !none.result.complete) continue;
      out.push_back(fmt::format("{} finds the state {} and {} finds none", found.name,
                                describe_state(query.graph, found.result.states.front()), none.name));
    }
    return out;
  }
  if (query.count) {
    if (a.result.count && b.result.count && *a.result.count != *b.result.count)
      out.push_back(
          fmt::format("{} counts {} states and {} {}", a.name, *a.result.count, b.name, *b.result.count));
    return out;
  }
  for (const Named& side : {a, b}) {
    if (by_values(query, side.result).size() != side.result.states.size()) {
      out.push_back(fmt::format("{} lists a state twice", side.name));
    }
  }
  const bool both = a.result.complete && b.result.complete;
  // What a value over terms must be is known once all executions with it are.
  const bool comparable = both || !query.graph.exprs.has_terms();
  if (both) compare_dependence(query, a, b, out);
  if (b.result.complete && comparable) compare(query, a, b, out);
  if (a.result.complete && comparable) {
    std::vector<std::string> back;
    compare(query, b, a, back);
    for (std::string& line : back) {
      // A differing judgement was already said from the other side.
      const bool said = b.result.complete && line.find(" differ on ") != std::string::npos;
      if (!said) out.push_back(std::move(line));
    }
  }
  return out;
}

}  // namespace ptxmc::check
