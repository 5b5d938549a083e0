// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/races.h"

#include <doctest/doctest.h>

#include <mutex>

#include "axiomatic/recheck/recheck.h"
#include "fixture.h"

using namespace ptxmc;
using namespace ptxmc::testing;
using check::Missing;
using isa::Scope;
using isa::Semantics;

namespace {

/// Message passing under a model that flags accesses of one location, a write and a read, unless both are
/// scoped and include each other.
struct Racy : MessagePassing {
  Racy() {
    relation::Tree& t = model.tree;
    const auto writes = t.subtract(t.base_set(base_id("W")), t.base_set(base_id("IW")));
    const auto pairs = t.product(writes, t.base_set(base_id("R")));
    const auto on_one = t.intersect(t.base_relation(base_id("ploc")), pairs);
    race = t.subtract(on_one, t.base_relation(base_id("mscope")));
    flag(relation::Test::empty, true, race, "race");
  }
  void flag(relation::Test test, bool negated, std::variant<relation::Set, relation::Rel> expression,
            const std::string& name) {
    model.flags.push_back({test, negated, expression, name, "", {}, nullptr});
  }
  void label(EventId e, Semantics semantics, Scope scope) {
    graph.events[e].labels.semantics = semantics;
    graph.events[e].labels.scope = scope;
    base = event::compute_base(graph);
  }
  /// An engine: the four executions, judged by the witness check.
  engine::Result solve(const engine::Query& query) {
    ++queries;
    engine::Result out;
    for (const auto& [r0, r1] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
      const engine::State s = witness(r0, r1);
      if (!check::recheck(query, s).empty()) continue;
      out.states.push_back(s);
      break;
    }
    return out;
  }
  check::RaceReport run() {
    return check::find_races(query(), [this](const engine::Query& q) { return solve(q); });
  }

  relation::Rel race;
  int queries = 0;
};

}  // namespace

TEST_CASE("every racing pair is reported once") {
  Racy racy;
  const check::RaceReport report = racy.run();
  REQUIRE(report.findings.size() == 2);
  CHECK(report.unknown.empty());
  CHECK(report.findings[0].accesses == std::vector{racy.wx, racy.rx});
  CHECK(report.findings[1].accesses == std::vector{racy.wy, racy.ry});
  for (const check::Finding& finding : report.findings) {
    CHECK(finding.flags == std::vector<std::string>{"race"});
    CHECK(finding.diagnosis.missing == std::vector{Missing::synchronization});
    CHECK(finding.state.witness.exists.size() == racy.graph.size());
  }
}

TEST_CASE("the first of them alone, where one will do") {
  Racy racy;
  const check::RaceReport report = check::find_races(
      racy.query(), [&](const engine::Query& q) { return racy.solve(q); }, {}, check::Wanted::first);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].diagnosis.missing == std::vector{Missing::synchronization});
  CHECK(report.unknown == std::vector<std::pair<std::string, std::string>>{{"race", "first"}});
}

TEST_CASE("as many threads as one likes, and one and the same report") {
  const auto report = [](std::size_t jobs) {
    Racy racy;
    racy.flag(relation::Test::empty, true, racy.model.tree.inverse(racy.race), "the same");
    racy.flag(relation::Test::empty, true, racy.model.tree.intersect(racy.race, racy.race), "again");
    engine::Query query = racy.query();
    query.jobs = jobs;
    std::mutex mutex;
    std::size_t told = 0;
    check::RaceReport out = check::find_races(
        query,
        [&](const engine::Query& q) {
          const std::lock_guard lock(mutex);
          return racy.solve(q);
        },
        [&](const check::RaceReport& so_far) {
          CHECK(so_far.findings.size() >= told);
          told = so_far.findings.size();
        });
    CHECK(told == out.findings.size());
    return out;
  };
  const check::RaceReport alone = report(1);
  REQUIRE(alone.findings.size() == 2);
  CHECK(alone.findings[0].flags == std::vector<std::string>{"race", "the same", "again"});
  for (const std::size_t jobs : {2U, 3U, 8U}) {
    const check::RaceReport shared = report(jobs);
    REQUIRE(shared.findings.size() == alone.findings.size());
    CHECK(shared.unknown == alone.unknown);
    for (std::size_t i = 0; i < alone.findings.size(); ++i) {
      CHECK(shared.findings[i].flags == alone.findings[i].flags);
      CHECK(shared.findings[i].accesses == alone.findings[i].accesses);
      CHECK(shared.findings[i].state.values == alone.findings[i].state.values);
      CHECK(shared.findings[i].diagnosis.missing == alone.findings[i].diagnosis.missing);
    }
  }
}

