// SPDX-License-Identifier: Apache-2.0
// Whether a change adds a finding: a race of two accesses that did not race, a misuse at another place. That a test has some race
// already hides no other one.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "repair/judge.h"
#include "repair/text.h"

namespace ptxmc::repair {

class NewFindings {
 public:
  /// `before`: what the test does; it outlives this, as do session and test. `whole` bounds all questions.
  NewFindings(const session::Session& session, const litmus::Test& test, const Found& before,
              const Budget& whole);

  /// Has the text with these edits a finding that the test has not? Nothing: that is open. Findings whose rule the test has nowhere
  /// are not asked about: Wanted::without and has_new_finding() are for them.
  std::optional<bool> any(const std::string& text, const std::vector<Edit>& edits);

 private:
  /// The rule, and the places: threads, and bytes of the text before any change.
  using Placed = std::pair<std::string, std::vector<std::pair<int, std::size_t>>>;
  /// Nothing: some are open.
  std::optional<std::set<Placed>> placed(const litmus::Test& test, const std::vector<Edit>& edits) const;

  const session::Session& session_;
  const litmus::Test& test_;
  const Found& before_;
  const Budget whole_;
  bool asked_ = false;
  std::optional<std::set<Placed>> known_;
};

}  // namespace ptxmc::repair
