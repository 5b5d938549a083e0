// SPDX-License-Identifier: Apache-2.0
// Fat binaries: what nvcc embeds of a module, object files and PTX for several architectures, and PTX compressed.
//
//   header   magic 0xba55ed50, version, bytes of this header (16 bits each), bytes of all parts (64)
//   part     kind, version (16), bytes of this header (32), of the data (64), of the compressed data (32; 0: plain),
//            ..., architecture at 28 (32), flags at 40 (64), bytes of the plain data at 56 (64)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::record {

enum class Compression : std::uint8_t { none, lz4, zstd };

struct Part {
  enum class Kind : std::uint8_t { ptx, object, other };
  Kind kind = Kind::other;
  std::uint32_t architecture = 0;  ///< 90: sm_90
  Compression compression = Compression::none;
  std::uint64_t bytes = 0;  ///< of the plain data
  std::string_view data;    ///< into the image
};

bool is_fat_binary(std::string_view image);
/// How long the fat binary at the beginning of `image` is, header and parts. Throws InputError for one that is cut off.
std::size_t fat_binary_bytes(std::string_view image);
/// Throws InputError for what is cut off, or says more than it holds.
std::vector<Part> parts_of(std::string_view image);

/// The plain data of a part. Throws InputError: it is damaged, longer than a module may be, or the library that
/// decompresses it is missing.
std::string plain_data(const Part& part);

}  // namespace ptxmc::record
