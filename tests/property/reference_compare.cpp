// SPDX-License-Identifier: Apache-2.0
// The engines' answers against those of the exhaustive reference.
#include <fmt/format.h>

#include <algorithm>

#include "reference.h"

namespace ptxmc::testing {

using event::Value;
using relation::MemoryModel;

namespace {

/// Every state of the reference is one of the engine's; a value over terms may be any number.
bool shows_all(const engine::Result& result, const Reference& reference) {
  const auto matches = [](const engine::State& state, const std::vector<Value>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool open = !state.symbols.empty() && state.symbols[i] != 0;
      if (!open && state.values[i] != values[i]) return false;
    }
    return true;
  };
  return std::all_of(reference.states.begin(), reference.states.end(), [&](const auto& one) {
    return std::any_of(result.states.begin(), result.states.end(), [&](const engine::State& state) {
      return state.satisfied == one.second && matches(state, one.first);
    });
  });
}

std::optional<Failure> compare_races_with(const Reference& reference, const Prepared& prepared,
                                          const MemoryModel& model) {
  auto found = races_by(Engine::explicit_, prepared, model);
  if (!found) return std::nullopt;
  std::erase_if(*found, [&](const auto& race) {
    const std::size_t flag = std::get<0>(race);
    return !reference.answered.contains(flag) || !names_pairs(model.flags[flag]);
  });
  if (*found == reference.races) return std::nullopt;
  return Failure{"reference-races-differ", fmt::format("explicit finds {} races, the reference {}, or others",
                                                       found->size(), reference.races.size())};
}

}  // namespace

std::optional<Failure> compare_with_reference(const Prepared& prepared, const MemoryModel& model,
                                              std::size_t limit, bool races, Counts& counts) {
  const std::optional<Reference> reference = enumerate_all(prepared, model, limit);
  if (!reference) return std::nullopt;
  ++counts.reference;
  if (reference->failure) return reference->failure;
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    engine::Query query = query_for(prepared, model);
    const engine::Result result = solve_in_time(engine, query);
    std::set<std::pair<std::vector<Value>, bool>> states;
    for (const engine::State& state : result.states) states.emplace(state.values, state.satisfied);
    const bool missing = result.complete && !shows_all(result, *reference);
    const bool extra = reference->closed && !std::includes(reference->states.begin(), reference->states.end(),
                                                           states.begin(), states.end());
    if (missing || extra) {
      std::string detail =
          fmt::format("{} {} a state; the reference has:", name_of(engine), missing ? "misses" : "invents");
      for (const auto& [values, satisfied] : reference->states) {
        engine::State state{.values = values, .satisfied = satisfied, .witness = {}};
        detail += "\n    " + describe(*prepared.graph, state);
      }
      detail += "\n  the engine has:";
      for (const engine::State& state : result.states) detail += "\n    " + describe(*prepared.graph, state);
      return Failure{fmt::format("reference-differs-{}", name_of(engine)), detail};
    }
    for (std::size_t f = 0; f < model.flags.size(); ++f) {
      if (!reference->answered.contains(f)) continue;
      query.ask = engine::Ask::flag;
      query.flag = f;
      const engine::Result flag = solve_in_time(engine, query);
      if (!flag.complete || !reference->closed || flag.states.empty() != reference->flags.contains(f))
        continue;
      return Failure{fmt::format("reference-flag-differs-{}", name_of(engine)),
                     fmt::format("flag {}: the reference says {}, {} says {}", model.flags[f].name,
                                 reference->flags.contains(f) ? "raised" : "never raised", name_of(engine),
                                 flag.states.empty() ? "never raised" : "raised")};
    }
  }
  if (races && reference->closed) return compare_races_with(*reference, prepared, model);
  return std::nullopt;
}

}  // namespace ptxmc::testing
