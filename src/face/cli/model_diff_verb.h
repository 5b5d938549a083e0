// SPDX-License-Identifier: Apache-2.0
// `model diff`: the smallest tests that two models judge differently.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "face/cli/generated.h"
#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "generate/orders.h"

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

/// The smallest of the tests of `files` that the models judge differently, with all left out that this does
/// not take.
Results compare_given(const ModelDiffOptions& options, const DiffSide& first, const DiffSide& second,
                      Taker& out);
/// Throws InputError for a model or a reading that there is not.
Status model_diff(const ModelDiffOptions& options, Streams& streams);

}  // namespace ptxmc::cli
