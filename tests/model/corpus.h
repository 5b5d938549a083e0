// SPDX-License-Identifier: Apache-2.0
// The named tests that mutants of the model are tried on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness.h"

namespace ptxmc::testing {

/// A test and what the unmutated model says about it.
struct NamedTest {
  std::string name;  ///< path below the folder, without extension
  Prepared prepared;
  /// Answers to the questions of this test: the proposition first, then each flag of the model.
  std::vector<Answer> answers;
  std::size_t kills = 0;  ///< mutants that this test was the first to notice; orders the search
};

/// Answers of a model, flags by the names that `flags` lists (a model without such a flag never raises it).
std::vector<Answer> answers_of(const Prepared& prepared, const relation::MemoryModel& model,
                               const std::vector<std::string>& flags);

/// All `.litmus` files below a folder, each answered under the model.
std::vector<NamedTest> load_corpus(const std::filesystem::path& folder, const relation::MemoryModel& model,
                                   const std::vector<std::string>& flags);

}  // namespace ptxmc::testing
