// SPDX-License-Identifier: Apache-2.0
#include "input/record/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "input/record/compression.h"
#include "support/refuse.h"

namespace ptxmc::record {

namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::size_t kHeaderBytes = 16, kPartBytes = 64;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;  // of a module's text
constexpr std::uint64_t kIsLz4 = 0x2000, kIsZstd = 0x8000;

template <typename T>
T read_at(std::string_view bytes, std::size_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

[[noreturn]] void damaged(const std::string& why) {
  refuse("a fat binary is damaged: " + why);
}

Part read_part(std::string_view header, std::string_view data) {
  constexpr std::uint16_t kPtx = 1, kObject = 2;
  Part out;
  const auto kind = read_at<std::uint16_t>(header, 0);
  out.kind = kind == kPtx ? Part::Kind::ptx : kind == kObject ? Part::Kind::object : Part::Kind::other;
  const auto packed = read_at<std::uint32_t>(header, 16);
  const auto flags = read_at<std::uint64_t>(header, 40);
  out.architecture = read_at<std::uint32_t>(header, 28);
  out.data = data;
  out.bytes = data.size();
  if (packed == 0) return out;
  if (packed > data.size()) damaged(fmt::format("{} compressed bytes in a part of {}", packed, data.size()));
  out.data = data.substr(0, packed);
  out.bytes = read_at<std::uint64_t>(header, 56);
  if ((flags & (kIsLz4 | kIsZstd)) == 0) damaged("it is compressed in a way that is not known");
  out.compression = (flags & kIsZstd) != 0 ? Compression::zstd : Compression::lz4;
  return out;
}

}  // namespace

bool is_fat_binary(std::string_view image) {
  return image.size() >= sizeof kMagic && read_at<std::uint32_t>(image, 0) == kMagic;
}

std::size_t fat_binary_bytes(std::string_view image) {
  if (!is_fat_binary(image) || image.size() < kHeaderBytes) damaged("its header is cut off");
  const auto header = read_at<std::uint16_t>(image, 6);
  const auto bytes = read_at<std::uint64_t>(image, 8);
  if (header < kHeaderBytes || header > image.size() || bytes > image.size() - header)
    damaged(fmt::format("it says that it has {} bytes, and has {}", bytes, image.size()));
  return header + bytes;
}

std::vector<Part> parts_of(std::string_view image) {
  const std::string_view all = image.substr(0, fat_binary_bytes(image));
  std::string_view left = all.substr(read_at<std::uint16_t>(image, 6));
  std::vector<Part> out;
  while (!left.empty()) {
    if (left.size() < kPartBytes) damaged("a part's header is cut off");
    const auto part_header = read_at<std::uint32_t>(left, 4);
    const auto part_bytes = read_at<std::uint64_t>(left, 8);
    if (part_header < kPartBytes || part_header > left.size() || part_bytes > left.size() - part_header)
      damaged(fmt::format("a part says that it has {} bytes, and {} are left", part_bytes, left.size()));
    out.push_back(read_part(left.substr(0, part_header), left.substr(part_header, part_bytes)));
    left.remove_prefix(part_header + part_bytes);
  }
  return out;
}

std::string plain_data(const Part& part) {
  if (part.bytes > kMostBytes)
    damaged(fmt::format("a part of {} bytes, more than {}", part.bytes, kMostBytes));
  if (part.compression == Compression::none) return std::string(part.data);
  // A frame may hold little and say much: no byte of either format stands for more than this.
  constexpr std::uint64_t kMostRatio = 1 << 17;
  if (part.bytes / kMostRatio > part.data.size())
    damaged(fmt::format("{} bytes that are {} compressed", part.bytes, part.data.size()));
  return part.compression == Compression::lz4 ? decompress_lz4(part.data, part.bytes)
                                              : decompress_zstd(part.data, part.bytes);
}

}  // namespace ptxmc::record
