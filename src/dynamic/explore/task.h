// SPDX-License-Identifier: Apache-2.0
// What `verify` runs: a test, or of a launch all CTAs, or those that are worth it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/grid_cover.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/readings.h"
#include "dynamic/shadow/detector.h"
#include "input/launch/program.h"
#include "input/litmus/test.h"
#include "ptx/program/inner_map.h"

namespace ptxmc::explore {

/// The grid of a launch of which a task has some CTAs.
struct PartlyRunGrid {
  exec::GridMoves::Sides clusters = {}, cluster = {};
  exec::GridCover::Registers registers;
};

/// Some fence of a thread orders accesses of one state space (.sync_restrict, 9.7.12.4).
bool has_fences_of_spaces(const program::Program& program);

/// A program, and which CTAs of its launch it has.
struct VerificationTask {
  litmus::Test test;
  std::vector<std::uint64_t> ctas;  // empty: all
  std::uint64_t of_ctas = 0;
  bool all_can_run = false;  // together, if that is asked for
  std::string compared;      // how the global memory of the others was compared; empty: it was not
  /// The only launch, where what its CTAs do may be told from some of them; and whether it is (exec::GridCover).
  std::optional<PartlyRunGrid> grid;
  bool follows_grid = false;
  std::optional<exec::GridCover::Answer> grid_answer;  // where that was tried, and did not tell
  std::map<std::string, std::string> sizes;
  std::string cooperation;  // launch::Beside::cooperation
  bool resident = true;     // launch::Beside::resident
  bool peers = false;
  std::vector<std::string> module_values;   // launch::Beside::module_values
  bool launched = false;                    // a module, and no litmus test, whose registers are 0 at first
  std::optional<claim::LaunchShape> shape;  // of the only launch
  std::vector<program::InnerMap> inner_maps;
  VerifyReadings readings;

  /// The options of a detector of one of its runs.
  trace::Options detection(const exec::Options& options) const {
    trace::Readings orders = readings.orders;
    orders.ctas_start_together = orders.ctas_start_together || !launched;
    const bool all_pairs = options.judge != nullptr;
    return {.all_pairs = all_pairs,
            .fences_of_spaces = all_pairs && has_fences_of_spaces(test),
            .exact_values = options.exact_values,
            .readings = orders};
  }
};

/// What runs of it add to.
inline std::shared_ptr<exec::GridCover> follow(const PartlyRunGrid& grid) {
  return std::make_shared<exec::GridCover>(grid.clusters, grid.cluster, grid.registers);
}

/// The task with weaker instructions (exec::weaken); their numbers are those of a run of it.
VerificationTask weakened(const VerificationTask& task, const exec::Run& run,
                          const std::vector<exec::Changed>& changes);

}  // namespace ptxmc::explore
