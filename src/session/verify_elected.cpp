// SPDX-License-Identifier: Apache-2.0
#include "session/verify_elected.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ptxmc::session {

namespace {

bool elects(const explain::Verified& verified) {
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
void add_decisions(const explain::Verified& shown, explain::Verified& verified) {
  auto& all = verified.outcome.decisions;
  for (const kernel::Decision& decision : shown.outcome.decisions) {
    if (std::find(all.begin(), all.end(), decision) == all.end()) all.push_back(decision);
  }
}

/// What a run has shown that elected this lane, it has shown under that condition.
void mark(unsigned lane, explain::Verified& shown) {
  for (trace::Finding& finding : shown.findings) finding.elected = lane;
  for (kernel::Fault& fault : shown.outcome.faults) fault.elected = lane;
}

}  // namespace

void try_elected(const Subject& subject, const kernel::Options& limits, explain::Verified& verified,
                 Runs& runs) {
  constexpr std::size_t kLeast = 2;  // runs, however long they are
  if (!elects(verified)) return;
  verified.elected.lanes = 1;
  verified.elected.all = false;
  std::uint64_t instructions = 0;
  const auto lanes = others();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (i >= kLeast && instructions > kLongRuns) return;
    kernel::Options options = limits;
    options.elected = lanes.at(i);
    explain::Verified shown = run_otherwise(subject, options);
    instructions += shown.outcome.instructions;
    const kernel::End end = shown.outcome.end;
    if (end != kernel::End::finished && end != kernel::End::deadlock) return;
    ++verified.elected.lanes;
    add_decisions(shown, verified);
    mark(lanes.at(i), shown);
    if (end == kernel::End::deadlock && verified.outcome.end == kernel::End::finished) {
      if (!verified.elected.hang)
        verified.elected.hang = {lanes.at(i), std::exchange(shown.outcome.waiting, {})};
      shown.outcome.end = kernel::End::finished;
    }
    add_run(shown, std::move(options), verified, runs);
  }
  verified.elected.all = true;
}

}  // namespace ptxmc::session
