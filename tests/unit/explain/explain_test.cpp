// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "../contains.h"
#include "../reported.h"
#include "explain/thin_air.h"
#include "explain/words/events.h"
#include "explain/words/relations.h"
#include "model/models.h"
#include "report/draw/dot.h"
#include "report/draw/drawing.h"
#include "report/draw/svg.h"
#include "report/escaped.h"
#include "report/html/check.h"
#include "report/text/explain.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// Message passing by a release and an acquire, under the default model, with all executions at hand.
struct Synchronized {
  Reported reported;
  MessagePassing& mp = reported.mp;

  Synchronized() {
    mp.model = model::load("ptx-9.4", event::base_signature());
    const auto strong = [&](EventId e, isa::Semantics semantics) {
      mp.graph.events[e].labels.semantics = semantics;
      mp.graph.events[e].labels.scope = isa::Scope::gpu;
    };
    strong(mp.wy, isa::Semantics::release);
    strong(mp.ry, isa::Semantics::acquire);
    mp.base = event::compute_base(mp.graph);
    reported.result.states.clear();
  }
  engine::State witness(event::Value r0, event::Value r1) const {
    engine::State s = mp.witness(r0, r1);
    const auto& rows = event::base_signature().rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {  // no barrier: no phase
      if (rows[i].provider == relation::Provider::enumerated)
        s.witness.enumerated[i] = relation::BitMatrix(mp.graph.size());
    }
    s.witness.orders.assign(mp.model.orders.size(), relation::BitMatrix(mp.graph.size()));
    return s;
  }
  /// An engine that knows these four executions.
  engine::Result solve(const engine::Query& query) const {
    engine::Result result;
    for (const auto& [r0, r1] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
      engine::State s = witness(r0, r1);
      check::NaiveRelations relations({query.graph, query.base, query.signature, query.model, s.witness});
      const auto& axioms = query.model.axioms;
      if (s.satisfied &&
          std::all_of(axioms.begin(), axioms.end(), [&](const auto& a) { return relations.holds(a); }))
        result.states.push_back(std::move(s));
    }
    return result;
  }
  explain::Explanation explain() {
    return explain::explain(mp.query(), solve(mp.query()), [&](const engine::Query& q) { return solve(q); });
  }
  check::NaiveInput input(const engine::State& s) const {
    return {mp.graph, mp.base, event::base_signature(), mp.model, s.witness};
  }
};

/// Every step is a pair of what it claims, chains are connected, and steps below are cheaper in number.
void check_connected(const std::vector<explain::Step>& steps, EventId from, EventId to) {
  EventId at = from;
  for (const explain::Step& step : steps) {
    CHECK(step.from == at);
    at = step.to;
    if (!step.because.empty()) check_connected(step.because, step.from, step.to);
  }
  CHECK(at == to);
}

}  // namespace

TEST_CASE("costs are finite exactly where the naive evaluator has a pair") {
  const Synchronized test;
  for (const auto& [r0, r1] : {std::pair{0, 0}, {1, 0}, {1, 1}}) {
    const engine::State state = test.witness(r0, r1);
    explain::Derivation derivation(test.input(state));
    check::NaiveRelations relations(test.input(state));
    for (const relation::Definition& definition : test.mp.model.definitions) {
      const auto* r = std::get_if<relation::Rel>(&definition.value);
      if (!r) continue;
      CAPTURE(definition.name);
      const explain::CostMatrix& costs = derivation.costs(*r);
      const check::PairSet& pairs = relations.value(*r);
      for (EventId a = 0; a < test.mp.graph.size(); ++a) {
        for (EventId b = 0; b < test.mp.graph.size(); ++b) {
          CHECK(costs.has(a, b) == pairs.contains({a, b}));
          if (!costs.has(a, b)) continue;
          const explain::Chain chain = derivation.chain(*r, a, b);
          if (!chain.steps.empty()) check_connected(chain.steps, a, b);
        }
      }
    }
  }
}

