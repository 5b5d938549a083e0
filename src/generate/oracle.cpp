// SPDX-License-Identifier: Apache-2.0
#include "generate/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "generate/orders.h"
#include "input/litmus/parse.h"
#include "support/check.h"

namespace ptxmc::generate {

namespace {

/// The sketch with a condition that speaks of everything.
Sketch asking_all(const Sketch& sketch) {
  Sketch all = sketch;
  all.name = "all", all.doc.clear();
  for (Thread& thread : all.threads)
    for (Operation& o : thread.operations)
      if (reads(o.kind)) o.read = 0;
  all.finals.assign(static_cast<std::size_t>(sketch.locations), 0);
  return all;
}

std::string key_of(const Sketch& sketch) {
  std::string key;
  const auto put = [&](unsigned number) { key += static_cast<char>(number); };
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    for (const Operation& o : sketch.threads[t].operations) {
      put(static_cast<unsigned>(fences(o.kind) ? Kind::fence : o.kind)),
          put(static_cast<unsigned>(o.location));
      put(static_cast<unsigned>(o.value)), put(static_cast<unsigned>(o.order.semantics));
      put(included(sketch, t, o.order.scope));
    }
    key += '/';
  }
  return key;
}

/// Names of observables, in the order of a State.
std::vector<std::string> names_of(const Sketch& sketch) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    int result = 0;
    for (const Operation& o : sketch.threads[t].operations)
      if (reads(o.kind)) names.push_back(fmt::format("{}:r{}", t, result++));
  }
  for (int i = 0; i < sketch.locations; ++i) names.push_back(fmt::format("[{}]", location_name(i)));
  return names;
}

}  // namespace

Wanted wanted(const Sketch& sketch) {
  Wanted all;
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      if (reads(o.kind)) all.push_back(o.read ? static_cast<std::uint8_t>(*o.read) : kOpen);
  for (std::size_t i = 0; i < static_cast<std::size_t>(sketch.locations); ++i)
    all.push_back(i < sketch.finals.size() && sketch.finals[i] ? static_cast<std::uint8_t>(*sketch.finals[i])
                                                               : kOpen);
  return all;
}

bool meets(const State& state, const Wanted& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != kOpen && wanted[i] != state[i]) return false;
  return true;
}

std::vector<State> Oracle::ask(const Sketch& sketch) const {
  budget_.check();
  const auto source = std::make_shared<const Source>(Source{"all", print(sketch, "")});
  const litmus::Test test = litmus::parse(source);
  const event::ProgramGraph graph = lower::lower(test, session::lowering(session_.settings(), budget_));
  const event::BaseValues base = event::compute_base(graph);
  const engine::Query query = session_.query(graph, base, engine::Ask::states, budget_, 0);
  const engine::Result result = session_.specialiser().solve(query, engine::explicit_::solve);
  if (!result.complete) throw OutOfTime();

  const std::vector<std::string> names = names_of(sketch);
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found = std::find_if(graph.observables.begin(), graph.observables.end(),
                                    [&](const event::Observable& o) { return o.name == name; });
    PTXMC_CHECK(found != graph.observables.end(), "the state has " + name);
    places.push_back(static_cast<std::size_t>(found - graph.observables.begin()));
  }
  std::vector<State> states;
  for (const engine::State& state : result.states) {
    State values;
    for (const std::size_t place : places) values.push_back(static_cast<std::uint8_t>(state.values[place]));
    states.push_back(std::move(values));
  }
  return states;
}

const std::vector<State>& Oracle::states(const Sketch& sketch) {
  if (sketch.locations == 0) {  // fences alone end in the state of nothing
    static const std::vector<State> nothing(1);
    return nothing;
  }
  std::size_t size = 0;
  for (const Thread& thread : sketch.threads) size += thread.operations.size();
  Known& known = known_[size];
  const auto [place, fresh] = known.try_emplace(key_of(sketch));
  if (fresh) {
    ++asked_;
    try {
      place->second = ask(asking_all(sketch));
    } catch (...) {
      known.erase(place);
      throw;
    }
  }
  return place->second;
}

bool Oracle::allowed(const Sketch& sketch) {
  const Wanted condition = wanted(sketch);
  const std::vector<State>& all = states(sketch);
  return std::any_of(all.begin(), all.end(), [&](const State& s) { return meets(s, condition); });
}

}  // namespace ptxmc::generate
