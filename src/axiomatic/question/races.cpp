// SPDX-License-Identifier: Apache-2.0
// Finding all races.
//
// An engine says whether a flag is raised and shows one execution. So one asks for an execution whose flag
// relates a pair that is not known yet, takes all pairs of that execution, and asks again until there is
// none: at most one query a pair, in practice far fewer. Pairs are known by source instruction: the turns of
// an unrolled loop and the halves of an atomic make one finding. A pair that several flags relate is one
// finding with several flags.
#include "axiomatic/question/races.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "axiomatic/question/async_diagnosis.h"
#include "axiomatic/question/counterfactual.h"
#include "axiomatic/question/flag_probe.h"
#include "axiomatic/question/tensor_diagnosis.h"
#include "model/flag_rules.h"
#include "support/check.h"
#include "support/parallel.h"

namespace ptxmc::check {

using event::EventId;

namespace {

using KeyPair = std::pair<std::size_t, std::size_t>;

class Finder {
 public:
  Finder(const engine::Query& query, const Solve& solve, const std::function<void(const RaceReport&)>& so_far,
         Wanted wanted)
      : query_(query),
        solve_(solve),
        so_far_(so_far),
        wanted_(wanted),
        keys_(instruction_keys(query.graph)),
        of_flags_(query.model.flags.size()) {}

  RaceReport run() {
    // One finding will do: none of a later flag is looked for.
    in_parallel(query_.model.flags.size(), wanted_ == Wanted::first ? 1 : query_.jobs, [&](std::size_t flag) {
      if (enough()) return;
      try {
        find(flag);
      } catch (const OutOfTime& timeout) {
        note(flag, timeout.what());
      }
      end(flag);
    });
    leave_out_misuse();
    in_parallel(report_.findings.size(), query_.jobs, [&](std::size_t i) {
      Finding finding = report_.findings[i];
      try {
        name_rule(finding);
        complete(finding);
      } catch (const OutOfTime& timeout) {
        finding.diagnosis = {};
        finding.diagnosis.unknown = timeout.what();
      }
      const std::lock_guard lock(mutex_);
      report_.findings[i] = std::move(finding);
      tell();
    });
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.accesses < b.accesses; });
    return std::move(report_);
  }

 private:
  bool enough() const { return wanted_ == Wanted::first && !report_.findings.empty(); }

  /// What is found of one flag, in turn: pairs of an execution, or a reason why there may be more.
  struct News {
    std::vector<std::pair<EventId, EventId>> pairs;
    engine::State state;
    std::string unknown;
  };
  /// The news of one flag. They join the report when all flags before it have ended: which flag a finding is
  /// named by depends on their order.
  struct OfFlag {
    std::vector<News> news;
    bool ended = false;
  };

  void join() {
    bool more = false;
    for (; joined_ < of_flags_.size(); ++joined_) {
      OfFlag& flag = of_flags_[joined_];
      for (News& news : flag.news) add(std::move(news), joined_);
      more = more || !flag.news.empty();
      flag.news.clear();
      if (!flag.ended) break;
    }
    if (more) tell();
  }

  void say(std::size_t flag, News news) {
    const std::lock_guard lock(mutex_);
    of_flags_[flag].news.push_back(std::move(news));
    join();
  }

  void note(std::size_t flag, std::string reason) { say(flag, {{}, {}, std::move(reason)}); }

  void end(std::size_t flag) {
    const std::lock_guard lock(mutex_);
    of_flags_[flag].ended = true;
    join();
  }

  void tell() const {
    if (so_far_ && !report_.findings.empty()) so_far_(report_);
  }

  void find(std::size_t flag) {
    const FlagProbe probe(query_, flag);
    if (probe.enumerable()) {
      enumerate(probe, flag);
    } else {
      ask_whole(flag);
    }
  }

  const std::string& name_of(std::size_t flag) const { return query_.model.flags[flag].name; }

  const finding::Rule& rule_of(std::size_t flag) const { return model::rule_of(query_.model.flags[flag]); }

  // True: there is a state to look at.
  bool found(const engine::Result& result, std::size_t flag) {
    if (!result.states.empty()) return true;
    if (!result.complete) note(flag, result.unknown.empty() ? "incomplete" : result.unknown);
    return false;
  }

