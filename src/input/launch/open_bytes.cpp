// SPDX-License-Identifier: Apache-2.0
#include "input/launch/open_bytes.h"

#include <algorithm>
#include <iterator>

namespace ptxmc::launch {

void OpenBytes::take_out(program::Extent bytes) {
  if (bytes.bytes == 0) return;
  auto at = end_of_.lower_bound(bytes.begin);
  if (at != end_of_.begin()) {
    const auto before = std::prev(at);
    const std::uint64_t end = before->second;
    if (end > bytes.begin) before->second = bytes.begin;
    if (end > bytes.end()) end_of_.emplace(bytes.end(), end);
  }
  while (at != end_of_.end() && at->first < bytes.end()) {
    const std::uint64_t end = at->second;
    at = end_of_.erase(at);
    if (end > bytes.end()) at = end_of_.emplace(bytes.end(), end).first;
  }
}

void OpenBytes::put_in(program::Extent bytes) {
  if (bytes.bytes == 0) return;
  take_out(bytes);
  const auto [added, fresh] = end_of_.emplace(bytes.begin, bytes.end());
  if (const auto after = std::next(added); after != end_of_.end() && after->first == added->second) {
    added->second = after->second;
    end_of_.erase(after);
  }
  if (added == end_of_.begin()) return;
  const auto before = std::prev(added);
  if (before->second != added->first) return;
  before->second = added->second;
  end_of_.erase(added);
}

std::vector<program::Extent> OpenBytes::ranges() const {
  std::vector<program::Extent> out;
  out.reserve(end_of_.size());
  for (const auto& [begin, end] : end_of_) out.push_back({begin, end - begin});
  return out;
}

}  // namespace ptxmc::launch
