// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "axiomatic/engine/count.h"
#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/recheck/recheck.h"
#include "examples.h"
#include "input/litmus/parse.h"
#include "model/cat/read.h"
#include "model/models.h"

using namespace ptxmc;
using namespace ptxmc::examples;

namespace {

// Answers of the explicit engine; every witness that it keeps is judged again.
engine::Result solve(const relation::MemoryModel& model, const std::string& test,
                     engine::Ask ask = engine::Ask::states, std::size_t witnesses = ~std::size_t{0},
                     const engine::Reductions& reductions = {}) {
  Question question(model, test);
  engine::Query& query = question.query;
  query.ask = ask;
  query.witnesses = witnesses;
  query.reductions = reductions;
  engine::Result result = engine::explicit_::solve(query);
  for (const engine::State& state : result.states) {
    if (state.witness.exists.size() == 0) continue;
    for (const std::string& what : check::recheck(query, state)) FAIL_CHECK(what);
  }
  return result;
}

relation::MemoryModel text(const std::string& cat) {
  return cat::read(source("model", cat), event::base_signature());
}

const std::string kCopies =
    "PTX LB\n{ x=0; y=0; }\n"
    " P0@cta 0,gpu 0        | P1@cta 1,gpu 0        ;\n"
    " ld.relaxed.gpu r0, x  | ld.relaxed.gpu r0, y  ;\n"
    " st.relaxed.gpu y, r0  | st.relaxed.gpu x, r0  ;\n"
    "exists (P0:r0 == 1)\n";

}  // namespace

TEST_CASE("store buffering: three states under SC, four under PTX") {
  CHECK(solve(load("sc"), kBuffering).states.size() == 3);
  CHECK(solve(load("ptx-9.4"), kBuffering).states.size() == 4);
}

TEST_CASE("a recursive definition may share a part with what uses it") {
  // The inverse stands in the body and in the axiom, which is seen first.
  const std::string shared = "let rec a = rf | (a^-1; (a; a)) | a^-1\n";
  CHECK(solve(text(shared + "empty (a^-1 & [R])* & (rf; rf) as none\n"), kBuffering).states.size() == 4);
  CHECK(solve(text(shared + "irreflexive a^-1; a as none\n"), kBuffering).states.empty());
  const std::string sets = "let rec a = rf | [range(a)]; po\n";
  CHECK(solve(text(sets + "empty range(a) & W as none\nacyclic po | rf | co | fr as sc\n"), kBuffering)
            .states.size() == 3);
}

TEST_CASE("atomics of one location: every order, no lost update") {
  const engine::Result all = solve(load("ptx-9.4"), kIncrements);
  CHECK(all.complete);
  CHECK(all.states.size() == 6);
  for (const engine::State& state : all.states) CHECK(state.satisfied);
  const engine::Result counterexample = solve(load("ptx-9.4"), kIncrements, engine::Ask::verdict);
  CHECK(counterexample.complete);
  CHECK(counterexample.states.empty());
}

TEST_CASE("choices that break an axiom by themselves are not searched") {
  // Each increment reads another's: which coherence excludes is a pigeonhole problem to a search of clauses.
  std::string rows[2] = {"", ""};
  for (int i = 0; i < 24; ++i) {
    rows[0] += (i == 0 ? " P" : "| P") + std::to_string(i) + "@cta " + std::to_string(i) + ",gpu 0 ";
    rows[1] += std::string(i == 0 ? "" : "|") + " atom.relaxed.gpu.add r0, x, 1 ";
  }
  const std::string test = "PTX Inc\n{ x=0; }\n" + rows[0] + ";\n" + rows[1] + ";\nforall (x == 24)\n";
  const engine::Result found = solve(load("ptx-9.4"), test, engine::Ask::verdict);
  CHECK(found.complete);
  CHECK(found.states.empty());
  CHECK(found.statistics.at("conflicts") == 0);
}

TEST_CASE("a verdict query that breaks symmetry still finds its witness") {
  std::string test = kIncrements;
  test.replace(test.find("forall (x == 3)"), 15, "exists (P2:r0 == 0)");
  const engine::Result found = solve(load("ptx-9.4"), test, engine::Ask::verdict);
  REQUIRE(found.states.size() == 1);
  CHECK(found.states[0].satisfied);
}

TEST_CASE("a model that admits values out of thin air is not decided") {
  CHECK(solve(load("ptx-9.4"), kCopies).complete);
  const engine::Result open = solve(text("PTX\nacyclic po & ploc | rf as OnlyThis\n"), kCopies);
  CHECK_FALSE(open.complete);
  CHECK(open.unknown == "value-cycle");
}

