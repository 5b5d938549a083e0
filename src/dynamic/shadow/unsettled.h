// SPDX-License-Identifier: Apache-2.0
// Bytes of which nothing says what they hold at the end: their last write is one of several that nothing orders.
#pragma once

#include <map>

#include "dynamic/order/events.h"

namespace ptxmc::trace {

/// A range that is added lies in one granule of the shadow.
class Unsettled {
 public:
  bool empty() const { return pieces_.empty(); }
  /// Nothing says which of two writes there is the last one. More bytes may be so since before.
  void add(Range range);
  /// A write comes after all others there.
  void settle(Range range);
  /// Some of the range are.
  bool any(Range range) const { return find(range) != pieces_.end(); }
  /// One piece alone is in the range, and it is from its begin on.
  bool begins(Range range) const;

 private:
  using Pieces = std::map<Address, unsigned>;  // how many bytes, by address
  Pieces::const_iterator find(Range range) const;
  Pieces pieces_;
};

}  // namespace ptxmc::trace
