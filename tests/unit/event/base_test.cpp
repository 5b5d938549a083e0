// SPDX-License-Identifier: Apache-2.0
// Base sets and relations, row by row, on small graphs; guards and paths.
#include <doctest/doctest.h>

#include <set>

#include "axiomatic/event/guards.h"
#include "build.h"

namespace ptxmc::event {
namespace {

using isa::Proxy;
using isa::Scope;
using isa::Semantics;
using relation::Provider;
using relation::Sort;

std::set<std::size_t> members(const relation::BitSet& set) {
  std::set<std::size_t> result;
  set.for_each([&](std::size_t e) { result.insert(e); });
  return result;
}

std::set<std::pair<std::size_t, std::size_t>> pairs(const relation::BitMatrix& matrix) {
  std::set<std::pair<std::size_t, std::size_t>> result;
  matrix.for_each([&](std::size_t a, std::size_t b) { result.emplace(a, b); });
  return result;
}

TEST_CASE("the table: names are unique, and every row says what it is") {
  const auto& rows = base_signature().rows();
  std::set<std::string> names;
  for (const auto& row : rows) {
    CHECK(names.insert(row.name).second);
    CHECK(!row.doc.empty());
    CHECK((row.sort == Sort::relation || row.provider == Provider::fixed));
  }
  for (const char* name :
       {"R",    "W",    "M",    "IW",     "RLX",   "ACQ",  "REL",  "RED",   "FSC",   "FACQREL", "FREL",
        "FACQ", "ARR",  "WAIT", "PF",     "ALIAS", "GEN",  "F",    "B",     "po",    "rf",      "ploc",
        "ov",   "full", "uni",  "mscope", "rmw",   "same", "dep",  "phase", "pf",    "spx",     "loc",
        "ext",  "int",  "addr", "data",   "ctrl",  "sr",   "scta", "vloc",  "quorum"}) {
    CHECK_MESSAGE(names.contains(name), name);
  }
  CHECK(base_signature()[*base_signature().find("rf")].provider == Provider::reads_from);
  CHECK(base_signature()[*base_signature().find("phase")].provider == Provider::enumerated);
}

TEST_CASE("values are of the size of the graph where fixed, else empty") {
  Build b;
  b.write(b.thread(), b.cell(), 1);
  const BaseValues values = compute_base(b.graph);
  for (std::uint32_t i = 0; i < base_signature().rows().size(); ++i) {
    const auto& row = base_signature()[i];
    const bool fixed = row.provider == Provider::fixed;
    CHECK(values.sets[i].size() == (row.sort == Sort::set ? b.graph.size() : 0));
    CHECK(values.relations[i].size() == (row.sort == Sort::relation && fixed ? b.graph.size() : 0));
  }
}

struct Semantic {
  Build b;
  CellId x = b.cell();
  ThreadId t = b.thread();
  EventId weak = b.write(t, x, 1);
  EventId relaxed = b.read(t, x, Semantics::relaxed, Scope::gpu);
  EventId acquire = b.read(t, x, Semantics::acquire, Scope::gpu);
  EventId release = b.write(t, x, b.graph.exprs.constant(1, 32), Semantics::release, Scope::gpu);
  EventId volatile_ = b.read(t, x, Semantics::volatile_, Scope::sys);
  EventId sc = b.fence(t, Semantics::sc, Scope::sys);
  EventId acq_rel = b.fence(t, Semantics::acq_rel, Scope::cta);
  EventId frel = b.fence(t, Semantics::release, Scope::cta);
  EventId facq = b.fence(t, Semantics::acquire, Scope::cluster);
  EventId arrival = b.sync(t, 0);
  EventId wait = arrival + 1;
  EventId alias = b.proxy_fence(t, Proxy::alias);
  EventId texture = b.proxy_fence(t, Proxy::texture);
  std::set<std::size_t> set(const char* name) { return members(b.set(name)); }
};

TEST_CASE_FIXTURE(Semantic, "sets by semantics") {
  CHECK(set("IW") == std::set<std::size_t>{0});
  CHECK(set("W") == std::set<std::size_t>{0, weak, release});
  CHECK(set("R") == std::set<std::size_t>{relaxed, acquire, volatile_});
  CHECK(set("M") == std::set<std::size_t>{0, weak, relaxed, acquire, release, volatile_});
  CHECK(set("WEAK") == std::set<std::size_t>{weak});
  CHECK(set("RLX") == std::set<std::size_t>{relaxed, volatile_});
  CHECK(set("ACQ") == std::set<std::size_t>{acquire, wait});
  CHECK(set("REL") == std::set<std::size_t>{release, arrival});
  CHECK(set("F") == std::set<std::size_t>{sc, acq_rel, frel, facq});
  CHECK(set("FSC") == std::set<std::size_t>{sc});
  CHECK(set("FACQREL") == std::set<std::size_t>{acq_rel});
  CHECK(set("FREL") == std::set<std::size_t>{frel});
  CHECK(set("FACQ") == std::set<std::size_t>{facq});
  CHECK(set("ARR") == std::set<std::size_t>{arrival});
  CHECK(set("WAIT") == std::set<std::size_t>{wait});
  CHECK(set("B") == std::set<std::size_t>{arrival, wait});
  CHECK(set("PF") == std::set<std::size_t>{alias, texture});
  CHECK(set("ALIAS") == std::set<std::size_t>{alias});
  CHECK(set("CTA") == std::set<std::size_t>{acq_rel, frel, arrival, wait});
  CHECK(set("CLUSTER") == std::set<std::size_t>{facq});
  CHECK(set("SYS") == std::set<std::size_t>{volatile_, sc});
}

TEST_CASE("the halves of an atomic carry one half of its semantics each") {
  Build b;
  const auto x = b.cell();
  const auto t = b.thread();
  const auto half = [&](Semantics semantics, bool no_return) {
    const auto r = b.read(t, x, semantics, Scope::gpu);
    const auto w = b.write(t, x, b.graph.events[r].value, semantics, Scope::gpu);
    for (const EventId e : {r, w}) {
      b.graph.events[e].labels.atomic = true;
      b.graph.events[e].labels.no_return = no_return;
    }
    b.graph.events[r].rmw_partner = w;
    b.graph.events[w].rmw_partner = r;
    return r;
  };
  const auto both = half(Semantics::acq_rel, false), acquire = half(Semantics::acquire, false);
  const auto release = half(Semantics::release, true), relaxed = half(Semantics::relaxed, false);
  CHECK(members(b.set("ACQ")) == std::set<std::size_t>{both, acquire});
  CHECK(members(b.set("REL")) == std::set<std::size_t>{both + 1, release + 1});
  CHECK(members(b.set("RLX")) == std::set<std::size_t>{acquire + 1, release, relaxed, relaxed + 1});
  CHECK(members(b.set("RED")) == std::set<std::size_t>{release});
  CHECK(b.set("RMW").count() == 8);
  CHECK(b.relation("rmw").test(both, both + 1));
  CHECK(!b.relation("rmw").test(both + 1, both));
  CHECK(b.relation("same").test(both + 1, both));
  CHECK(b.relation("same").count() == 8);
}

TEST_CASE("po is total per thread and transitive; int and ext are its surroundings") {
  Build b;
  const auto x = b.cell();
  const auto t0 = b.thread(), t1 = b.thread();
  const auto p = b.write(t0, x, 1), q = b.write(t0, x, 2), r = b.write(t0, x, 3), s = b.write(t1, x, 4);
  const std::set<std::pair<std::size_t, std::size_t>> expected{{p, q}, {p, r}, {q, r}};
  CHECK(pairs(b.relation("po")) == expected);
  CHECK(b.relation("int").test(q, p));
  CHECK(!b.relation("int").test(q, q));
  CHECK(b.relation("ext").test(0, p));
  CHECK(b.relation("ext").test(s, p));
  CHECK(!b.relation("ext").test(q, p));
}

TEST_CASE("po leaves out pairs on opposite branches") {
  Build b;
  const auto x = b.cell();
  const auto t = b.thread();
  const auto r = b.read(t, x), p = b.write(t, x, 1), q = b.write(t, x, 2), s = b.write(t, x, 3);
  auto& pool = b.graph.exprs;
  const Expr condition = pool.make(Op::eq, 1, b.graph.events[r].value, pool.constant(1, 32));
  b.graph.events[p].guard = condition;
  b.graph.events[q].guard = pool.negation(condition);
  const auto po = b.relation("po");
  CHECK(!po.test(p, q));
  CHECK(po.test(r, p));
  CHECK(po.test(p, s));
  CHECK(po.test(q, s));
}

struct Proxies {
  Build b;
  CellId x = b.cell(), y = b.cell();
  ThreadId t0 = b.thread(0), t1 = b.thread(1);
  EventId generic = b.write(t0, x, 1);
  EventId alias = b.read(t0, x);
  EventId texture = b.read(t0, x), texture2 = b.read(t0, x), far_texture = b.read(t1, x);
  EventId other = b.write(t1, y, 1);
  EventId fence = b.proxy_fence(t0, Proxy::texture), surface_fence = b.proxy_fence(t0, Proxy::surface);
  Proxies() {
    b.graph.events[alias].labels.name = b.graph.events[alias].labels.generic_name = 7;
    for (const EventId e : {texture, texture2, far_texture}) {
      b.graph.events[e].labels.proxy = Proxy::texture;
      b.graph.events[e].labels.name = 8;  // t @ texture aliases x
    }
  }
};

TEST_CASE_FIXTURE(Proxies, "locations, mappings and names") {
  const auto ploc = b.relation("ploc"), ov = b.relation("ov"), vloc = b.relation("vloc");
  CHECK(ploc.test(generic, alias));
  CHECK(ploc.test(0, generic));
  CHECK(!ploc.test(generic, generic));
  CHECK(!ploc.test(generic, other));
  CHECK(!ov.test(generic, alias));
  CHECK(ov.test(0, alias));          // IW has every mapping
  CHECK(ov.test(generic, texture));  // the mapping it was made from
  CHECK(!ov.test(alias, texture));
  CHECK(!vloc.test(generic, texture));
  CHECK(vloc.test(texture, far_texture));
  CHECK(b.relation("full") == ov);
  CHECK(b.relation("uni") == ploc);
  CHECK(b.relation("loc") == ploc);
}

TEST_CASE_FIXTURE(Proxies, "proxies") {
  CHECK(members(b.set("TEX")) == std::set<std::size_t>{texture, texture2, far_texture});
  CHECK(b.set("GEN").test(generic));
  CHECK(b.set("GEN").test(fence));
  CHECK(!b.set("GEN").test(texture));
  CHECK(b.set("SUR").empty());
  CHECK(b.set("CON").empty());
  const auto pf = b.relation("pf"), spx = b.relation("spx");
  CHECK(pf.test(fence, texture));
  CHECK(!pf.test(fence, far_texture));
  CHECK(!pf.test(fence, generic));
  CHECK(!pf.test(surface_fence, texture));
  CHECK(spx.test(generic, other));
  CHECK(spx.test(texture, texture2));
  CHECK(!spx.test(texture, far_texture));
  CHECK(!spx.test(generic, texture));
  CHECK(!spx.test(0, generic));
  CHECK(b.relation("scta").test(generic, fence));
  CHECK(!b.relation("scta").test(generic, other));
}

TEST_CASE("mscope: both scopes include the other thread") {
  struct Row {
    Scope a, b;
    bool same_cta, same_cluster, same_gpu, other_gpu;
  };
  const Row rows[] = {{Scope::cta, Scope::cta, true, false, false, false},
                      {Scope::cluster, Scope::cluster, true, true, false, false},
                      {Scope::gpu, Scope::gpu, true, true, true, false},
                      {Scope::sys, Scope::sys, true, true, true, true},
                      {Scope::sys, Scope::cta, true, false, false, false},
                      {Scope::gpu, Scope::none, false, false, false, false}};
  for (const Row& row : rows) {
    const auto related = [&](std::uint32_t cta, int gpu, std::uint32_t cluster, bool host) {
      Build b;
      const auto x = b.cell();
      const auto t0 = b.thread(0, 0, 0), t1 = b.thread(cta, gpu, cluster, host);
      const auto p = b.read(t0, x, Semantics::relaxed, row.a), q = b.read(t1, x, Semantics::relaxed, row.b);
      const auto mscope = b.relation("mscope");
      CHECK(mscope.test(p, q) == mscope.test(q, p));
      CHECK(!mscope.test(p, p));
      return mscope.test(p, q);
    };
    CHECK(related(0, 0, 0, false) == row.same_cta);
    CHECK(related(1, 0, 0, false) == row.same_cluster);
    CHECK(related(1, 0, 1, false) == row.same_gpu);
    CHECK(related(1, 1, 1, false) == row.other_gpu);
    CHECK(related(1, 0, 1, true) == (row.a == Scope::sys && row.b == Scope::sys));
  }
}

TEST_CASE("dependencies are what folding leaves: data, control, and their union on writes") {
  Build b;
  const auto x = b.cell();
  const auto t = b.thread();
  const auto r = b.read(t, x), s = b.read(t, x);
  auto& pool = b.graph.exprs;
  const Expr value = b.graph.events[r].value;
  const auto data = b.write(t, x, pool.make(Op::add, 32, value, pool.constant(1, 32)));
  const auto none = b.write(t, x, pool.make(Op::xor_, 32, value, value));
  const auto guarded = b.write(t, x, 1);
  const auto fence = b.fence(t, Semantics::sc, Scope::gpu);
  const Expr condition = pool.make(Op::eq, 1, b.graph.events[s].value, pool.constant(1, 32));
  b.graph.events[guarded].guard = b.graph.events[fence].guard = condition;
  using Pairs = std::set<std::pair<std::size_t, std::size_t>>;
  CHECK(pairs(b.relation("data")) == Pairs{{r, data}});
  CHECK(pairs(b.relation("ctrl")) == Pairs{{s, guarded}, {s, fence}});
  CHECK(b.relation("addr").empty());
  CHECK(pairs(b.relation("dep")) == Pairs{{r, data}, {s, guarded}});
  CHECK(b.graph.events[none].value == pool.constant(0, 32));
}

struct Paths {
  Build b;
  CellId x = b.cell();
  ThreadId t = b.thread();
  EventId r = b.read(t, x), s = b.read(t, x);
  ExprPool& pool = b.graph.exprs;
  Expr p = pool.make(Op::eq, 1, b.graph.events[r].value, pool.constant(1, 32));
  Expr q = pool.make(Op::lt_s, 1, b.graph.events[s].value, pool.constant(1, 32));
};

TEST_CASE_FIXTURE(Paths, "assignments: a decision under a false guard stays open") {
  b.graph.decisions.push_back({t, p, pool.truth(true)});
  b.graph.decisions.push_back({t, q, p});
  const auto paths = enumerate_assignments(b.graph, 100);
  REQUIRE(paths.has_value());
  const std::set<Assignment> expected{
      {Truth::no, Truth::unset}, {Truth::yes, Truth::no}, {Truth::yes, Truth::yes}};
  CHECK(std::set<Assignment>(paths->begin(), paths->end()) == expected);
  CHECK(!enumerate_assignments(b.graph, 2).has_value());
  CHECK(enumerate_assignments(b.graph, 3).has_value());
}

TEST_CASE_FIXTURE(Paths, "guards are evaluated through decisions, three-valued") {
  b.graph.decisions.push_back({t, p, pool.truth(true)});
  b.graph.decisions.push_back({t, q, pool.truth(true)});
  const Expr both = pool.conjunction(p, q), either = pool.disjunction(p, pool.negation(q));
  CHECK(evaluate_guard(b.graph, both, {Truth::no}) == false);
  CHECK(evaluate_guard(b.graph, both, {Truth::yes}) == std::nullopt);
  CHECK(evaluate_guard(b.graph, both, {Truth::unset, Truth::no}) == false);
  CHECK(evaluate_guard(b.graph, either, {Truth::unset, Truth::no}) == true);
  CHECK(evaluate_guard(b.graph, pool.truth(true), {}) == true);
  const Expr unrelated = pool.make(Op::eq, 1, b.graph.events[s].value, pool.constant(1, 32));
  CHECK(evaluate_guard(b.graph, unrelated, {Truth::yes, Truth::yes}) == std::nullopt);
  CHECK(leaves(pool, both) == std::vector<Expr>{std::min(p, q), std::max(p, q)});
}

TEST_CASE_FIXTURE(Paths, "conjuncts and contradictions") {
  const Expr guard = pool.conjunction(p, pool.negation(q));
  CHECK(conjuncts(pool, guard).size() == 2);
  CHECK(conjuncts(pool, pool.truth(true)).empty());
  CHECK(exclude_each_other(conjuncts(pool, guard), conjuncts(pool, q)));
  CHECK(!exclude_each_other(conjuncts(pool, guard), conjuncts(pool, p)));
  const Expr not_p = pool.negation(p), not_q = pool.negation(q);
  const Expr neither = pool.conjunction(not_p, not_q), only_p = pool.conjunction(p, not_q);
  CHECK(pool.is_true(any_of(pool, {q, only_p, neither})));
  CHECK(any_of(pool, {only_p, neither}) == not_q);
  CHECK(any_of(pool, {only_p, p}) == p);
  CHECK(pool.is_false(any_of(pool, {})));
}

}  // namespace
}  // namespace ptxmc::event
