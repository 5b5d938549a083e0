// SPDX-License-Identifier: Apache-2.0
// Claims as data: each assumption and each open reason appears where its cause is there, and alone.
#include "dynamic/claim/claim.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dynamic/exec/run.h"
#include "dynamic/shadow/detector.h"
#include "explain/verify/claim_words.h"
#include "finding/rules.h"
#include "input/litmus/parse.h"
#include "support/check.h"

namespace ptxmc::explain {

namespace {

/// A program of one store, run; what a case changes of it.
struct Ran {
  litmus::Test test;
  trace::Detector detector;
  exec::Run run;
  claim::VerifyResult verified;

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
  void decide(exec::Decided what, exec::Source source) {
    verified.outcome.decisions.push_back({0, what, bit(source), false});
  }
  void find(finding::RuleId rule) {
    trace::Finding& finding = verified.findings.emplace_back();
    finding.rule = rule;
  }
  void fault(finding::RuleId kind, bool guessed) {
    exec::Fault& fault = verified.outcome.faults.emplace_back();
    fault.rule = kind;
    fault.guessed = guessed;
  }
  void wait(bool guessed) {
    verified.outcome.end = exec::End::deadlock;
    verified.outcome.waiting = {{0, "a change of memory, in a loop", true, guessed, {0}}};
  }
  void leave_out() {
    verified.ctas = {0};
    verified.of_ctas = 2;
  }
};

using Change = std::function<void(Ran&)>;

void add_open_by_choice(std::vector<std::pair<claim::OpenReason, Change>>& out) {
  const auto end = [](exec::End how) { return [how](Ran& ran) { ran.verified.outcome.end = how; }; };
  out.insert(
      out.end(),
      {
          {claim::OpenReason::rules_not_shown, [](Ran& ran) { ran.verified.selection.ignore = {"race"}; }},
          {claim::OpenReason::blocks_not_run, [](Ran& ran) { ran.leave_out(); }},
          {claim::OpenReason::outside_writers, [](Ran& ran) { ran.verified.peers = true; }},
          {claim::OpenReason::orders_not_checked, [](Ran& ran) { ran.verified.orders = false; }},
          {claim::OpenReason::aliases, [](Ran& ran) { ran.test.variables.front().aliases = "y"; }},
          {claim::OpenReason::step_limit, end(exec::End::out_of_steps)},
          {claim::OpenReason::time_limit, end(exec::End::out_of_time)},
          {claim::OpenReason::memory_limit, end(exec::End::out_of_memory)},
          {claim::OpenReason::interrupted, end(exec::End::stopped)},
      });
}

void add_open_by_run(std::vector<std::pair<claim::OpenReason, Change>>& out) {
  using exec::Decided;
  using exec::Source;
  out.insert(
      out.end(),
      {
          {claim::OpenReason::control, [](Ran& ran) { ran.decide(Decided::control, Source::data); }},
          {claim::OpenReason::control, [](Ran& ran) { ran.decide(Decided::waiting, Source::timing); }},
          {claim::OpenReason::addresses, [](Ran& ran) { ran.decide(Decided::address, Source::data); }},
          {claim::OpenReason::places, [](Ran& ran) { ran.decide(Decided::address, Source::place); }},
          {claim::OpenReason::places, [](Ran& ran) { ran.decide(Decided::control, Source::place); }},
          {claim::OpenReason::machine, [](Ran& ran) { ran.decide(Decided::control, Source::machine); }},
          {claim::OpenReason::address_contents,
           [](Ran& ran) { ran.fault(finding::RuleId::out_of_bounds, true); }},
          {claim::OpenReason::loop_contents, [](Ran& ran) { ran.wait(true); }},
          {claim::OpenReason::warnings, [](Ran& ran) { ran.find(finding::RuleId::cross_proxy_war); }},
          {claim::OpenReason::warnings, [](Ran& ran) { ran.fault(finding::RuleId::absent_lane, false); }},
          {claim::OpenReason::equal_writes, [](Ran& ran) { ran.verified.left_open.equal_writes = true; }},
          {claim::OpenReason::proxy_orders, [](Ran& ran) { ran.verified.left_open.reads = {0}; }},
          {claim::OpenReason::phase_confluence,
           [](Ran& ran) { ran.find(finding::RuleId::phase_not_confluent); }},
      });
}

/// Changes after which one reason is open.
std::vector<std::pair<claim::OpenReason, Change>> open_cases() {
  std::vector<std::pair<claim::OpenReason, Change>> out;
  add_open_by_choice(out);
  add_open_by_run(out);
  return out;
}

}  // namespace

TEST_CASE("a clean run of the whole launch is a proof, and rests on no assumption") {
  const Ran ran;
  const claim::Claim claim = claim::claim_of(ran.verified);
  CHECK(claim.verdict == claim::Verdict::proven);
  CHECK(claim.assumptions.empty());
  CHECK(claim.open.empty());
}

TEST_CASE("each open reason appears with its cause, alone, and the claim is no proof") {
  for (const auto& [what, change] : open_cases()) {
    const claim::OpenReason reason = what;
    CAPTURE(name_of(reason));
    Ran ran;
    change(ran);
    const claim::Claim claim = claim::claim_of(ran.verified);
    CHECK(claim.verdict == claim::Verdict::incomplete);
    REQUIRE(claim.open.size() == 1);
    CHECK(claim.open.front().reason == reason);
    CHECK(!open_text(ran.verified, claim.open.front()).empty());
  }
}

TEST_CASE("that some blocks ran leaves a claim open unless all runs together answer for the others") {
  Ran ran;
  ran.leave_out();
  CHECK_FALSE(ran.verified.is_of_all());
  ran.verified.grid_pending = true;  // while the runs go on
  CHECK(ran.verified.is_of_all());
  ran.verified.grid_pending = false;
  for (const auto& [verdict, covered] : {std::pair{exec::GridCover::Verdict::covered, true},
                                         std::pair{exec::GridCover::Verdict::meet, false}}) {
    ran.verified.grid = exec::GridCover::Answer{verdict, {0, 1}, {}};
    CHECK(ran.verified.is_of_all() == covered);
    CHECK((claim::claim_of(ran.verified).verdict == claim::Verdict::proven) == covered);
  }
}

TEST_CASE("open reasons of programs: orders of atomics, waits for what was left out") {
  Ran atomic("atom.relaxed.gpu.add.u32 r0, [x], 1;");
  atomic.decide(exec::Decided::control, exec::Source::turns);
  REQUIRE(claim::claim_of(atomic.verified).open.size() == 1);
  CHECK(claim::claim_of(atomic.verified).open.front().reason == claim::OpenReason::atomic_orders);
  // More runs help where there were too few of them alone.
  for (const auto left : {claim::OrdersLeft::too_many, claim::OrdersLeft::not_followed}) {
    atomic.verified.turns.left = left;
    CHECK(closing_text(atomic.verified, claim::claim_of(atomic.verified).open.front()).empty() ==
          (left != claim::OrdersLeft::too_many));
  }
  atomic.verified.turns.all = true;
  CHECK(claim::claim_of(atomic.verified).verdict == claim::Verdict::proven);

  Ran waits;
  waits.wait(false);
  waits.leave_out();
  REQUIRE(claim::claim_of(waits.verified).open.size() == 2);
  CHECK(claim::claim_of(waits.verified).open.back().reason == claim::OpenReason::waits_for_left_out);
}

TEST_CASE("each assumption appears with its cause, and the claim is still a proof") {
  const std::vector<std::pair<claim::Assumption, Change>> cases = {
      {claim::Assumption::readings, [](Ran& ran) { ran.verified.under = "init-visible=causality"; }},
      {claim::Assumption::aligned_barrier, [](Ran& ran) { ran.verified.outcome.apart = {0}; }},
      {claim::Assumption::tensor_lanes, [](Ran& ran) { ran.verified.outcome.own_lanes = {0}; }},
      {claim::Assumption::cluster_addresses, [](Ran& ran) { ran.verified.outcome.ranks = {0}; }},
      {claim::Assumption::register_pool, [](Ran& ran) { ran.verified.outcome.pools = {0}; }},
      {claim::Assumption::quotient_to_zero, [](Ran& ran) { ran.verified.outcome.remainders = {0}; }},
      {claim::Assumption::no_fused_products, [](Ran& ran) { ran.verified.outcome.products = {0}; }},
      {claim::Assumption::resident_blocks,
       [](Ran& ran) {
         ran.verified.resident = false;
         ran.verified.outcome.global_waits = {0};
       }},
      {claim::Assumption::exit_order, [](Ran& ran) { ran.verified.outcome.exit_reads = {0}; }},
      {claim::Assumption::reserved_shared, [](Ran& ran) { ran.verified.outcome.reserved = {0}; }},
      {claim::Assumption::matrix_rows,
       [](Ran& ran) {
         ran.verified.outcome.matrices = {0};
         ran.verified.matrices_in_order = true;
       }},
      {claim::Assumption::valid_metadata, [](Ran& ran) { ran.verified.outcome.metadata = {0}; }},
      {claim::Assumption::valid_targets, [](Ran& ran) { ran.verified.outcome.valid_targets = {0}; }},
      {claim::Assumption::no_trap, [](Ran& ran) { ran.verified.outcome.avoided = {0}; }},
      {claim::Assumption::equal_values, [](Ran& ran) { ran.find(finding::RuleId::equal_bytes); }},
      {claim::Assumption::elected_lane,
       [](Ran& ran) {
         ran.verified.elected = {3, false, {}};
       }},
      {claim::Assumption::module_values, [](Ran& ran) { ran.verified.module_values = {"x"}; }},
      {claim::Assumption::practice,
       [](Ran& ran) {
         ran.find(finding::RuleId::cross_proxy_war);
         ran.verified.severities.practice = true;
       }},
      {claim::Assumption::atomic_release, [](Ran& ran) { ran.verified.relays = true; }},
  };
  REQUIRE(cases.size() + 2 ==
          claim::kAssumptions);  // wgmma_groups takes a warpgroup: tests/verify/pairs/wgmma_release;
                                 // device_heap a malloc, below
  for (const auto& [what, change] : cases) {
    const claim::Assumption assumption = what;
    CAPTURE(name_of(assumption));
    Ran ran;
    change(ran);
    const claim::Claim claim = claim::claim_of(ran.verified);
    CHECK(claim.verdict == claim::Verdict::proven);
    REQUIRE(claim.assumptions.size() == 1);
    CHECK(claim.assumptions.front().what == assumption);
    CHECK(!assumption_text(ran.verified, claim.assumptions.front()).empty());
  }
}

TEST_CASE(
    "a launch that calls malloc rests on what the heap of the device has, one that frees nothing does not") {
  const Ran allocates("call.malloc r0, 64;\ncall.free r0;");
  const claim::Claim claim = claim::claim_of(allocates.verified);
  CHECK(claim.verdict == claim::Verdict::proven);
  REQUIRE(claim.assumptions.size() == 1);
  CHECK(claim.assumptions.front().what == claim::Assumption::device_heap);
  CHECK(claim.assumptions.front().sites.size() == 1);
  CHECK(!assumption_text(allocates.verified, claim.assumptions.front()).empty());
  const Ran frees("call.free 0;");
  CHECK(claim::claim_of(frees.verified).assumptions.empty());
}

TEST_CASE("--strict makes warnings errors; --practice waives idioms of code that ships, and nothing else") {
  const auto verdict = [](finding::RuleId rule, bool strict, bool practice) {
    Ran ran;
    ran.find(rule);
    ran.verified.severities = {strict, practice};
    return claim::claim_of(ran.verified).verdict;
  };
  for (const finding::RuleId idiom :
       {finding::RuleId::cross_proxy_war, finding::RuleId::mbarrier_init_unfenced,
        finding::RuleId::remote_arrival, finding::RuleId::tcgen05_order}) {
    CHECK(verdict(idiom, false, false) == claim::Verdict::incomplete);
    CHECK(verdict(idiom, true, false) == claim::Verdict::violated);
    CHECK(verdict(idiom, false, true) == claim::Verdict::proven);
    CHECK(verdict(idiom, true, true) == claim::Verdict::proven);
  }
  CHECK(verdict(finding::RuleId::stale_read, false, true) == claim::Verdict::incomplete);
  CHECK(verdict(finding::RuleId::race, false, true) == claim::Verdict::violated);
  CHECK(verdict(finding::RuleId::proxy_race, false, true) == claim::Verdict::violated);
  CHECK(verdict(finding::RuleId::equal_bytes, true, false) == claim::Verdict::proven);
}

TEST_CASE("what only another elected lane shows is a warning, and waived as an idiom") {
  const auto verdict = [](bool strict, bool practice) {
    Ran ran;
    ran.verified.elected.hang.emplace();
    ran.verified.elected.hang->lane = 31;
    ran.find(finding::RuleId::race);
    ran.verified.findings.back().elected = 31;
    ran.verified.severities = {strict, practice};
    return claim::claim_of(ran.verified).verdict;
  };
  CHECK(verdict(false, false) == claim::Verdict::incomplete);
  CHECK(verdict(true, false) == claim::Verdict::violated);
  CHECK(verdict(false, true) == claim::Verdict::proven);
}

TEST_CASE("names of reasons and assumptions differ") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < claim::kOpenReasons; ++i)
    names.insert(name_of(static_cast<claim::OpenReason>(i)));
  CHECK(names.size() == claim::kOpenReasons);
  names.clear();
  for (std::size_t i = 0; i < claim::kAssumptions; ++i)
    names.insert(name_of(static_cast<claim::Assumption>(i)));
  CHECK(names.size() == claim::kAssumptions);
}

TEST_CASE("a run whose parts contradict each other is no proof, but a mistake of ptxmc") {
  Ran ran;
  ran.wait(false);
  ran.verified.outcome.end = exec::End::finished;  // and a thread waits
  CHECK_THROWS_AS(claim::claim_of(ran.verified), InternalError);
}

}  // namespace ptxmc::explain
