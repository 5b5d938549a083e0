// SPDX-License-Identifier: Apache-2.0
// Waivers and baselines of `verify`: what all launches together come to, and the file of a baseline.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/verify/acceptance.h"
#include "finding/acceptance.h"

namespace ptxmc::cli {

/// Throws InputError: it cannot be read, or is no baseline, with the place.
finding::Baseline read_baseline(const std::string& file);

/// A line, for another process of this program: what was accepted in a launch, and what a baseline would have.
std::string acceptance_line(const claim::VerifyResult& verified, const explain::Accepted& accepted);

/// What all launches come to.
class AcceptanceNotes {
 public:
  void add(std::string_view lines);

  /// Comments that waive nothing, waivers that no launch needed, and known findings that no launch has.
  std::string text(const explain::Accepting& accepting) const;
  /// The file of a baseline with all findings but those that are waived.
  std::string baseline() const;
  std::size_t findings() const { return rows_.size(); }

 private:
  struct Row {
    std::string rule, kernel, place;
    std::size_t count = 0;  ///< in one launch, at most
  };
  std::map<std::string, Row> rows_;                              // by fingerprint
  std::map<std::pair<std::string, std::string>, bool> waivers_;  // by place and rule: one launch needed it
  std::set<std::string> warnings_;
};

}  // namespace ptxmc::cli
