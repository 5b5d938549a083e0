// SPDX-License-Identifier: Apache-2.0
// The CTAs of a slice: whose threads it has, and whose shared memory these reach through the cluster.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bridge/extract/log.h"
#include "bridge/extract/slice.h"
#include "bridge/extract/variables.h"

namespace ptxmc::extract {

class Ctas {
 public:
  Ctas(const Log& log, const Slice& slice, const Variables& variables);

  /// Is it in the shared memory of another CTA than the thread's?
  bool is_remote(trace::Thread thread, trace::Address address) const;
  /// The CTA in whose shared memory it is.
  const trace::Placement& of(trace::Address address) const;
  /// Its rank, in the cluster that the test has.
  std::size_t rank_of(trace::Address address) const;
  /// Those of which the slice has memory and no thread.
  std::vector<trace::Placement> without_thread() const;

 private:
  const trace::Placement& placement(std::uint32_t cta) const;

  const Log& log_;
  const Variables& variables_;
  std::set<std::uint32_t> with_threads_, all_;
};

/// "cluster 0, cta 1"
std::string placement(const trace::Placement& place);

}  // namespace ptxmc::extract
