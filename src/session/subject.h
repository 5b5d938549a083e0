// SPDX-License-Identifier: Apache-2.0
// What `verify` runs: a test, or of a launch all CTAs, or those that are worth it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/run.h"
#include "launch/program.h"
#include "litmus/test.h"
#include "program/inner_map.h"
#include "session/verify_readings.h"
#include "trace/detector.h"

namespace ptxmc::session {

/// A program, and which CTAs of its launch it has.
struct Subject {
  litmus::Test test;
  std::vector<std::uint64_t> ctas;  // empty: all
  std::uint64_t of_ctas = 0;
  bool all_can_run = false;  // together, if that is asked for
  std::string compared;      // how the global memory of the others was compared; empty: it was not
  std::map<std::string, std::string> sizes;
  bool peers = false;
  std::vector<std::string> module_values;  // launch::Beside::module_values
  bool launched = false;                   // a module, and no litmus test, whose registers are 0 at first
  std::vector<program::InnerMap> inner_maps;
  VerifyReadings readings;

  /// Of a detector of one of its runs.
  trace::Options detection(const kernel::Options& options) const {
    trace::Readings orders = readings.orders;
    orders.ctas_start_together = orders.ctas_start_together || !launched;
    return {.all_pairs = options.judge != nullptr, .exact_values = options.exact_values, .readings = orders};
  }
};

/// The subject with weaker instructions (kernel::weaken); their numbers are those of a run of it.
Subject weakened(const Subject& subject, const kernel::Run& run, const std::vector<kernel::Changed>& changes);

/// A launch, and what of it the program does not say; its inner maps and sizes are taken.
Subject subject_of(litmus::Test launched, launch::Beside& beside);

}  // namespace ptxmc::session
