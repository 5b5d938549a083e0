// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/unsettled.h"

#include <algorithm>
#include <iterator>

#include "dynamic/shadow/shadow.h"

namespace ptxmc::trace {

void Unsettled::add(Range range) {
  unsigned& bytes = pieces_[range.begin];
  bytes = std::max(bytes, static_cast<unsigned>(range.bytes));
}

void Unsettled::settle(Range range) {
  if (pieces_.empty()) return;
  auto piece = pieces_.lower_bound(range.begin);
  while (piece != pieces_.end() && piece->first < range.begin + range.bytes) {
    piece =
        piece->first + piece->second <= range.begin + range.bytes ? pieces_.erase(piece) : std::next(piece);
  }
}

/// The first piece that is in the range, or reaches into it; the end: there is none. A smaller piece may lie in another one, and none
/// reaches into the next granule.
Unsettled::Pieces::const_iterator Unsettled::find(Range range) const {
  auto piece = pieces_.lower_bound(range.begin & ~(Shadow::kGranule - 1));
  while (piece != pieces_.end() && piece->first + piece->second <= range.begin) ++piece;
  return piece != pieces_.end() && piece->first < range.begin + range.bytes ? piece : pieces_.end();
}

bool Unsettled::begins(Range range) const {
  auto piece = find(range);
  if (piece == pieces_.end() || piece->first != range.begin) return false;
  return ++piece == pieces_.end() || piece->first >= range.begin + range.bytes;
}

}  // namespace ptxmc::trace
