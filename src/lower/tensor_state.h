// SPDX-License-Identifier: Apache-2.0
// The tcgen05 operations that a thread has issued, seen from one place of its code: what a tcgen05.wait or a
// tcgen05.commit there waits for (9.7.16.6.2.1). Accesses of paths that were not taken do not exist, so lists
// of paths that meet are united.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "event/program_graph.h"
#include "isa/isa.h"

namespace ptxmc::lower {

/// What a tcgen05.mma did with a collector buffer, and the matrix, where its operand names a variable.
struct CollectorUse {
  event::EventId issue = 0;
  isa::Collector what = isa::Collector::none;
  bool weight_stationary = false;  ///< .ws has the buffers b0 to b3, the others have a
  std::uint8_t buffer = 0;
  std::string matrix;

  bool operator<(const CollectorUse& other) const { return issue < other.issue; }
};

struct TensorState {
  using Accesses = std::vector<event::EventId>;  // ascending
  Accesses loads, stores;                        ///< since the last wait::ld, wait::st
  std::array<Accesses, 2> tracked;               ///< of mma, cp and shift, by cta_group - 1
  std::vector<CollectorUse> collected;           ///< of each mma, ascending

  void merge(const TensorState& other) {
    unite(loads, other.loads);
    unite(stores, other.stores);
    for (std::size_t i = 0; i < tracked.size(); ++i) unite(tracked[i], other.tracked[i]);
    unite(collected, other.collected);
  }

 private:
  template <typename List>
  static void unite(List& into, const List& more) {
    List all;
    std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
    into = std::move(all);
  }
};

}  // namespace ptxmc::lower
