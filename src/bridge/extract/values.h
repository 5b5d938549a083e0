// SPDX-License-Identifier: Apache-2.0
// The values of a slice's accesses in its test: each write puts one of its own, by which the filter knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "bridge/extract/log.h"

namespace ptxmc::extract {

class Values {
 public:
  /// What an element that is written next puts. Throws Unwritten, as `seen_by`.
  std::int64_t put_by(const MemoryAccess& access);
  /// What an access of the same bytes finds: what the last write in the run left there, or another value that leads out of its
  /// loop. Throws Unwritten: a write there was of another size.
  std::set<std::int64_t> seen_by(const MemoryAccess& access) const;

 private:
  struct Written {
    trace::Range bytes;
    std::int64_t value = 0;                 // in the test
    std::uint64_t number = 0;               // MemoryAccess::number
    std::optional<std::uint64_t> original;  // in the run
  };
  std::int64_t last_written(const MemoryAccess& access) const;

  std::vector<Written> written_;
  std::int64_t next_ = 1;
};

}  // namespace ptxmc::extract
