// SPDX-License-Identifier: Apache-2.0
#include "input/record/compression.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <limits>

#include "support/refuse.h"

namespace ptxmc::record {

namespace {

/// A function of a library of the system. It is never unloaded.
void* function_of(const char* library, const char* name, const char* package) {
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* function = handle == nullptr ? nullptr : ::dlsym(handle, name);
  if (function == nullptr)
    refuse(fmt::format("{} is needed for a compressed module, and is not here: apt install {}", library,
                       package));
  return function;
}

[[noreturn]] void damaged(const char* what, std::size_t bytes) {
  refuse(fmt::format("a fat binary is damaged: its {} data are no {} bytes", what, bytes));
}

}  // namespace

std::string decompress_lz4(std::string_view data, std::size_t bytes) {
  using Decompress = int (*)(const char*, char*, int, int);
  static const auto decompress =
      reinterpret_cast<Decompress>(function_of("liblz4.so.1", "LZ4_decompress_safe", "liblz4-1"));
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (data.size() > kMost || bytes > kMost) damaged("LZ4", bytes);
  std::string out(bytes, '\0');
  const int got = decompress(data.data(), out.data(), static_cast<int>(data.size()), static_cast<int>(bytes));
  if (got < 0 || static_cast<std::size_t>(got) != bytes) damaged("LZ4", bytes);
  return out;
}

std::string decompress_zstd(std::string_view data, std::size_t bytes) {
  using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
  static const auto decompress =
      reinterpret_cast<Decompress>(function_of("libzstd.so.1", "ZSTD_decompress", "libzstd1"));
  std::string out(bytes, '\0');
  if (decompress(out.data(), bytes, data.data(), data.size()) != bytes)
    damaged("zstd", bytes);  // errors are large
  return out;
}

}  // namespace ptxmc::record
