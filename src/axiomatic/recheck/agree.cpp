// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/recheck/agree.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

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

struct Named {
  const std::string& name;
  const engine::Result& result;
};

/// The states of a result, as it has them: a list, or packed (which says nothing of terms).
class States {
 public:
  States(const engine::Query& query, const engine::Result& result) : query_(query), result_(result) {
    if (result.packed) return;
    for (const engine::State& state : result.states) listed_.emplace(shown(query, state), &state);
  }

  std::optional<bool> judged(const engine::State& state) const {
    if (result_.packed) return result_.packed->judged(state.values);
    const auto found = listed_.find(shown(query_, state));
    return found == listed_.end() ? std::nullopt : std::optional(found->second->satisfied);
  }

  void for_each(const std::function<void(const engine::State&)>& f) const {
    if (!result_.packed) {
      std::for_each(result_.states.begin(), result_.states.end(), f);
      return;
    }
    const engine::PackedStates& packed = *result_.packed;
    engine::State state;
    packed.for_each(0, packed.size(), [&](const std::vector<std::uint32_t>& codes, bool satisfied) {
      state.values.clear();
      for (std::size_t i = 0; i < codes.size(); ++i) state.values.push_back(packed.domain(i)[codes[i]]);
      state.satisfied = satisfied;
      f(state);
    });
  }

  bool lists_one_twice() const {
    if (!result_.packed) return listed_.size() != result_.states.size();
    bool twice = false;
    std::vector<event::Value> last;
    for_each([&](const engine::State& state) {
      twice = twice || (!last.empty() && last == state.values);
      last = state.values;
    });
    return twice;
  }

 private:
  const engine::Query& query_;
  const engine::Result& result_;
  StateMap listed_;
};

constexpr std::size_t kMostNamed = 3;  // differences of a kind; more are counted

/// Some of many, and how many more there are.
class Some {
 public:
  void add(const std::function<std::string()>& line) {
    if (lines_.size() < kMostNamed) {
      lines_.push_back(line());
    } else {
      ++more_;
    }
  }
  void append_to(std::vector<std::string>& out) && {
    if (more_ != 0) lines_.back() += fmt::format(", and {} more", more_);
    std::move(lines_.begin(), lines_.end(), std::back_inserter(out));
  }

 private:
  std::vector<std::string> lines_;
  std::size_t more_ = 0;
};

/// States of `some` that `all`, which is complete, lacks.
void find_missing(const engine::Query& query, Named some, const States& states, Named all,
                  const States& known, std::vector<std::string>& out) {
  Some missing;
  states.for_each([&](const engine::State& state) {
    if (known.judged(state)) return;
    missing.add([&] {
      return fmt::format("{} finds the state {} and {} does not", some.name,
                         describe_state(query.graph, state), all.name);
    });
  });
  std::move(missing).append_to(out);
}

/// States of both that they judge differently.
void compare_judgements(const engine::Query& query, Named a, const States& first, Named b,
                        const States& second, std::vector<std::string>& out) {
  Some differing;
  first.for_each([&](const engine::State& state) {
    if (second.judged(state).value_or(state.satisfied) == state.satisfied) return;
    differing.add([&] {
      return fmt::format("{} and {} differ on whether {} satisfies the condition", a.name, b.name,
                         describe_state(query.graph, state));
    });
  });
  std::move(differing).append_to(out);
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
  const States of_a(query, first), of_b(query, second);
  if (of_a.lists_one_twice()) out.push_back(a.name + " lists a state twice");
  if (of_b.lists_one_twice()) out.push_back(b.name + " lists a state twice");
  const bool both = a.result.complete && b.result.complete;
  if (both) compare_dependence(query, a, b, out);
  // What a value over terms must be is known once all executions with it are.
  if (!both && query.graph.exprs.has_terms()) return out;
  if (b.result.complete) find_missing(query, a, of_a, b, of_b, out);
  if (a.result.complete) find_missing(query, b, of_b, a, of_a, out);
  if (a.result.complete || b.result.complete) compare_judgements(query, a, of_a, b, of_b, out);
  return out;
}

}  // namespace ptxmc::check
