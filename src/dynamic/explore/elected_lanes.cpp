// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/elected_lanes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dynamic/claim/claim.h"

namespace ptxmc::explore {

namespace {

bool elects(const claim::VerifyResult& verified) {
  for (trace::Site site = 0; site < verified.run->sites(); ++site) {
    if (verified.outcome.executed[site] != 0 && verified.run->instruction(site).opcode == isa::Opcode::elect)
      return true;
  }
  return false;
}

/// The last one and the middle one first: what is true of those and of the first is true of most.
std::array<unsigned, trace::kLanes - 1> others() {
  std::array<unsigned, trace::kLanes - 1> out{trace::kLanes - 1, trace::kLanes / 2};
  std::size_t next = 2;
  for (unsigned lane = 1; lane + 1 < trace::kLanes; ++lane) {
    if (lane != trace::kLanes / 2) out.at(next++) = lane;
  }
  return out;
}

/// What is decided in another run is decided, too.
void add_decisions(const claim::VerifyResult& shown, claim::VerifyResult& verified) {
  auto& all = verified.outcome.decisions;
  for (const exec::Decision& decision : shown.outcome.decisions) {
    if (std::find(all.begin(), all.end(), decision) == all.end()) all.push_back(decision);
  }
}

bool no_loop_waits(const claim::VerifyResult& verified) {
  const auto& decisions = verified.outcome.decisions;
  return std::none_of(decisions.begin(), decisions.end(),
                      [](const exec::Decision& decision) { return decision.what == exec::Decided::waiting; });
}

/// What is said of all orders, holds for every lane.
void add_orders(const claim::VerifyResult& shown, claim::VerifyResult& verified) {
  const auto settled = [](const claim::VerifyResult& one) { return one.waits_settled || no_loop_waits(one); };
  const auto told = [](const claim::VerifyResult& one) {
    return one.turns.all || claim::decided_by_turns(one).empty();
  };
  verified.waits_settled = settled(verified) && settled(shown);
  const bool all = told(verified) && told(shown);
  verified.turns.taken += shown.turns.taken;
  verified.turns.all = all && verified.turns.taken != 0;
  verified.turns.alike = verified.turns.alike || shown.turns.alike;
  if (verified.turns.left == claim::OrdersLeft::none) verified.turns.left = shown.turns.left;
}

/// What a run has shown that elected this lane, it has shown under that condition.
void mark(unsigned lane, claim::VerifyResult& shown) {
  for (trace::Finding& finding : shown.findings) finding.elected = lane;
  for (exec::Fault& fault : shown.outcome.faults) fault.elected = lane;
}

/// A run of the same launch that elects another lane, in all orders.
claim::VerifyResult explored(const claim::VerifyResult& launch, OtherRun run, const exec::Options& options,
                             const ExploreOrders& explore, Runs& runs) {
  claim::VerifyResult out = launch;
  out.outcome = std::move(run.verified.outcome);
  out.findings = std::move(run.verified.findings);
  out.left_open = std::move(run.verified.left_open);
  out.waits_settled = false;
  out.turns = {};
  out.passed.clear();
  runs = explore(*run.detector, options, out);
  return out;
}

}  // namespace

void try_elected(const VerificationTask& task, const exec::Options& limits, const ExploreOrders& explore,
                 claim::VerifyResult& verified, Runs& runs) {
  constexpr std::size_t kLeast = 2;       // runs, however long they are
  constexpr std::size_t kMostRuns = 256;  // and no more lanes after so many
  if (!elects(verified)) return;
  verified.elected.lanes = 1;
  verified.elected.all = false;
  std::uint64_t instructions = 0;
  std::size_t ran = 0;
  const claim::VerifyResult launch = verified;
  const auto lanes = others();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (i >= kLeast && (instructions > kLongRuns || ran > kMostRuns)) return;
    exec::Options options = limits;
    options.elected = lanes.at(i);
    OtherRun other = run_otherwise(task, options);
    if (!is_whole(other.verified.outcome)) return;
    Runs of_lane;
    claim::VerifyResult shown = explored(launch, std::move(other), options, explore, of_lane);
    instructions += shown.outcome.instructions * of_lane.options.size();
    ran += of_lane.options.size();
    if (!is_whole(shown.outcome)) return;
    ++verified.elected.lanes;
    add_orders(shown, verified);
    add_decisions(shown, verified);
    mark(lanes.at(i), shown);
    if (shown.outcome.end == exec::End::deadlock && verified.outcome.end == exec::End::finished) {
      if (!verified.elected.hang)
        verified.elected.hang = {lanes.at(i), std::exchange(shown.outcome.waiting, {})};
      shown.outcome.end = exec::End::finished;
    }
    add_runs(shown, std::move(of_lane), verified, runs);
  }
  verified.elected.all = true;
}

}  // namespace ptxmc::explore
