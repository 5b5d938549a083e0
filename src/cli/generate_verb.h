// SPDX-License-Identifier: Apache-2.0
// The verb `generate`: litmus tests, with their verdicts.
#pragma once

#include <string>
#include <vector>

#include "cli/settings.h"
#include "cli/status.h"
#include "cli/streams.h"
#include "generate/cycle.h"
#include "generate/orders.h"

namespace ptxmc::cli {

struct GenerateOptions {
  Options common;
  std::vector<std::string> cycles;
  generate::Defaults defaults;
  bool all = false;        ///< not the tests of cycles: all of a size
  bool minimal = false;    ///< of these, the minimal ones
  std::size_t events = 4;  ///< at most
  generate::Alphabet alphabet;
  std::string name;    ///< of the one test; empty: after its shape
  std::string prefix;  ///< of names
  std::string folder;  ///< for files, one a test; empty: standard output
};

/// The command line; never throws but InputError.
Status generate_verb(const std::vector<std::string>& arguments, Streams& streams);

/// Throws InputError.
Status generate_tests(const GenerateOptions& options, Streams& streams);

}  // namespace ptxmc::cli
