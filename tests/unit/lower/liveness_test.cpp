// SPDX-License-Identifier: Apache-2.0
// Lowering for liveness: idle turns, blocking barriers, who may stop.
#include "axiomatic/lower/finish/liveness.h"

#include "axiomatic/lower/memory/value_domains.h"
#include "axiomatic/lower/unit/nondeterministic_choices.h"
#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;
using event::Hang;

Options live(ProgressModel model = ProgressModel::fair, int unroll = 2) {
  Options options;
  options.unroll = unroll;
  options.liveness = model;
  return options;
}

std::string program(const std::vector<std::string>& threads, const std::string& cta = "") {
  std::string text = "PTX t\n{ .global .u32 x; .global .u32 y; }\n";
  for (std::size_t t = 0; t < threads.size(); ++t) {
    text += "P" + std::to_string(t) + " @ cta " + (cta.empty() ? std::to_string(t) : cta) +
            " { .reg .u32 %r, %k; .reg .pred %p;\n" + threads[t] + " }\n";
  }
  return text + "forall (true)\n";
}

const char* const kSpin = "L: ld.relaxed.gpu.global.u32 %r, [x]; setp.ne.u32 %p, %r, 1; @%p bra L;";

TEST_CASE("a loop that only waits: one idle turn, no bound") {
  const auto graph = lowered(program({kSpin}), live());
  REQUIRE(graph.hangs.size() == 1);
  CHECK(graph.hangs[0].kind == Hang::Kind::spin);
  CHECK(graph.hangs[0].reads == events_of(graph, EventKind::read));
  CHECK(graph.hangs[0].reads.size() == 1);
  CHECK(graph.events[graph.hangs[0].event].kind == EventKind::end);
  CHECK(!graph.cut);
  CHECK(graph.observables.empty());
}

TEST_CASE("a loop that counts is unrolled, and cut") {
  const auto graph = lowered(
      program(
          {"L: ld.relaxed.gpu.global.u32 %r, [x]; add.u32 %k, %k, 1; setp.ne.u32 %p, %r, %k; @%p bra L;"}),
      live());
  CHECK(graph.hangs.empty());
  CHECK(graph.cut);
}

TEST_CASE("a register that the loop overwrites before it reads it does not matter") {
  const auto graph =
      lowered(program({"L: add.u32 %k, %r, 1; ld.relaxed.gpu.global.u32 %r, [x]; mov.u32 %k, 0;"
                       "setp.ne.u32 %p, %r, 1; @%p bra L;",
                       "st.relaxed.gpu.global.u32 [x], 2;"}),
              live());
  CHECK(graph.cut);  // %r is read first
  const auto other =
      lowered(program({"L: mov.u32 %k, 7; ld.relaxed.gpu.global.u32 %r, [x]; add.u32 %k, %k, %r;"
                       "setp.ne.u32 %p, %r, 1; @%p bra L;"}),
              live());
  CHECK(!other.cut);
}

TEST_CASE("stores in a turn are effects; atomics that store what they read are none") {
  const auto store =
      lowered(program({"L: st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 %r, [x];"
                       "setp.ne.u32 %p, %r, 1; @%p bra L;"}),
              live());
  CHECK(store.hangs.empty());
  CHECK(store.cut);
  const std::string exchange =
      "L: atom.acquire.gpu.global.exch.b32 %r, [x], 1; setp.ne.u32 %p, %r, 0; @%p bra L;";
  const auto lock = lowered(program({exchange}), live());
  CHECK(!lock.hangs.empty());
  CHECK(!lock.cut);  // [x] is never anything but 0 or 1
  const auto two = lowered(program({exchange, "st.relaxed.gpu.global.u32 [x], 2;"}), live());
  CHECK(two.cut);  // an exchange of 1 for 2 is an effect
}

TEST_CASE("a barrier that waits may block; an arrive may not") {
  const auto graph = lowered(program({"bar.sync 1, 64; bar.arrive 2, 64;"}, "0"), live());
  REQUIRE(graph.hangs.size() == 1);
  CHECK(graph.hangs[0].kind == Hang::Kind::barrier);
  CHECK(graph.hangs[0].event == events_of(graph, EventKind::arrival)[0]);
}

