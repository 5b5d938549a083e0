// SPDX-License-Identifier: Apache-2.0
// The named tests that mutants of the model are tried on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "folded.h"
#include "harness.h"

namespace ptxmc::testing {

/// A test and what the unmutated model says about it.
struct NamedTest {
  std::string name;  ///< path below the folder, without extension
  Prepared prepared;
  std::size_t kind = 0;  ///< as of Kinds
  /// Answers to the questions of this test: the condition first, then each flag.
  std::vector<Answer> answers;
  std::size_t kills = 0;  ///< mutants that this test was the first to notice; orders the search
};

/// All `.litmus` files below a folder, each answered under the model: the questions are the condition (no name) and
/// flags by name.
std::vector<NamedTest> load_corpus(const std::filesystem::path& folder, const relation::MemoryModel& model,
                                   Answerer& answerer, Kinds& kinds,
                                   const std::vector<std::string>& questions);

}  // namespace ptxmc::testing
