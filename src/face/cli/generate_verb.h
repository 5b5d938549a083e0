// SPDX-License-Identifier: Apache-2.0
// The verb `generate`: litmus tests, with their verdicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "generate/cycle.h"
#include "generate/orders.h"

namespace ptxmc::cli {

struct GenerateOptions {
  Options common;
  std::vector<std::string> cycles;
  generate::Defaults defaults;
  bool all = false;      ///< not the tests of cycles: all of a size
  bool minimal = false;  ///< of these, the minimal ones
  bool random = false;   ///< those of random cycles
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> count;  ///< of random tests
  std::size_t events = 4;            ///< at most; of random cycles, edges
  generate::Alphabet alphabet;
  std::vector<isa::Semantics> semantics;  ///< of all tests of a size; empty: whatever there is
  std::string name;                       ///< of the one test; empty: after its shape
  std::string prefix;                     ///< of names
  std::string folder;                     ///< for files, one a test; empty: standard output
};

/// The command line; never throws but InputError.
Status generate_verb(const std::vector<std::string>& arguments, Streams& streams);

/// Throws InputError.
Status generate_tests(const GenerateOptions& options, Streams& streams);

}  // namespace ptxmc::cli
