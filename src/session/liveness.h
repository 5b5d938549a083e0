// SPDX-License-Identifier: Apache-2.0
// Can anybody wait forever? One test, under one progress model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axiomatic/question/liveness.h"
#include "session/analysis.h"
#include "session/auto.h"

namespace ptxmc::session {

/// Neither copied nor moved: query() refers to its parts.
struct Liveness {
  Liveness() = default;
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  Budget budget;
  event::ProgramGraph graph;
  event::BaseValues base;
  relation::MemoryModel model;  ///< with the axiom of progress
  Decision decision;
  std::optional<bool> hangs;  ///< nothing: unknown
  std::string unknown;        ///< why
  check::Standstill standstill;
  std::vector<std::string> problems;  ///< disagreements, failed re-checks

  engine::Query query(const Session& session) const;
};

/// Throws InputError for a test that ptxmc refuses.
std::unique_ptr<Liveness> check_liveness(const Session& session, const litmus::Test& test,
                                         lower::ProgressModel progress, const Budget& budget);

std::string_view name_of(lower::ProgressModel progress);

}  // namespace ptxmc::session
