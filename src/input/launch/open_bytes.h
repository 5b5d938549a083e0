// SPDX-License-Identifier: Apache-2.0
// Which bytes of a variable hold unknown constants, while a launch is read: ranges go in and out, in any order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/program/memory.h"

namespace ptxmc::launch {

/// A set of bytes. Each call takes time logarithmic in its ranges, and linear in those that it removes.
class OpenBytes {
 public:
  void put_in(program::Extent bytes);
  void take_out(program::Extent bytes);
  /// Ascending ranges that neither overlap nor touch.
  std::vector<program::Extent> ranges() const;

 private:
  std::map<std::uint64_t, std::uint64_t> end_of_;  // by begin
};

}  // namespace ptxmc::launch
