// SPDX-License-Identifier: Apache-2.0
// Loops that poll memory are let go on by some write. Is it the same in all schedules? A launch runs again until each takes
// no more than what it does whatever the order of the writes (dynamic/await/flags.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/task.h"
#include "dynamic/shadow/detector.h"

namespace ptxmc::explore {

class Waits {
 public:
  /// `polled`: by loops of an earlier run.
  Waits(const VerificationTask& task, const std::map<trace::Address, std::uint8_t>& polled);

  /// Writes of a location are looked at though no loop polls it.
  void watch(trace::Address at, std::uint8_t bytes);

  struct Result {
    claim::VerifyResult verified;  ///< its outcome and findings, and `waits_settled`
    std::unique_ptr<trace::Detector> detector;
    bool ordered = true;  ///< as Runs::ordered
  };
  /// The last of the runs, or the first of which it cannot be said.
  Result run(exec::Options options);
  /// A run, and what orders it as it is (trace::Options::this_execution).
  Result run_as_it_is(const exec::Options& options) const;

 private:
  bool learn(const std::map<trace::Address, std::uint8_t>& polled);

  const VerificationTask& task_;
  exec::Run fresh_;  // which holds what memory does at first
  trace::FlagMap flags_;
};

}  // namespace ptxmc::explore
