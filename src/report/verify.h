// SPDX-License-Identifier: Apache-2.0
// What `verify` says of a run: findings, claim and coverage.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/run.h"
#include "support/source.h"
#include "trace/finding.h"

namespace ptxmc::report {

/// A run, and what is said of it beside its outcome.
struct Verified {
  std::string name;                                               ///< of the kernel, or the test
  SourcePtr source;                                               ///< of all positions
  const std::map<std::uint32_t, std::string>* origins = nullptr;  ///< lines of the language behind, by line
  std::vector<std::string> assumptions;                           ///< what was left out: "CTA 0 of 16"
  bool partial = false;                                           ///< CTAs were left out
  const kernel::Run* run = nullptr;
  kernel::Outcome outcome;
  std::vector<trace::Finding>
      findings;  ///< of what is unordered in some schedule with the same synchronization
};

enum class VerifyAnswer : std::uint8_t { finding, bounded, exact };

/// A finding was made; or nothing was found, in one schedule or in all.
VerifyAnswer answer_of(const Verified& verified);

/// Text for people, several lines. `quiet`: findings and the claim alone.
std::string verify_text(const Verified& verified, bool quiet);

}  // namespace ptxmc::report