TEST_CASE("an outcome that an axiom forbids") {
  Synchronized test;
  const explain::Explanation explanation = test.explain();
  CHECK(explanation.kind == explain::Explanation::Kind::forbidden);
  CHECK(explanation.problems.empty());
  CHECK(explanation.minimal);
  REQUIRE(explanation.axioms.size() == 1);
  CHECK(explanation.alternatives.empty());
  const explain::Violation& violation = explanation.axioms[0];
  CHECK(violation.axiom == "Causality");
  CHECK(violation.section == "8.10.6");
  CHECK(violation.shape == explain::Shape::loop);
  CHECK(violation.also_violated.empty());
  REQUIRE(violation.chain.steps.size() == 2);
  CHECK(violation.chain.steps[0].name == "fr");
  CHECK(violation.chain.steps[1].name == "cause");
  CHECK(violation.chain.steps[1].from == test.mp.wx);
  CHECK(violation.chain.steps[1].to == test.mp.rx);
  check_connected(violation.chain.steps, test.mp.rx, test.mp.rx);

  const std::string text = report::explain_text(test.reported.outcome(), explanation, 3);
  CHECK(contains(text, "by Causality (8.10.6)"));
  CHECK(contains(text, "W2 y=1 (P0:0) --synchronizes 8.9.4, morally strong 8.7--> R1 y=1 (P1:0)"));
  CHECK(contains(text, "W2 y=1 (P0:0) is a release pattern 8.8(1)"));
  CHECK(contains(text, "R1 y=1 (P1:0) is an acquire pattern 8.8(1)"));
  const std::string shallow = report::explain_text(test.reported.outcome(), explanation, 1);
  CHECK(shallow.find("synchronizes") == std::string::npos);
  CHECK(contains(shallow, "--causality order: base causality 8.9.5--> R2 x=0"));
}

TEST_CASE("without the release it is allowed, and the execution is shown") {
  Synchronized test;
  test.mp.graph.events[test.mp.wy].labels.semantics = isa::Semantics::relaxed;
  test.mp.base = event::compute_base(test.mp.graph);
  const explain::Explanation explanation = test.explain();
  CHECK(explanation.kind == explain::Explanation::Kind::reachable);
  REQUIRE(explanation.state);
  const std::string text = report::explain_text(test.reported.outcome(), explanation, 3);
  CHECK(contains(text, "W0 x=0 (initial) --reads-from--> R2 x=0 (P1:0)"));
  CHECK(contains(text, "R2 x=0 (P1:0) --from-reads--> W1 x=1 (P0:0)"));
}

TEST_CASE("an outcome that no execution has, whatever the axioms") {
  Synchronized test;
  const explain::Explanation explanation = explain::explain(
      test.mp.query(), engine::Result{}, [](const engine::Query&) { return engine::Result{}; });
  CHECK(explanation.kind == explain::Explanation::Kind::impossible);
}

TEST_CASE("an open answer stays open") {
  Synchronized test;
  engine::Result open;
  open.complete = false;
  open.unknown = "timeout";
  const auto never = [](const engine::Query&) -> engine::Result { throw std::logic_error("not asked"); };
  const explain::Explanation explanation = explain::explain(test.mp.query(), open, never);
  CHECK(explanation.kind == explain::Explanation::Kind::unknown);
  CHECK(explanation.reason == "timeout");
}

TEST_CASE("two axioms that are needed together") {
  // The engine knows executions by the number of axioms kept: {A, B} forbids, {A} and {B} do not.
  Synchronized test;
  relation::MemoryModel& m = test.mp.model;
  relation::Tree& t = m.tree;
  const auto rf = t.base_relation(base_id("rf"));
  m.axioms = {{relation::Test::empty, false, rf, "A", "1", {}, nullptr},
              {relation::Test::empty, false, rf, "B", "2", {}, nullptr}};
  const auto solve = [&](const engine::Query& query) {
    engine::Result result;
    if (query.model.axioms.size() < 2) result.states.push_back(test.witness(1, 0));
    return result;
  };
  explain::Explanation explanation = explain::explain(test.mp.query(), engine::Result{}, solve);
  REQUIRE(explanation.axioms.size() == 2);
  CHECK(explanation.axioms[0].axiom == "A");
  CHECK(explanation.axioms[1].axiom == "B");
  CHECK(explanation.axioms[0].shape == explain::Shape::pair);
  CHECK(explanation.axioms[0].also_violated == std::vector<std::string>{"B"});
}

