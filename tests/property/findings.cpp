// SPDX-License-Identifier: Apache-2.0
// Races and liveness of random programs, as both engines have them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "axiomatic/question/flag_probe.h"
#include "axiomatic/question/liveness.h"
#include "axiomatic/question/races.h"
#include "axiomatic/recheck/recheck.h"
#include "harness.h"
#include "support/beyond_limits.h"
#include "support/diagnostic.h"

namespace ptxmc::testing {
namespace {

using engine::Query;
using engine::Result;

struct Found {
  Races races;
  bool complete = true;
  std::optional<std::string> rejected;  ///< a witness that fails its re-check
};

/// Asks for an execution that relates another pair until there is none, as axiomatic/question/races.cpp does, where the explicit
/// engine leaves out what a ResumeState says and the other one does not; what is missing between the two is not asked.
void find(Engine engine, const Query& query, std::size_t flag, Found& found) {
  const check::FlagProbe probe(query, flag);
  if (!probe.enumerable()) return;
  const check::Solve solver = [&](const Query& question) {
    Result result = solve_in_time(engine, question);
    for (const engine::State& state : result.states) {
      for (const std::string& what : check::recheck(question, state)) found.rejected = what;
    }
    return result;
  };
  const auto keys = check::instruction_keys(query.graph);
  relation::BitMatrix known(query.graph.size());
  const auto course = std::make_shared<engine::ResumeState>();
  while (!found.rejected) {
    const Result result = probe.ask(check::Probe::outside, known, solver, course);
    if (result.states.empty()) {
      found.complete = found.complete && result.complete;
      return;
    }
    bool fresh = false;
    for (const auto& [a, b] : probe.pairs(result.states.front().witness)) {
      fresh = fresh || !known.test(a, b);
      known.set(a, b);
      found.races.emplace(flag, std::min(keys[a], keys[b]), std::max(keys[a], keys[b]));
    }
    if (!fresh) found.rejected = "an execution that raises a flag relates no new pair by it";
  }
}

Found find(Engine engine, const Query& query) {
  Found found;
  for (std::size_t flag = 0; flag < query.model.flags.size(); ++flag) find(engine, query, flag, found);
  return found;
}

}  // namespace

std::optional<Races> races_by(Engine engine, const Prepared& prepared, const relation::MemoryModel& model) {
  const Query query = query_for(prepared, model);
  const Found found = find(engine, query);
  return found.complete && !found.rejected ? std::optional(found.races) : std::nullopt;
}

std::optional<Failure> compare_races(const Prepared& prepared, const relation::MemoryModel& model,
                                     Counts& counts) {
  const Query query = query_for(prepared, model);
  const std::array<Found, 2> found = {find(Engine::explicit_, query), find(Engine::smt, query)};
  for (const Found& one : found) {
    if (one.rejected) return Failure{"race-witness-rejected", *one.rejected};
  }
  if (!found[0].complete || !found[1].complete) {
    ++counts.incomplete;
    return std::nullopt;
  }
  ++counts.raced;
  counts.races += found[0].races.size();
  if (found[0].races == found[1].races) return std::nullopt;
  return Failure{"races-differ", fmt::format("explicit finds {} races, smt {}, or others",
                                             found[0].races.size(), found[1].races.size())};
}

std::optional<Unending> unending(const Prepared& prepared, const relation::MemoryModel& model,
                                 lower::Options options, lower::ProgressModel progress) {
  options.liveness = progress;
  try {
    return Unending{prepare(prepared.test, options), check::with_progress(model, event::base_signature())};
  } catch (const BeyondLimits&) {
    return std::nullopt;
  } catch (const InputError& error) {
    if (std::string(error.what()).find("not supported") != std::string::npos) return std::nullopt;
    throw;
  }
}

std::optional<Failure> compare_liveness(const Unending& unending, Counts& counts) {
  if (unending.prepared.graph->hangs.empty()) return std::nullopt;
  ++counts.waited;
  const Query query = query_for(unending.prepared, unending.model, engine::Ask::verdict);
  std::array<Result, 2> results;
  for (const Engine engine : {Engine::explicit_, Engine::smt}) {
    Result& result = results[static_cast<std::size_t>(engine)];
    result = solve_in_time(engine, query);
    for (const engine::State& state : result.states) {
      for (const std::string& what : check::recheck(query, state))
        return Failure{fmt::format("hang-rejected-{}", name_of(engine)), what};
      check::explain_standstill(query, state.witness);
    }
  }
  const bool open = (results[0].states.empty() && !results[0].complete) ||
                    (results[1].states.empty() && !results[1].complete);
  counts.incomplete += open;
  counts.hangs += !open && !results[0].states.empty();
  if (open || results[0].states.empty() == results[1].states.empty()) return std::nullopt;
  return Failure{"liveness-differs", fmt::format("only {} finds that somebody waits for ever",
                                                 results[0].states.empty() ? "smt" : "explicit")};
}

}  // namespace ptxmc::testing
