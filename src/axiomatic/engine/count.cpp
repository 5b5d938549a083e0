// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/count.h"

namespace ptxmc::engine {

std::optional<std::uint64_t> sum(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  std::uint64_t out = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> product(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  std::uint64_t out = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

void count_listed(const Query& query, Result& result) {
  if (!query.count || query.ask != Ask::states) return;
  if (result.complete && !result.count) result.count = result.states.size();
  result.states.clear();
}

}  // namespace ptxmc::engine
