// SPDX-License-Identifier: Apache-2.0
// Finding all races.
//
// An engine says whether a flag is raised and shows one execution. So one asks for an execution whose flag
// relates a pair that is not known yet, takes all pairs of that execution, and asks again until there is
// none: at most one query a pair, in practice far fewer. Pairs are known by source instruction: the turns of
// an unrolled loop and the halves of an atomic make one finding. A pair that several flags relate is one
// finding with several flags.
#include "check/races.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "check/async_diagnosis.h"
#include "check/flag_probe.h"
#include "check/tensor_diagnosis.h"
#include "support/check.h"

namespace ptxmc::check {

using event::EventId;

namespace {

using KeyPair = std::pair<std::size_t, std::size_t>;
constexpr std::string_view kMixedSize = "mixed-size-race";

class Finder {
 public:
  Finder(const engine::Query& query, const Solve& solve)
      : query_(query), solve_(solve), keys_(instruction_keys(query.graph)) {}

  RaceReport run() {
    for (std::size_t flag = 0; flag < query_.model.flags.size(); ++flag) {
      const FlagProbe probe(query_, flag);
      if (probe.enumerable()) {
        enumerate(probe, flag);
      } else {
        ask_whole(flag);
      }
    }
    for (Finding& finding : report_.findings) complete(finding);
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.accesses < b.accesses; });
    return std::move(report_);
  }

 private:
  const std::string& name_of(std::size_t flag) const { return query_.model.flags[flag].name; }

  // True: there is a state to look at.
  bool found(const engine::Result& result, std::size_t flag) {
    if (!result.states.empty()) return true;
    if (!result.complete)
      report_.unknown.emplace_back(name_of(flag), result.unknown.empty() ? "incomplete" : result.unknown);
    return false;
  }

  void enumerate(const FlagProbe& probe, std::size_t flag) {
    relation::BitMatrix known(query_.graph.size());
    while (true) {
      engine::Result result = probe.ask(Probe::outside, known, solve_);
      if (!found(result, flag)) return;
      const engine::State& state = result.states.front();
      bool fresh = false;
      for (const auto& [a, b] : probe.pairs(state.witness)) {
        if (known.test(a, b)) continue;
        fresh = true;
        add(a, b, flag, state);
        mark(a, b, known);
      }
      PTXMC_CHECK(fresh, "an execution that raises a flag relates no new pair by it");
    }
  }

  // All pairs of the same two instructions.
  void mark(EventId a, EventId b, relation::BitMatrix& known) const {
    for (EventId x = 0; x < keys_.size(); ++x) {
      if (keys_[x] != keys_[a] && keys_[x] != keys_[b]) continue;
      const std::size_t other = keys_[x] == keys_[a] ? keys_[b] : keys_[a];
      for (EventId y = 0; y < keys_.size(); ++y) {
        if (keys_[y] != other) continue;
        known.set(x, y);
        known.set(y, x);
      }
    }
  }

  void add(EventId a, EventId b, std::size_t flag, const engine::State& state) {
    const auto [it, fresh] = found_.try_emplace(std::minmax({keys_[a], keys_[b]}), report_.findings.size());
    if (!fresh) {
      std::vector<std::string>& flags = report_.findings[it->second].flags;
      if (flags.back() != name_of(flag)) flags.push_back(name_of(flag));
      return;
    }
    Finding finding;
    finding.flags = {name_of(flag)};
    finding.flag = flag;
    finding.accesses = a == b ? std::vector{a} : std::vector{std::min(a, b), std::max(a, b)};
    finding.state = state;
    report_.findings.push_back(std::move(finding));
  }

  void ask_whole(std::size_t flag) {
    engine::Query query{query_.graph,      query_.base, query_.signature, query_.model,
                        engine::Ask::flag, flag,        query_.budget,    1};
    engine::Result result = solve_(query);
    if (!found(result, flag)) return;
    Finding finding;
    finding.flags = {name_of(flag)};
    finding.flag = flag;
    finding.state = std::move(result.states.front());
    report_.findings.push_back(std::move(finding));
  }

  void complete(Finding& finding) {
    if (finding.accesses.size() != 2) return;
    const auto& events = query_.graph.events;
    const bool accesses = std::all_of(finding.accesses.begin(), finding.accesses.end(), [&](EventId e) {
      return events[e].is_access() && events[e].kind != event::EventKind::initial_write;
    });
    if (!accesses) return;
    if (std::find(finding.flags.begin(), finding.flags.end(), kMixedSize) != finding.flags.end()) {
      finding.diagnosis.missing = {Missing::uniform_size};
      return;
    }
    finding.diagnosis.tensor =
        diagnose_tensor(query_, finding.accesses[0], finding.accesses[1], finding.state);
    if (finding.diagnosis.tensor) return;
    finding.diagnosis.async = diagnose_async(query_, finding.accesses[0], finding.accesses[1], finding.state);
    if (finding.diagnosis.async) return;
    finding.diagnosis =
        diagnose(query_, finding.flag, finding.accesses[0], finding.accesses[1], finding.state, solve_);
    const Diagnosis& found = finding.diagnosis;
    const bool no_order =
        !found.missing.empty() && (found.missing.front() == Missing::synchronization ||
                                   (found.missing.front() == Missing::wait && !found.awaited));
    if (!no_order) return;
    if (const auto phase = missed_phase(query_, finding.accesses[0], finding.accesses[1], finding.state)) {
      finding.diagnosis = {};
      finding.diagnosis.missing = {Missing::phase};
      finding.diagnosis.phase = phase;
    }
  }

  const engine::Query& query_;
  const Solve& solve_;
  const std::vector<std::size_t> keys_;
  std::map<KeyPair, std::size_t> found_;  // -> index of the finding
  RaceReport report_;
};

}  // namespace

std::vector<std::size_t> instruction_keys(const event::ProgramGraph& graph) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, EventId>, std::size_t> keys;
  std::vector<std::size_t> out;
  for (EventId e = 0; e < graph.size(); ++e) {
    const event::Event& event = graph.events[e];
    const bool placed = event.position.known() && event.kind != event::EventKind::initial_write;
    const auto place = placed ? std::tuple(event.position.line, event.position.column, event::kNoEvent)
                              : std::tuple(0U, 0U, e);
    out.push_back(keys.try_emplace(place, keys.size()).first->second);
  }
  return out;
}

RaceReport find_races(const engine::Query& query, const Solve& solve) {
  return Finder(query, solve).run();
}

}  // namespace ptxmc::check