TEST_CASE("names of events") {
  Synchronized test;
  event::ProgramGraph& graph = test.mp.graph;
  graph.events[test.mp.ry].rmw_partner = test.mp.wy;  // not a program, but a pair of halves
  graph.events[test.mp.wy].rmw_partner = test.mp.ry;
  const engine::State state = test.witness(1, 0);
  const explain::EventNames names(graph, state.witness);
  CHECK(names.label(test.mp.ix) == "W0 x=0 (initial)");
  CHECK(names.label(test.mp.wx) == "W1 x=1 (P0:0)");
  CHECK(names.name(test.mp.wy) == "A1.W");
  CHECK(names.name(test.mp.ry) == "A1.R");
  CHECK(names.title(test.mp.rx) == "R1 x=0");
}

TEST_CASE("words") {
  CHECK(explain::words_of("relpat") == "release pattern");
  CHECK(explain::words_of("my-own") == "my-own");
  CHECK(explain::first_section("8.9.5, D10") == "8.9.5");
  CHECK(explain::first_section("") == "");
}

TEST_CASE("pictures") {
  Synchronized test;
  const explain::Explanation explanation = test.explain();
  const explain::Outcome outcome = test.reported.outcome();
  const std::vector<report::Drawing> drawings = report::drawings_of(outcome, explanation);
  REQUIRE(drawings.size() == 1);
  const auto count = [&](report::ArrowKind kind) {
    return std::count_if(drawings[0].arrows.begin(), drawings[0].arrows.end(),
                         [&](const report::Arrow& arrow) { return arrow.kind == kind; });
  };
  // fr, po, synchronizes, po: the cycle; what is on it is not drawn again.
  CHECK(count(report::ArrowKind::reason) == 4);
  CHECK(count(report::ArrowKind::fr) == 0);
  CHECK(count(report::ArrowKind::po) == 0);
  CHECK(count(report::ArrowKind::rf) == 2);
  CHECK(drawings[0].boxes.size() == 6);

  const std::string dot = report::dot("SB", drawings);
  CHECK(contains(dot, "label=\"synchronizes 8.9.4\", color=crimson"));
  CHECK(std::count(dot.begin(), dot.end(), '{') == std::count(dot.begin(), dot.end(), '}'));
  const std::string svg = report::svg(drawings[0], "g");
  CHECK(contains(svg, "synchronizes 8.9.4</text>"));
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(report::escaped("<a & \"b\">") == "&lt;a &amp; &quot;b&quot;&gt;");

  const std::string page = report::html_section(outcome, &explanation, 3);
  CHECK(contains(page, "Causality (8.10.6)"));
  CHECK(contains(page, "<svg "));
  CHECK(page.find("http") == page.find("http://www.w3.org"));  // nothing is fetched
  // An arrow of the cycle, its label, its step and the instructions at its ends know the same events.
  const std::size_t label = page.find(">synchronizes 8.9.4</text>");
  const std::size_t key = page.rfind("data-e=\"", label);
  const std::string ends = page.substr(key, page.find('"', key + 8) - key + 1);
  CHECK(contains(page, "<path class=\"arrow why\" " + ends));
  CHECK(contains(page, "<li style=\"--level:1\" " + ends + ">"));
  const std::string first = ends.substr(0, ends.find(' ')) + "\"";
  CHECK(contains(page, "<g class=\"event\" " + first));
  CHECK(contains(report::html_section(outcome, nullptr, 3), "Forbidden under sc"));
}

TEST_CASE("guesses for values out of thin air") {
  GraphBuilder b;
  const auto x = b.cell("x"), y = b.cell("y");
  b.initial(x);
  b.initial(y);
  const auto p0 = b.thread(), p1 = b.thread();
  const EventId rx = b.read(p0, x);
  b.write(p0, y, b.value(rx));
  const EventId ry = b.read(p1, y);
  b.write(p1, x, b.value(ry));
  const auto guesses = explain::ThinAir::of(b.graph, event::compute_base(b.graph));
  REQUIRE(guesses);
  CHECK(guesses->graph().size() == b.graph.size() + 1);  // one read cuts the cycle
  CHECK(guesses->graph().assumptions.size() == b.graph.assumptions.size() + 1);
  CHECK(guesses->base().relations[base_id("po")].size() == b.graph.size() + 1);

  MessagePassing no_cycle;
  CHECK_FALSE(explain::ThinAir::of(no_cycle.graph, no_cycle.base));
}