TEST_CASE("barriers that all threads always pass are no choices") {
  const auto decisions = [](const std::vector<std::string>& threads, ProgressModel model) {
    return lowered(program(threads, "0"), live(model)).decisions.size();
  };
  const std::vector<std::string> lockstep(24, "bar.sync 0; bar.sync 1; bar.sync 2;");
  CHECK(decisions(lockstep, ProgressModel::fair) == 0);
  std::vector<std::string> one_less(3, "bar.sync 0; bar.sync 1;");
  one_less.push_back("bar.sync 0;");  // it ends, and counts no more
  CHECK(decisions(one_less, ProgressModel::fair) == 0);
  one_less.back() = "bar.sync 1; bar.sync 0;";
  CHECK(decisions(one_less, ProgressModel::fair) != 0);
  // What a thread reads may keep it from its barrier.
  CHECK(decisions({std::string(kSpin) + "bar.sync 0;", "bar.sync 0;"}, ProgressModel::fair) != 0);
  // One that has not begun, or has stopped, does not come there.
  CHECK(decisions({"bar.sync 0;", "bar.sync 0;"}, ProgressModel::obe) != 0);
}

TEST_CASE("who may stop: under hsa the CTAs behind the first of a GPU") {
  const auto graph = lowered(
      "PTX t\n{ x=0; }\n"
      "P0 @ gpu 0, cta 0 { ret; }\nP1 @ gpu 0, cta 0 { ret; }\nP2 @ gpu 0, cta 1 { ret; }\nP3 @ gpu 1, cta 0 "
      "{ ret; }\n"
      "P4 @ host { ret; }\nforall (true)\n");
  const bool expected[] = {false, false, true, false, false};
  for (event::ThreadId t = 0; t < 5; ++t) CHECK(may_stop(graph, t) == expected[t]);
}

TEST_CASE(
    "oracles: none under fair without barriers, one a cluster under obe, one a thread that may stop under "
    "hsa") {
  const std::string text =
      program({kSpin, "st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [y], 1;"});
  const auto choices = [&](ProgressModel model) {
    const auto graph = lowered(text, live(model));
    std::vector<std::size_t> choices;
    for (const event::Event& e : graph.events) {
      if (e.kind == EventKind::initial_write && !e.choices.empty()) choices.push_back(e.choices.size());
    }
    return choices;
  };
  CHECK(choices(ProgressModel::fair).empty());
  CHECK(choices(ProgressModel::obe) == std::vector<std::size_t>{2, 2});
  CHECK(choices(ProgressModel::hsa) == std::vector<std::size_t>{3});  // before either store, or not at all
}

TEST_CASE("value domains: constants, and what grows counts as anything") {
  const auto graph =
      lowered(program({"st.weak.global.u32 [x], 1; ld.weak.global.u32 %r, [x]; st.weak.global.u32 [y], %r;",
                       "ld.weak.global.u32 %r, [y]; add.u32 %k, %r, 1; st.weak.global.u32 [y], %k;"}));
  const auto reads = events_of(graph, EventKind::read);
  event::ProgramGraph copy = graph;
  const auto is = [&](event::EventId read, event::Value value) {
    return copy.exprs.make(event::Op::eq, 1, copy.exprs.value_of(read, 32), copy.exprs.constant(value, 32));
  };
  const auto x_is_1 = is(reads[0], 1), x_is_2 = is(reads[0], 2), y_is_9 = is(reads[1], 9);
  const ValueDomains grown(copy);
  CHECK(grown.may_hold(x_is_1));
  CHECK(!grown.may_hold(x_is_2));
  CHECK(grown.may_hold(y_is_9));
}

TEST_CASE("value domains: each atomic counts once, and fixed bits stay fixed beside others that are not") {
  const auto graph = lowered(program(
      {"atom.relaxed.gpu.add.u32 %c, [x], 1; ld.relaxed.gpu.u32 %n, [y]; add.u32 %n, %n, 1; and.b32 %n, %n, "
       "65535; "
       "or.b32 %m, %n, 131072; st.relaxed.gpu.u32 [y], %m;",
       "atom.relaxed.gpu.add.u32 %c, [x], 1; ld.relaxed.gpu.u32 %r, [x]; ld.relaxed.gpu.u32 %s, [y];"}));
  const auto reads = events_of(graph, EventKind::read);
  event::ProgramGraph copy = graph;
  const auto is = [&](event::EventId read, event::Value value) {
    return copy.exprs.make(event::Op::eq, 1, copy.exprs.value_of(read, 32), copy.exprs.constant(value, 32));
  };
  REQUIRE(reads.size() == 5);
  const event::EventId count = reads[3], word = reads[4];
  const std::vector<event::Expr> may = {is(count, 2), is(word, 0), is(word, 131072 + 77)};
  const std::vector<event::Expr> may_not = {is(count, 0), is(count, 3), is(word, 65536 + 77)};
  const ValueDomains domains(copy);
  for (const event::Expr guard : may) CHECK(domains.may_hold(guard));
  for (const event::Expr guard : may_not) CHECK(!domains.may_hold(guard));
}

}  // namespace
}  // namespace ptxmc::lower
