// SPDX-License-Identifier: Apache-2.0
// Why an outcome is forbidden or allowed: checks a test, then asks about fewer axioms until it is clear which forbid the
// outcome.
#pragma once

#include <memory>

#include "explain/explain.h"
#include "session/analysis.h"

namespace ptxmc::session {

struct Explained {
  std::unique_ptr<Analysis> analysis;  ///< with the problems of the explanation
  explain::Explanation explanation;
};

/// The session's settings say whether states and flags are wanted, too; the explanation needs none. Throws InputError.
Explained explain(const Session& session, const litmus::Test& test, const Budget& budget);

}  // namespace ptxmc::session
