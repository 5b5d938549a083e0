// SPDX-License-Identifier: Apache-2.0
// Waits whose answer nothing looks at: they may have given another one, and order nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "dynamic/exec/code.h"
#include "dynamic/exec/straight_paths.h"

namespace ptxmc::exec {

/// Follows values from where they are written to where they are read. It keeps a reference to the code.
class Looked {
 public:
  /// `carries`: a store leaves what others decide by.
  Looked(const Code& code, const std::function<bool(const Step&)>& carries);

  /// May what an instruction writes decide where a thread goes, or what it accesses, before its registers are written
  /// again?
  bool decides(std::size_t step) const;

 private:
  /// The registers of a step.
  struct Use {
    Slots reads;
    Slots writes;  // whatever its guard is
    bool carries;
  };
  class Search;

  const Code& code_;
  std::vector<Use> uses_;
  flow::Graph next_;
};

}  // namespace ptxmc::exec
