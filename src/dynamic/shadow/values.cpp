// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/values.h"

namespace ptxmc::trace {
namespace {

constexpr std::uint64_t kBasis = 1469598103934665603ULL, kPrime = 1099511628211ULL;  // of FNV-1a

}  // namespace

std::uint32_t Values::find(Of of, std::span<const std::uint64_t> words) {
  if (!compares_) {
    std::uint64_t hash = (kBasis ^ static_cast<std::uint64_t>(of)) * kPrime;
    for (const std::uint64_t word : words) hash = (hash ^ word) * kPrime;
    return static_cast<std::uint32_t>(hash >> 32U) | 1U;
  }
  Key key{of, {words.begin(), words.end()}};
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) return known->second;
  if (numbers_.size() >= kMost) return 0;
  const auto number = static_cast<std::uint32_t>(numbers_.size() << 1U | 1U);
  numbers_.emplace(std::move(key), number);
  return number;
}

}  // namespace ptxmc::trace
