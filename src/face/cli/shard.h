// SPDX-License-Identifier: Apache-2.0
// Dealing tests out to several machines, without a word between them: a test's shard is a hash of its name,
// so that it stays where it is when the folder changes, and tests of one name stay together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptxmc::cli {

struct Shard {
  std::uint32_t index = 1;  ///< from 1
  std::uint32_t count = 1;

  bool whole() const { return count == 1; }
  /// Exactly one of all shards of a count takes a name.
  bool takes(std::string_view name) const;
  std::string print() const;  ///< "2/8"
};

/// "2/8". Nothing when it is no shard.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace ptxmc::cli
