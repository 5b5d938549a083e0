// SPDX-License-Identifier: Apache-2.0
// Claims as data: each assumption and each open reason appears where its cause is there, and alone.
#include "explain/verify/claim.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "explain/verify/claim_words.h"
#include "finding/rules.h"
#include "kernel/run.h"
#include "litmus/parse.h"
#include "support/check.h"
#include "trace/detector.h"

namespace ptxmc::explain {

namespace {

/// A program of one store, run; what a case changes of it.
struct Ran {
  litmus::Test test;
  trace::Detector detector;
  kernel::Run run;
  Verified verified;

  explicit Ran(const std::string& code = "st.weak.b32 [x], 1;")
      : test(litmus::parse(std::make_shared<const Source>(
            Source{"t.litmus", "PTX T\n{ x=0; }\nP0 @ cta 0, warp 0 {\n" + code + "\n}\nexists (true)\n"}))),
        run(test, &detector) {
    verified.name = test.name;
    verified.program = &test;
    verified.run = &run;
    verified.outcome = run.run({});
    verified.findings = detector.findings();
  }
  void decide(kernel::Decided what, kernel::Source source) {
    verified.outcome.decisions.push_back({0, what, bit(source), false});
  }
  void find(finding::RuleId rule) {
    trace::Finding& finding = verified.findings.emplace_back();
    finding.rule = rule;
  }
  void fault(finding::RuleId kind, bool guessed) {
    kernel::Fault& fault = verified.outcome.faults.emplace_back();
    fault.kind = kind;
    fault.guessed = guessed;
  }
  void wait(bool guessed) {
    verified.outcome.end = kernel::End::deadlock;
    verified.outcome.waiting = {{0, "a change of memory, in a loop", true, guessed, {0}}};
  }
  void leave_out() {
    verified.ctas = {0};
    verified.of_ctas = 2;
  }
};

using Change = std::function<void(Ran&)>;

void add_open_by_choice(std::vector<std::pair<OpenReason, Change>>& out) {
  const auto end = [](kernel::End how) { return [how](Ran& ran) { ran.verified.outcome.end = how; }; };
  out.insert(out.end(),
             {
                 {OpenReason::rules_not_shown, [](Ran& ran) { ran.verified.selection.ignore = {"race"}; }},
                 {OpenReason::blocks_not_run, [](Ran& ran) { ran.leave_out(); }},
                 {OpenReason::outside_writers, [](Ran& ran) { ran.verified.peers = true; }},
                 {OpenReason::orders_not_checked, [](Ran& ran) { ran.verified.orders = false; }},
                 {OpenReason::aliases, [](Ran& ran) { ran.test.variables.front().aliases = "y"; }},
                 {OpenReason::step_limit, end(kernel::End::out_of_steps)},
                 {OpenReason::time_limit, end(kernel::End::out_of_time)},
                 {OpenReason::memory_limit, end(kernel::End::out_of_memory)},
                 {OpenReason::interrupted, end(kernel::End::stopped)},
             });
}

void add_open_by_run(std::vector<std::pair<OpenReason, Change>>& out) {
  using kernel::Decided;
  using kernel::Source;
  out.insert(
      out.end(),
      {
          {OpenReason::control, [](Ran& ran) { ran.decide(Decided::control, Source::data); }},
          {OpenReason::control, [](Ran& ran) { ran.decide(Decided::waiting, Source::timing); }},
          {OpenReason::addresses, [](Ran& ran) { ran.decide(Decided::address, Source::data); }},
          {OpenReason::places, [](Ran& ran) { ran.decide(Decided::address, Source::place); }},
          {OpenReason::places, [](Ran& ran) { ran.decide(Decided::control, Source::place); }},
          {OpenReason::machine, [](Ran& ran) { ran.decide(Decided::control, Source::machine); }},
          {OpenReason::address_contents, [](Ran& ran) { ran.fault(finding::RuleId::out_of_bounds, true); }},
          {OpenReason::loop_contents, [](Ran& ran) { ran.wait(true); }},
          {OpenReason::warnings, [](Ran& ran) { ran.find(finding::RuleId::cross_proxy_war); }},
          {OpenReason::warnings, [](Ran& ran) { ran.fault(finding::RuleId::absent_lane, false); }},
          {OpenReason::equal_writes, [](Ran& ran) { ran.verified.forgot_equal = true; }},
          {OpenReason::phase_confluence, [](Ran& ran) { ran.find(finding::RuleId::phase_not_confluent); }},
      });
}

/// Changes after which one reason is open.
std::vector<std::pair<OpenReason, Change>> open_cases() {
  std::vector<std::pair<OpenReason, Change>> out;
  add_open_by_choice(out);
  add_open_by_run(out);
  return out;
}

}  // namespace

TEST_CASE("a clean run of the whole launch is a proof, and rests on no assumption") {
  const Ran ran;
  const Claim claim = claim_of(ran.verified);
  CHECK(claim.verdict == Verdict::proven);
  CHECK(claim.assumptions.empty());
  CHECK(claim.open.empty());
}

TEST_CASE("each open reason appears with its cause, alone, and the claim is no proof") {
  for (const auto& [what, change] : open_cases()) {
    const OpenReason reason = what;
    CAPTURE(name_of(reason));
    Ran ran;
    change(ran);
    const Claim claim = claim_of(ran.verified);
    CHECK(claim.verdict == Verdict::incomplete);
    REQUIRE(claim.open.size() == 1);
    CHECK(claim.open.front().reason == reason);
    CHECK(!open_text(ran.verified, claim.open.front()).empty());
  }
}

TEST_CASE("open reasons of programs: fences of one space, orders of atomics, waits for what was left out") {
  Ran fence("fence.acquire.sync_restrict::shared::cluster.cluster;");
  REQUIRE(claim_of(fence.verified).open.size() == 1);
  CHECK(claim_of(fence.verified).open.front().reason == OpenReason::restricted_fences);

  Ran atomic("atom.relaxed.gpu.add.u32 r0, [x], 1;");
  atomic.decide(kernel::Decided::control, kernel::Source::turns);
  REQUIRE(claim_of(atomic.verified).open.size() == 1);
  CHECK(claim_of(atomic.verified).open.front().reason == OpenReason::atomic_orders);
  atomic.verified.turns.all = true;
  CHECK(claim_of(atomic.verified).verdict == Verdict::proven);

  Ran waits;
  waits.wait(false);
  waits.leave_out();
  REQUIRE(claim_of(waits.verified).open.size() == 2);
  CHECK(claim_of(waits.verified).open.back().reason == OpenReason::waits_for_left_out);
}

TEST_CASE("each assumption appears with its cause, and the claim is still a proof") {
  const std::vector<std::pair<Assumption, Change>> cases = {
      {Assumption::readings, [](Ran& ran) { ran.verified.under = "init-visible=causality"; }},
      {Assumption::aligned_barrier, [](Ran& ran) { ran.verified.outcome.apart = {0}; }},
      {Assumption::cluster_addresses, [](Ran& ran) { ran.verified.outcome.ranks = {0}; }},
      {Assumption::register_pool, [](Ran& ran) { ran.verified.outcome.pools = {0}; }},
      {Assumption::no_trap, [](Ran& ran) { ran.verified.outcome.avoided = {0}; }},
      {Assumption::equal_values, [](Ran& ran) { ran.find(finding::RuleId::equal_bytes); }},
      {Assumption::elected_lane,
       [](Ran& ran) {
         ran.verified.elected = {3, false, {}};
       }},
      {Assumption::module_values, [](Ran& ran) { ran.verified.module_values = {"x"}; }},
      {Assumption::practice,
       [](Ran& ran) {
         ran.find(finding::RuleId::cross_proxy_war);
         ran.verified.severities.practice = true;
       }},
      {Assumption::atomic_release, [](Ran& ran) { ran.verified.relays = true; }},
  };
  REQUIRE(cases.size() + 2 ==
          kAssumptions);  // wgmma_groups takes a warpgroup: tests/verify/pairs/wgmma_release;
                          // device_heap a malloc, below
  for (const auto& [what, change] : cases) {
    const Assumption assumption = what;
    CAPTURE(name_of(assumption));
    Ran ran;
    change(ran);
    const Claim claim = claim_of(ran.verified);
    CHECK(claim.verdict == Verdict::proven);
    REQUIRE(claim.assumptions.size() == 1);
    CHECK(claim.assumptions.front().what == assumption);
    CHECK(!assumption_text(ran.verified, claim.assumptions.front()).empty());
  }
}

TEST_CASE(
    "a launch that calls malloc rests on what the heap of the device has, one that frees nothing does not") {
  const Ran allocates("call.malloc r0, 64;\ncall.free r0;");
  const Claim claim = claim_of(allocates.verified);
  CHECK(claim.verdict == Verdict::proven);
  REQUIRE(claim.assumptions.size() == 1);
  CHECK(claim.assumptions.front().what == Assumption::device_heap);
  CHECK(claim.assumptions.front().sites.size() == 1);
  CHECK(!assumption_text(allocates.verified, claim.assumptions.front()).empty());
  const Ran frees("call.free 0;");
  CHECK(claim_of(frees.verified).assumptions.empty());
}

TEST_CASE("--strict makes warnings errors; --practice waives idioms of code that ships, and nothing else") {
  const auto verdict = [](finding::RuleId rule, bool strict, bool practice) {
    Ran ran;
    ran.find(rule);
    ran.verified.severities = {strict, practice};
    return claim_of(ran.verified).verdict;
  };
  for (const finding::RuleId idiom :
       {finding::RuleId::cross_proxy_war, finding::RuleId::mbarrier_init_unfenced,
        finding::RuleId::remote_arrival, finding::RuleId::tcgen05_order}) {
    CHECK(verdict(idiom, false, false) == Verdict::incomplete);
    CHECK(verdict(idiom, true, false) == Verdict::violated);
    CHECK(verdict(idiom, false, true) == Verdict::proven);
    CHECK(verdict(idiom, true, true) == Verdict::proven);
  }
  CHECK(verdict(finding::RuleId::stale_read, false, true) == Verdict::incomplete);
  CHECK(verdict(finding::RuleId::race, false, true) == Verdict::violated);
  CHECK(verdict(finding::RuleId::proxy_race, false, true) == Verdict::violated);
  CHECK(verdict(finding::RuleId::equal_bytes, true, false) == Verdict::proven);
}

TEST_CASE("what only another elected lane shows is a warning, and waived as an idiom") {
  const auto verdict = [](bool strict, bool practice) {
    Ran ran;
    ran.verified.elected.hang.emplace();
    ran.verified.elected.hang->lane = 31;
    ran.find(finding::RuleId::race);
    ran.verified.findings.back().elected = 31;
    ran.verified.severities = {strict, practice};
    return claim_of(ran.verified).verdict;
  };
  CHECK(verdict(false, false) == Verdict::incomplete);
  CHECK(verdict(true, false) == Verdict::violated);
  CHECK(verdict(false, true) == Verdict::proven);
}

TEST_CASE("names of reasons and assumptions differ") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kOpenReasons; ++i) names.insert(name_of(static_cast<OpenReason>(i)));
  CHECK(names.size() == kOpenReasons);
  names.clear();
  for (std::size_t i = 0; i < kAssumptions; ++i) names.insert(name_of(static_cast<Assumption>(i)));
  CHECK(names.size() == kAssumptions);
}

TEST_CASE("a run whose parts contradict each other is no proof, but a mistake of ptxmc") {
  Ran ran;
  ran.wait(false);
  ran.verified.outcome.end = kernel::End::finished;  // and a thread waits
  CHECK_THROWS_AS(claim_of(ran.verified), InternalError);
}

}  // namespace ptxmc::explain
