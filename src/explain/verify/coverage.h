// SPDX-License-Identifier: Apache-2.0
// How much of the code a run saw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/verify/findings.h"

namespace ptxmc::explain {

struct Coverage {
  std::uint64_t executed = 0, all = 0;  ///< instructions of the code
  std::uint64_t synchronized = 0, synchronizing = 0;
  std::vector<Place> never;  ///< of synchronization, not executed
  /// How many instructions of synchronization a line has, by line and instruction ("k.cu:9: bar"), whether executed or not.
  std::map<std::string, std::size_t> copies;
};

Coverage coverage_of(const claim::VerifyResult& verified);
/// The synchronization that never ran, each line and instruction once: "k.cu:9: bar.sync 0", or with "(4 of 6 copies)" if a
/// compiler made several of one statement and others ran. At most `most`, then "3 more".
std::vector<std::string> never_texts(const Coverage& coverage, std::size_t most);

}  // namespace ptxmc::explain
