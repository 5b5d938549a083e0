// SPDX-License-Identifier: Apache-2.0
// The tcgen05 operations that a thread has issued, seen from one place of its code: what a tcgen05.wait or a
// tcgen05.commit there waits for (9.7.16.6.2.1). Accesses of paths that were not taken do not exist, so lists
// of paths that meet are united.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::lower {

struct TensorState {
  using Accesses = std::vector<event::EventId>;  // ascending
  Accesses loads, stores;                        ///< since the last wait::ld, wait::st
  std::array<Accesses, 2> tracked;               ///< of mma, cp and shift, by cta_group - 1
  std::array<Accesses, 2> reads_of_a;            ///< of these those of A in shared memory

  void merge(const TensorState& other) {
    unite(loads, other.loads);
    unite(stores, other.stores);
    for (std::size_t i = 0; i < tracked.size(); ++i) unite(tracked[i], other.tracked[i]);
    for (std::size_t i = 0; i < reads_of_a.size(); ++i) unite(reads_of_a[i], other.reads_of_a[i]);
  }

 private:
  static void unite(Accesses& into, const Accesses& more) {
    Accesses all;
    std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
    into = std::move(all);
  }
};

}  // namespace ptxmc::lower
