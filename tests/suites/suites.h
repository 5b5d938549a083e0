// SPDX-License-Identifier: Apache-2.0
// Published suites against ptxmc. Every part prints what it compared and returns the number of errors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace ptxmc::testing {

struct SuiteOptions {
  std::filesystem::path suites;  ///< folder with dat3m/, scaling/, patterns/, bugzoo/
  std::filesystem::path data;  ///< folder of our own tables (default-differences.csv, bugzoo-differences.csv)
  std::filesystem::path litmus;  ///< our own litmus tests
  std::string only;              ///< patterns: those whose name has this part
  bool update = false;           ///< rewrite the table instead of comparing with it
};

/// Every file parses, prints, runs on both engines under the default model, and the engines agree.
std::size_t dat3m_agree(const SuiteOptions& options);
/// Every row of the published verdicts of `model` ("ptx-6.0", "ptx-7.5") is met on both engines, by the built-in text and by one in
/// the names of that project's cat files (MODEL-words.cat).
std::size_t dat3m_published(const SuiteOptions& options, const std::string& model);
/// The default model differs from the published verdicts exactly where default-differences.csv says.
std::size_t dat3m_default(const SuiteOptions& options);
/// The published liveness verdicts for both models are met on both engines.
std::size_t dat3m_liveness(const SuiteOptions& options);
/// Small members of the scaling families have the verdicts that they state.
std::size_t scaling(const SuiteOptions& options);
/// The shorthand patterns whose instructions are supported have their verdicts, races included.
std::size_t patterns(const SuiteOptions& options);
/// litmus/bugzoo has the zoo's cases without asynchronous instructions, with the zoo's verdicts or a listed
/// difference.
std::size_t bugzoo(const SuiteOptions& options);

}  // namespace ptxmc::testing