TEST_CASE("negated axioms, partial orders and differences are judged exactly") {
  // The execution must have a from-read edge, and the order may leave pairs open.
  const engine::Result some =
      solve(text("PTX\npartial order o over W * W & ploc\n"
                 "let co = (o | IW * W & ploc)+\nacyclic co as co\nacyclic rf | dep as Air\n"
                 "~empty fr \\ po as Read\n"),
            kBuffering);
  CHECK(some.complete);
  CHECK(some.states.size() == 3);
}

TEST_CASE("a product with a set that coherence makes changes with coherence") {
  CHECK(solve(text("PTX\nirreflexive _ * range(co) as NoWrite\n"), kIncrements).states.empty());
  CHECK_FALSE(solve(text("PTX\nirreflexive _ * W \\ _ * W as Nothing\n"), kIncrements).states.empty());
}

TEST_CASE("only as many witnesses as wanted are kept") {
  std::size_t kept = 0;
  for (const engine::State& state : solve(load("ptx-9.4"), kBuffering, engine::Ask::states, 1).states) {
    kept += state.witness.exists.size() != 0;
  }
  CHECK(kept == 1);
}

TEST_CASE("a racy program raises the race flag, an ordered one does not") {
  const relation::MemoryModel model = load("ptx-9.4");
  std::string racy = kBuffering;
  for (std::size_t at; (at = racy.find("relaxed.gpu")) != std::string::npos;) racy.replace(at, 11, "weak");
  CHECK(solve(model, racy, engine::Ask::flag).states.size() == 1);
  const engine::Result none = solve(model, kBuffering, engine::Ask::flag);
  CHECK(none.complete);
  CHECK(none.states.empty());
}

namespace {

struct Watched {
  engine::Result result;
  std::vector<double> works;  // what the engine said at each question
};

// Stops the engine at its question number `patience`. Every state is found by itself.
Watched watch(const std::string& test, engine::Ask ask, std::size_t patience) {
  const relation::MemoryModel model = load("ptx-9.4");
  const event::ProgramGraph graph = lower::lower(litmus::parse(source("test", test)), {});
  const event::BaseValues base = event::compute_base(graph);
  Watched out;
  const auto stalled = [&](double work) {
    out.works.push_back(work);
    return out.works.size() >= patience;
  };
  engine::Query query{.graph = graph,
                      .base = base,
                      .signature = event::base_signature(),
                      .model = model,
                      .ask = ask,
                      .witnesses = 1,
                      .stalled = stalled};
  query.reductions.cubes = false;
  out.result = engine::explicit_::solve(query);
  return out;
}

}  // namespace

TEST_CASE("one execution stands for those whose reads may be exchanged") {
  const relation::MemoryModel model = load("ptx-9.4");
  engine::Reductions alone;
  alone.cubes = false;
  const engine::Result together = solve(model, ring(6)),
                       apart = solve(model, ring(6), engine::Ask::states, 1, alone);
  CHECK(together.complete);
  REQUIRE(together.states.size() == 64);
  REQUIRE(apart.states.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK(together.states[i].values == apart.states[i].values);
    CHECK(together.states[i].satisfied == apart.states[i].satisfied);
  }
  CHECK(together.statistics.at("candidates") < 4);
  CHECK(apart.statistics.at("candidates") >= 64);
}

TEST_CASE("a read that stands for itself with another source is no second read") {
  // A read may see a store only where another event reads the same location: here none does.
  const std::string others = "let others = ((loc & R * R) \\ id); ((loc & R * R) \\ id)\n";
  const relation::MemoryModel lonely =
      text("PTX\n" + others + "empty ((rf \\ (IW * _)) \\ (W * range(others))) as Lonely\n");
  CHECK(solve(lonely, kBuffering).states.size() == 1);
  const relation::MemoryModel free = text("PTX\n" + others + "empty range(others) & W as Nothing\n");
  CHECK(solve(free, kBuffering).states.size() == 4);
}

TEST_CASE("whether to go on is asked by work done, the same on every machine and every time") {
  const Watched once = watch(ring(6), engine::Ask::states, 1000000);
  const Watched again = watch(ring(6), engine::Ask::states, 1000000);
  CHECK(once.result.complete);
  CHECK(once.result.states.size() == 64);
  REQUIRE(once.works.size() > 2);
  CHECK(once.works == again.works);
  CHECK(once.result.statistics.at("work") == again.result.statistics.at("work"));
  const Watched stopped = watch(ring(6), engine::Ask::states, 2);
  CHECK_FALSE(stopped.result.complete);
  CHECK(stopped.result.unknown == engine::kStalled);
  CHECK(stopped.works.size() == 2);
  CHECK(stopped.works[0] == once.works[0]);
}