  void enumerate(const FlagProbe& probe, std::size_t flag) {
    relation::BitMatrix known(query_.graph.size());
    const auto course = std::make_shared<engine::ResumeState>();
    while (true) {
      engine::Result result = probe.ask(Probe::outside, known, solve_, course);
      if (!found(result, flag)) return;
      News news{{}, std::move(result.states.front()), ""};
      for (const auto& [a, b] : probe.pairs(news.state.witness)) {
        if (known.test(a, b)) continue;
        news.pairs.emplace_back(a, b);
        mark(a, b, known);
        if (wanted_ == Wanted::first) break;
      }
      PTXMC_CHECK(!news.pairs.empty(), "an execution that raises a flag relates no new pair by it");
      say(flag, std::move(news));
      if (wanted_ == Wanted::first) return note(flag, "first");
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

  void add(News news, std::size_t flag) {
    if (!news.unknown.empty())
      return report_.unknown.emplace_back(name_of(flag), std::move(news.unknown)), void();
    if (news.pairs.empty()) return report_.findings.push_back(finding_of(flag, std::move(news.state)));
    for (const auto& [a, b] : news.pairs) add(a, b, flag, news.state);
  }

  Finding finding_of(std::size_t flag, engine::State state) const {
    Finding finding;
    finding.flags = {name_of(flag)};
    finding.rule = &rule_of(flag);
    finding.race = finding.rule->kind == finding::Kind::race;
    finding.flag = flag;
    finding.state = std::move(state);
    return finding;
  }

  void add(EventId a, EventId b, std::size_t flag, const engine::State& state) {
    const auto [it, fresh] = found_.try_emplace(std::minmax({keys_[a], keys_[b]}), report_.findings.size());
    if (!fresh) {
      Finding& known = report_.findings[it->second];
      if (known.flags.back() != name_of(flag)) known.flags.push_back(name_of(flag));
      const finding::Rule& rule = rule_of(flag);
      known.race |= rule.kind == finding::Kind::race;
      if (rule.refines == known.rule->id) known.rule = &rule;
      return;
    }
    Finding finding = finding_of(flag, state);
    finding.accesses = a == b ? std::vector{a} : std::vector{std::min(a, b), std::max(a, b)};
    report_.findings.push_back(std::move(finding));
  }

  void ask_whole(std::size_t flag) {
    engine::Result result =
        solve_(query_.about(query_.graph, query_.base, query_.model, engine::Ask::flag, flag));
    if (!found(result, flag)) return;
    say(flag, {{}, std::move(result.states.front()), ""});
  }

  void complete(Finding& finding) {
    if (finding.accesses.size() != 2) return;
    const auto& events = query_.graph.events;
    const bool accesses = std::all_of(finding.accesses.begin(), finding.accesses.end(), [&](EventId e) {
      return events[e].is_access() && events[e].kind != event::EventKind::initial_write;
    });
    if (!accesses) return;
    if (finding.rule->id == finding::RuleId::mixed_size_race) {
      finding.diagnosis.missing = {Missing::uniform_size};
      return;
    }
    const engine::Query orderly = sane_ ? with_model(*sane_) : query_;
    const std::optional<Race> race =
        sane_ ? race_without_misuse(orderly, finding) : Race{finding.accesses, finding.state};
    if (!race) {
      finding.diagnosis.missing = {Missing::misuse};
      return;
    }
    explain(orderly, *race, finding);
  }

  /// The accesses and the execution that a diagnosis is about.
  struct Race {
    std::vector<EventId> accesses;
    engine::State state;
  };

  void explain(const engine::Query& query, const Race& race, Finding& finding) const {
    const EventId a = race.accesses[0], b = race.accesses[1];
    if (auto told = diagnose_tensor(query, finding.flag, a, b, race.state, solve_)) {
      finding.diagnosis = std::move(*told);
      return;
    }
    if (auto told = diagnose_async(query, finding.flag, a, b, race.state, solve_)) {
      finding.diagnosis = std::move(*told);
      return;
    }
    finding.diagnosis = diagnose(query, finding.flag, a, b, race.state, solve_);
    const Diagnosis& found = finding.diagnosis;
    const bool no_order =
        !found.missing.empty() && (found.missing.front() == Missing::synchronization ||
                                   (found.missing.front() == Missing::wait && !found.awaited));
    if (!no_order) return;
    const auto phase = missed_phase(query, a, b, race.state);
    if (phase && phase_helps(query, finding.flag, race, *phase)) {
      finding.diagnosis = {};
      finding.diagnosis.missing = {Missing::phase};
      finding.diagnosis.phase = phase;
    }
  }

  // Would the race be gone if the wait met that arrival?
  bool phase_helps(const engine::Query& query, std::size_t flag, const Race& race,
                   const std::pair<EventId, EventId>& phase) const {
    try {
      const Counterfactual ask(query, flag, race.accesses[0], race.accesses[1], solve_);
      return ask.level({{}, {}, {}, {phase}}) != Level::never;
    } catch (const GaveUp&) {
      return false;
    }
  }

  engine::Query with_model(const relation::MemoryModel& model) const {
    return {query_.graph, query_.base, query_.signature, model, query_.ask, query_.flag, query_.budget};
  }

  // A run that misuses a barrier or an mbarrier object ends there, so nothing behind that is ordered. What is missing
  // is asked about the others: those whose phases name no misuse (axiomatic/event/sync_machine.h).
  void leave_out_misuse() {
    const bool some =
        std::any_of(report_.findings.begin(), report_.findings.end(), [](const Finding& finding) {
          return finding.rule->id == finding::RuleId::mbarrier_misuse ||
                 finding.rule->id == finding::RuleId::barrier_misuse;
        });
    const auto phase = query_.signature.find("phase"), inval = query_.signature.find("MBINVAL");
    if (!some || !phase || !inval) return;
    sane_ = query_.model;
    relation::Tree& tree = sane_->tree;
    const relation::Rel phases = tree.base_relation(*phase);
    const relation::Rel invalid = tree.sequence(tree.restrict_to(tree.base_set(*inval)), phases);
    relation::Constraint axiom;
    axiom.expression = tree.unite(tree.intersect(phases, tree.identity()), invalid);
    axiom.name = "no misuse";
    sane_->axioms.push_back(std::move(axiom));
  }

  // Nothing: there is none. Where an engine gives up, the one that is known.
  std::optional<Race> race_without_misuse(const engine::Query& query, const Finding& finding) const {
    relation::BitMatrix pairs(query_.graph.size());
    mark(finding.accesses[0], finding.accesses[1], pairs);
    const FlagProbe probe(query, finding.flag);
    Race race{finding.accesses, finding.state};
    if (!probe.enumerable()) return race;
    engine::Result result = probe.ask(Probe::within, pairs, solve_);
    if (result.states.empty()) return result.complete ? std::nullopt : std::optional(std::move(race));
    race.state = std::move(result.states.front());
    for (const auto& [x, y] : probe.pairs(race.state.witness)) {
      if (x != y && pairs.test(x, y)) race.accesses = {std::min(x, y), std::max(x, y)};
    }
    return race;
  }

  // A pair that one rule refines may be related by the broader one alone in another execution; then the broader
  // one names it, where it weighs more.
  void name_rule(Finding& finding) const {
    const std::optional<finding::RuleId> broader = finding.rule->refines;
    if (!broader || finding.accesses.size() != 2 || finding.rule->severity == Severity::error) return;
    const auto expression = [&](finding::RuleId rule) -> std::optional<relation::Rel> {
      for (const relation::Constraint& flag : query_.model.flags) {
        const auto* rel = std::get_if<relation::Rel>(&flag.expression);
        const bool pairs = flag.negated && flag.test == relation::Test::empty && rel != nullptr;
        if (pairs && model::rule_of(flag).id == rule) return *rel;
      }
      return std::nullopt;
    };
    const auto first = expression(model::rule_of(query_.model.flags[finding.flag]).id);
    const auto refined = expression(finding.rule->id);
    if (!first || !refined) return;
    relation::MemoryModel model = query_.model;
    model.flags[finding.flag].expression = model.tree.subtract(*first, *refined);
    const engine::Query query =
        query_.about(query_.graph, query_.base, model, engine::Ask::flag, finding.flag);
    const Counterfactual ask(query, finding.flag, finding.accesses[0], finding.accesses[1], solve_);
    try {
      if (ask.always({})) return;
    } catch (const GaveUp&) {
    }
    finding.rule = &finding::rule(*broader);
  }

  const engine::Query& query_;
  const Solve& solve_;
  const std::function<void(const RaceReport&)>& so_far_;
  const Wanted wanted_;
  const std::vector<std::size_t> keys_;
  std::map<KeyPair, std::size_t> found_;  // -> index of the finding
  std::optional<relation::MemoryModel> sane_;
  std::mutex mutex_;  // guards the three below while flags and diagnoses are looked for
  std::vector<OfFlag> of_flags_;
  std::size_t joined_ = 0;  // flags whose news have all joined the report
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

RaceReport find_races(const engine::Query& query, const Solve& solve,
                      const std::function<void(const RaceReport&)>& so_far, Wanted wanted) {
  return Finder(query, solve, so_far, wanted).run();
}

}  // namespace ptxmc::check
