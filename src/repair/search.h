// SPDX-License-Identifier: Apache-2.0
// The search for repairs of one test, of which it is known what is wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "repair/change.h"
#include "repair/cost_model.h"
#include "repair/judge.h"
#include "repair/repair.h"
#include "repair/text.h"

namespace ptxmc::repair {

class Search {
 public:
  Search(const session::Session& session, const litmus::Test& test, const Asked& asked, Judge& judge,
         Repairs& out)
      : session_(session), test_(test), asked_(asked), out_(out), layout_(test), judge_(judge) {}

  /// Looks for repairs, those of fewer kinds first, until there are some.
  void run();
  /// The cheapest of those found, each proven.
  void finish();

 private:
  struct Candidate {
    Changes changes;
    double cost = 0;
  };

  std::vector<Site> tried(const Reach& reach) const;
  void look(const Reach& reach);
  void drop_open(std::vector<std::size_t>& sites);
  void look_at_meeting(std::size_t site, const std::vector<std::size_t>& ordering, const CostModel& prices);
  void look_at_pairs(const std::vector<std::size_t>& sites, const Reach& reach, const CostModel& prices);
  bool look_beside(const Changes& given, const std::vector<std::size_t>& ordering, const CostModel& prices);
  bool look_from(const Changes& given, const std::vector<std::size_t>& sites, const CostModel& prices);
  bool hopeless(const Changes& given, const std::vector<Edit>& edits);
  void refine(const Changes& given, const std::vector<std::size_t>& sites, const CostModel& prices,
              std::optional<Change> lowered = std::nullopt);
  void look_lower(const std::vector<std::size_t>& sites, const CostModel& prices);
  void look_lower(Change lowered, const std::vector<std::size_t>& sites, double least,
                  const CostModel& prices);
  bool needs(const Changes& changes, Change lowered);
  bool is_least(const Changes& changes, Change at);
  void take(const Changes& changes, const CostModel& prices);
  bool enough(double bound) const;
  const Option& option_of(const Change& change) const { return sites_[change.site].options[change.option]; }
  double cost_of(const Changes& changes, const CostModel& prices) const;
  double least_cost(std::size_t site, const CostModel& prices) const;  ///< of its options
  Changes strongest(const std::vector<std::size_t>& sites) const;
  std::optional<bool> safe(const Changes& changes) { return judge_.safe(changed(layout_, sites_, changes)); }
  bool has_effect(const Changes& changes, Effect effect) const {
    return std::any_of(changes.begin(), changes.end(),
                       [&](const Change& change) { return sites_[change.site].effect == effect; });
  }

  const session::Session& session_;
  const litmus::Test& test_;
  const Asked& asked_;
  Repairs& out_;
  const Layout layout_;
  Judge& judge_;
  std::vector<Site> sites_;
  std::vector<Site> most_order_;  // of these, with fence.sc; none: they have it
  std::vector<Candidate> repairs_;
  bool same_waits_ = false;
};

}  // namespace ptxmc::repair
