// SPDX-License-Identifier: Apache-2.0
// Fat binaries for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ptxmc::record {

template <typename T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// `plain`: bytes of what is compressed; 0: it is not.
inline std::string part(std::uint16_t kind, std::uint32_t architecture, std::string data,
                        std::uint64_t plain = 0, std::uint64_t flags = 0x11) {
  std::string header(64, '\0');
  const std::uint64_t packed = data.size();
  data.resize((data.size() + 7) / 8 * 8);
  put(header, 0, kind);
  put<std::uint16_t>(header, 2, 0x101);
  put<std::uint32_t>(header, 4, 64);
  put<std::uint64_t>(header, 8, data.size());
  if (plain != 0) put<std::uint32_t>(header, 16, static_cast<std::uint32_t>(packed));
  put(header, 28, architecture);
  put(header, 40, flags);
  put(header, 56, plain);
  return header + data;
}

/// A block of literals alone.
inline std::string lz4_part(std::uint16_t kind, std::uint32_t architecture, const std::string& text) {
  constexpr std::size_t kShort = 15;
  std::string block(1, static_cast<char>(text.size() < kShort ? text.size() << 4 : 0xf0));
  if (text.size() >= kShort) block += static_cast<char>(text.size() - kShort);  // less than 255
  return part(kind, architecture, block + text, text.size(), 0x2011);
}

/// A frame of one raw block: its size in the header, one segment.
inline std::string zstd_part(std::uint16_t kind, std::uint32_t architecture, const std::string& text) {
  std::string frame = "\x28\xb5\x2f\xfd\x20";
  frame += static_cast<char>(text.size());
  const auto header = static_cast<std::uint32_t>(text.size() << 3 | 1);
  for (int i = 0; i < 3; ++i) frame += static_cast<char>(header >> (8 * i) & 0xff);
  return part(kind, architecture, frame + text, text.size(), 0x8011);
}

inline std::string fat_binary(const std::vector<std::string>& parts) {
  std::string all, header(16, '\0');
  for (const std::string& one : parts) all += one;
  put<std::uint32_t>(header, 0, 0xba55ed50);
  put<std::uint16_t>(header, 4, 1);
  put<std::uint16_t>(header, 6, 16);
  put<std::uint64_t>(header, 8, all.size());
  return header + all;
}

}  // namespace ptxmc::record
