// SPDX-License-Identifier: Apache-2.0
// LZ4 blocks and zstd frames, by the libraries of the system, which are loaded when they are needed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ptxmc::record {

// What is not exactly so many bytes is damaged. They throw InputError.
std::string decompress_lz4(std::string_view data, std::size_t bytes);
std::string decompress_zstd(std::string_view data, std::size_t bytes);

}  // namespace ptxmc::record