TEST_CASE("no race, no report") {
  Racy racy;
  for (const EventId e : {racy.wx, racy.rx, racy.wy, racy.ry}) racy.label(e, Semantics::relaxed, Scope::gpu);
  CHECK(racy.run().findings.empty());
  CHECK(racy.queries == 1);
}

TEST_CASE("a weak access against a strong one") {
  Racy racy;
  for (const EventId e : {racy.rx, racy.wy, racy.ry}) racy.label(e, Semantics::relaxed, Scope::gpu);
  const check::RaceReport report = racy.run();
  REQUIRE(report.findings.size() == 1);
  const check::Diagnosis& diagnosis = report.findings[0].diagnosis;
  CHECK(diagnosis.missing == std::vector{Missing::strength});
  REQUIRE(diagnosis.changes.size() == 1);
  CHECK(diagnosis.changes[0].event == racy.wx);
  CHECK(diagnosis.changes[0].to.semantics == Semantics::relaxed);
  CHECK(diagnosis.changes[0].to.scope == Scope::gpu);  // the narrowest that reaches the other CTA
}

TEST_CASE("a scope that is too narrow") {
  Racy racy;
  for (const EventId e : {racy.wx, racy.rx, racy.wy, racy.ry}) racy.label(e, Semantics::relaxed, Scope::gpu);
  racy.label(racy.ry, Semantics::relaxed, Scope::cta);
  const check::RaceReport report = racy.run();
  REQUIRE(report.findings.size() == 1);
  const check::Diagnosis& diagnosis = report.findings[0].diagnosis;
  CHECK(diagnosis.missing == std::vector{Missing::scope});
  REQUIRE(diagnosis.changes.size() == 1);
  CHECK(diagnosis.changes[0].event == racy.ry);
  CHECK(diagnosis.changes[0].from.scope == Scope::cta);
  CHECK(diagnosis.changes[0].to.scope == Scope::gpu);
}

TEST_CASE("instructions, not events, are reported") {
  Racy racy;
  for (const EventId e : {racy.wx, racy.wy}) racy.graph.events[e].position = {3, 1, 1};
  for (const EventId e : {racy.rx, racy.ry}) racy.graph.events[e].position = {3, 20, 1};
  const std::vector<std::size_t> keys = check::instruction_keys(racy.graph);
  CHECK(keys[racy.wx] == keys[racy.wy]);
  CHECK(keys[racy.wx] != keys[racy.rx]);
  CHECK(keys[racy.ix] != keys[racy.iy]);
  CHECK(racy.run().findings.size() == 1);
}

TEST_CASE("flags of other shapes") {
  Racy racy;
  relation::Tree& t = racy.model.tree;
  racy.flag(relation::Test::empty, true, t.base_set(base_id("R")), "read");       // single events
  racy.flag(relation::Test::empty, false, t.base_set(base_id("F")), "no-fence");  // names no event
  racy.flag(relation::Test::acyclic, true, racy.race, "cycle");                   // never raised
  racy.flag(relation::Test::empty, true, racy.race, "again");                     // the same pairs
  const check::RaceReport report = racy.run();
  REQUIRE(report.findings.size() == 5);
  CHECK(report.findings[0].accesses.empty());
  CHECK(report.findings[0].flags == std::vector<std::string>{"no-fence"});
  CHECK(report.findings[1].accesses == std::vector{racy.wx, racy.rx});
  CHECK(report.findings[1].flags == std::vector<std::string>{"race", "again"});
  CHECK(report.findings[3].accesses == std::vector{racy.ry});
  CHECK(report.findings[3].flags == std::vector<std::string>{"read"});
  CHECK(report.findings[3].diagnosis.missing.empty());
}

TEST_CASE("an engine that gives up leaves the flag open") {
  Racy racy;
  const auto give_up = [](const engine::Query&) {
    engine::Result out;
    out.complete = false;
    out.unknown = "timeout";
    return out;
  };
  const check::RaceReport report = check::find_races(racy.query(), give_up);
  CHECK(report.findings.empty());
  REQUIRE(report.unknown.size() == 1);
  CHECK(report.unknown[0] == std::pair<std::string, std::string>{"race", "timeout"});
}

TEST_CASE("a race that cannot be classified is still one") {
  Racy racy;
  int calls = 0;
  const auto tire = [&](const engine::Query& query) {
    engine::Result out;
    if (++calls <= 2) return racy.solve(query);  // finds all pairs, then nothing more
    out.complete = false;
    out.unknown = "timeout";
    return out;
  };
  const check::RaceReport report = check::find_races(racy.query(), tire);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].diagnosis.missing.empty());
  CHECK(report.findings[0].diagnosis.unknown == "timeout");
}