TEST_CASE("that there is an execution is found by running one thread after the other") {
  std::string threads;
  for (int t = 0; t < 24; ++t)
    threads += "P" + std::to_string(t) + " @ cta " + std::to_string(t) +
               " { atom.acquire.gpu.add.u32 %r0, [x], 1; st.release.gpu.u32 [y], %r0; }\n";
  const std::string test =
      "PTX Tickets\n{ .global .u32 x = 0; .global .u32 y = 0; }\n" + threads + "exists (true)\n";
  const Watched found = watch(test, engine::Ask::verdict, 1000000);
  CHECK(found.result.states.size() == 1);
  CHECK(found.result.statistics.at("conflicts") < 100);
  CHECK(found.result.statistics.at("work") < 4e6);  // what a remark about vacuity may cost
}

namespace {

engine::Result ask_flag(const std::string& test, const std::string& flag,
                        const std::string& name = "ptx-9.4") {
  const event::ProgramGraph graph = lower::lower(litmus::parse(source("test", test)), {});
  const event::BaseValues base = event::compute_base(graph);
  const relation::MemoryModel model = load(name);
  std::size_t index = 0;
  while (model.flags.at(index).name != flag) ++index;
  const engine::Query query{.graph = graph,
                            .base = base,
                            .signature = event::base_signature(),
                            .model = model,
                            .ask = engine::Ask::flag,
                            .flag = index,
                            .witnesses = 1};
  engine::Result result = engine::explicit_::solve(query);
  for (const engine::State& state : result.states) {
    for (const std::string& what : check::recheck(query, state)) FAIL_CHECK(what);
  }
  return result;
}

/// A producer and a consumer meet on mbarrier objects; the values of `buffers` are handed over one after the other.
std::string handed_over(unsigned buffers, const std::string& wait) {
  std::string producer, consumer;
  for (unsigned k = 0; k < buffers; ++k) {
    const std::string n = std::to_string(k);
    producer += "st.weak.shared.b32 [s+" + std::to_string(4 * k) + "], " + n +
                "; mbarrier.arrive.shared::cta.b64 _, [m+" + std::to_string(8 * k) + "];\n";
    if (!wait.empty())
      consumer += "W" + n + ": " + wait + " %p" + n + ", [m+" + std::to_string(8 * k) + "], 0; @!%p" + n +
                  " bra W" + n + ";\n";
    consumer += "ld.weak.shared.b32 %r" + n + ", [s+" + std::to_string(4 * k) + "];\n";
  }
  std::string ones = "1";
  for (unsigned k = 1; k < buffers; ++k) ones += ", 1";
  return "PTX Ring\n{ .shared .b32 s[" + std::to_string(buffers) + "]; .shared .b64 m[" +
         std::to_string(buffers) + "] = {" + ones + "}; }\nP0 @ cta 0 {\n" + producer + "}\nP1 @ cta 0 {\n" +
         consumer + "}\nexists (true)\n";
}

}  // namespace

TEST_CASE("a flag is asked for pair by pair: what is ordered in every execution is not searched for") {
  const engine::Result ordered =
      ask_flag(handed_over(24, "mbarrier.try_wait.parity.shared::cta.b64"), "race");
  CHECK(ordered.complete);
  CHECK(ordered.states.empty());
  CHECK(ordered.statistics.at("candidates") < 3);
  const engine::Result racy = ask_flag(handed_over(24, ""), "race");
  CHECK(racy.states.size() == 1);
}

TEST_CASE("values that no condition rests on are not listed") {
  std::string stores;
  for (unsigned k = 1; k <= 24; ++k) {
    for (const char* variable : {"x", "y"})
      stores += std::string("st.relaxed.gpu.u32 [") + variable + "], " + std::to_string(k) + ";\n";
  }
  const std::string test =
      "PTX Products\n{ .global .u32 x = 0; .global .u32 y = 0; .global .u32 z = 0; }\nP0 @ cta 0 {\n" +
      stores +
      "}\nP1 @ cta 1 { ld.relaxed.gpu.u32 %r0, [x]; ld.relaxed.gpu.u32 %r1, [y]; mad.lo.u32 %r2, %r0, 100, "
      "%r1; "
      "st.relaxed.gpu.u32 [z], %r2; }\nP2 @ cta 2 { ld.relaxed.gpu.u32 %r3, [z]; }\nexists (P2:%r3 == "
      "2424)\n";
  CHECK(ask_flag(test, "race").complete);
  const engine::Result listed = solve(load("ptx-9.4"), test);
  CHECK_FALSE(listed.complete);
  CHECK(listed.unknown == "values");
}
