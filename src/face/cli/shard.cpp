// SPDX-License-Identifier: Apache-2.0
#include "face/cli/shard.h"

#include <fmt/format.h>

#include "face/cli/number_in.h"

namespace ptxmc::cli {

namespace {

constexpr std::uint32_t kMostShards = 1'000'000;

/// FNV-1a, and a finalizer: the low bits of FNV-1a alone are poor.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDu;
  return hash ^ (hash >> 33);
}

}  // namespace

bool Shard::takes(std::string_view name) const {
  return hash_of(name) % count == index - 1;
}

std::string Shard::print() const {
  return fmt::format("{}/{}", index, count);
}

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = number_in<std::uint32_t>(text.substr(0, slash)),
             count = number_in<std::uint32_t>(text.substr(slash + 1));
  if (!index || !count || *index == 0 || *index > *count || *count > kMostShards) return std::nullopt;
  return Shard{*index, *count};
}

}  // namespace ptxmc::cli
