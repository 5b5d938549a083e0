// SPDX-License-Identifier: Apache-2.0
// How a campaign divides its time over tests: in sweeps. The first gives every test a moment, so that an
// interrupted campaign has something of each; every other one gives four times as much as the one before, as
// long as another sweep would fit after it, and the last one all that is left. What is to do follows from the
// campaign's file alone: a campaign that is started again goes on where it stopped, tests that were added
// catch up, and more time means more, and longer, sweeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "face/cli/campaign_file.h"
#include "face/cli/run_tests.h"

namespace ptxmc::cli {

/// Where a test stands.
struct TestProgress {
  unsigned sweeps = 0;  ///< it has been through; also the number of its next one
  unsigned failures = 0;
  bool over = false;  ///< another sweep would not help: it cannot run, it hangs the GPU, or it failed twice
};

/// What the file says of each item. `spent`: seconds of all records.
struct CampaignState {
  std::vector<TestProgress> tests;
  double spent = 0;
};

/// `hashes`: of each item's meaning; empty for those whose file is wrong. Throws InputError for a test that
/// has another meaning now than in a record of the same file.
CampaignState campaign_state(const std::vector<RunItem>& items, const std::vector<std::string>& hashes,
                             const std::vector<CampaignRecord>& records, const std::string& path);

/// The next sweep, or the rest of it.
struct Sweep {
  unsigned number = 0;
  std::vector<std::size_t> items;
  double share = 0;  ///< seconds of each, compiling included, which takes more in the first sweep than later
};

/// `left`: seconds. Nothing: all is done, or the time is over; the first sweep comes to its end in any case.
std::optional<Sweep> next_sweep(const CampaignState& state, double left);

/// Another one in each sweep; the user's in the first.
std::uint32_t seed_of(std::uint32_t seed, unsigned sweep);

}  // namespace ptxmc::cli
