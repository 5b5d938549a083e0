// SPDX-License-Identifier: Apache-2.0
// Synchronization taken away from a launch, a piece at a time: what is found then, and why nothing is where nothing is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "explain/verify/mutants.h"
#include "session/analysis.h"
#include "session/verify.h"

namespace ptxmc::session {

struct MutantSettings {
  VerifySettings verify;  ///< of each changed launch; the time limit is that of all of them, from now on
  const Session* exact = nullptr;  ///< of the engine that is asked as well; null: none is
  std::size_t jobs = 1;            ///< threads
  /// How many were tried, of how many. Called by one thread at a time.
  std::function<void(std::size_t tried, std::size_t all)> progress = [](std::size_t, std::size_t) {};
};

/// The mutants of each instruction that ran. `unchanged` is what is known of the task as it stands.
explain::Mutants try_mutants(const explore::VerificationTask& task, const Verification& unchanged,
                             const MutantSettings& settings);

}  // namespace ptxmc::session
