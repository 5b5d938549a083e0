// SPDX-License-Identifier: Apache-2.0
// Durations on the command line and in messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptxmc::cli {

/// "90", "1.5", "90s", "5m", "2h", "1h30m": seconds. Nothing when it is no duration, or not above zero.
std::optional<double> parse_duration(std::string_view text);

/// "4.2 s", "42 s", "5 min 3 s", "2 h 10 min".
std::string print_duration(double seconds);

/// Why a text is no duration, for an option's check; empty: it is one.
std::string duration_error(const std::string& text);

}  // namespace ptxmc::cli
