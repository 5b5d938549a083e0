// SPDX-License-Identifier: Apache-2.0
// All minimal sets that have a property which larger sets keep, the cheapest first: implicit hitting sets (Reiter 1987; Liffiton et
// al. 2016, MARCO). A set without the property is grown until it loses nothing by being larger; whatever has the property takes
// something from the rest, a cut. The cheapest set that meets all cuts has the property, or it gives another cut.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace ptxmc::repair {

using Set = std::vector<std::size_t>;  ///< ascending

/// Has the set the property? Nothing: it was left open, and counts as no.
using Ask = std::function<std::optional<bool>(const Set&)>;
/// A minimal set, and no more than what it costs; false: no more are wanted.
using Minimal = std::function<bool(const Set&, double cost)>;

struct MinimalSets {
  bool any = true;      ///< the set of all has the property
  bool open = false;    ///< some answer was left open: there may be more
  bool beyond = false;  ///< sets of more than `most` were not looked at
};

/// The minimal sets of `costs.size()` elements, which cost something each. `monotone`: the property is kept
/// by larger sets; else every set of at most `most` is asked, the cheapest first.
MinimalSets minimal_sets(const std::vector<double>& costs, std::size_t most, const Ask& ask,
                         const Minimal& found, bool monotone = true);

/// Options of some sites, by their numbers.
using Choice = std::vector<std::size_t>;
/// All minimal choices that have a property which stronger ones keep: `weaker[i][k]` are the options of site i that are weaker than
/// its option k. `top`, the strongest, has the property. Not `monotone`: every choice is asked.
std::vector<Choice> minimal_choices(const std::vector<std::vector<std::vector<std::size_t>>>& weaker,
                                    const Choice& top,
                                    const std::function<std::optional<bool>(const Choice&)>& ask,
                                    bool monotone = true);

}  // namespace ptxmc::repair
