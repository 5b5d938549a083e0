// SPDX-License-Identifier: Apache-2.0
// How many states there are, where they are not wanted one by one.
#pragma once

#include <cstdint>
#include <optional>

#include "axiomatic/engine/engine.h"

namespace ptxmc::engine {

/// Why a count is unknown that no engine can give (Result::unknown).
inline constexpr const char* kUncountable = "more states than 64 bits count";

/// Nothing: more than the number holds, as either of them.
std::optional<std::uint64_t> sum(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b);
std::optional<std::uint64_t> product(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b);

/// Where the query asks for their number and the states were listed nevertheless.
void count_listed(const Query& query, Result& result);

}  // namespace ptxmc::engine
