// SPDX-License-Identifier: Apache-2.0
// `model diff`: the smallest tests that two models judge differently.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "face/cli/generated.h"
#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "generate/orders.h"
#include "input/litmus/parse.h"

namespace ptxmc::cli {

struct ModelDiffOptions {
  Options common;
  std::string first_model, second_model;  ///< a profile or a cat file, and readings, with commas between
  std::size_t events = 4;                 ///< operations of a test, at most
  generate::Alphabet alphabet = {{isa::Scope::gpu}, 1, true, true};
  bool first = false;              ///< one test will do
  std::string prefix;              ///< of names
  std::string folder;              ///< for files, one a test; empty: standard output
  std::vector<std::string> files;  ///< tests to compare the models by; none: those of a size
};

struct DiffSide {
  std::string name;
  const session::Session& session;
};

/// The smallest of these tests that the models judge differently, with all left out that this does not take.
Results compare_tests(const ModelDiffOptions& options, const DiffSide& first, const DiffSide& second,
                      const std::vector<litmus::Test>& tests, Taker& out);

/// Readings NAME=VALUE of the second that the first has not, where both are editions of one text.
std::vector<std::string> readings_apart(const session::Session& first, const session::Session& second);
/// One such test for each of these readings: the first, and the first with that reading of the second.
Results compare_by_reading(const ModelDiffOptions& options, const DiffSide& first,
                           const std::vector<std::string>& readings,
                           const std::function<std::vector<litmus::Test>(const std::string&)>& tests_of,
                           Taker& out);
/// The tests of litmus/readings that tell the reading from its default, or the default from it.
std::vector<litmus::Test> tests_of_reading(const std::string& reading);

/// The same of the tests of `files`; of one text of the manual with several readings, a test for each of these.
Results compare_given(const ModelDiffOptions& options, const DiffSide& first, const DiffSide& second,
                      Taker& out);
/// Throws InputError for a model or a reading that there is not.
Status model_diff(const ModelDiffOptions& options, Streams& streams);

}  // namespace ptxmc::cli
