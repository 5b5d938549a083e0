// SPDX-License-Identifier: Apache-2.0
#include "input/record/folders.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "input/record/object.h"
#include "support/refuse.h"

namespace ptxmc::record {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostText = 64 << 20;  // bytes

std::string file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Each regular file below these folders with that extension and a size that `fits`, until one is `taken`.
template <typename Fits, typename Taken>
void search(const std::vector<std::string>& folders, std::string_view extension, Fits fits, Taken taken) {
  for (const std::string& folder : folders) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code none;
      if (at->path().extension() != extension || !at->is_regular_file(none) || !fits(at->file_size(none)))
        continue;
      if (taken(at->path())) return;
    }
  }
}

}  // namespace

PtxFolders::Found PtxFolders::of(std::string_view object) const {
  if (std::string text = beside(object); !text.empty()) return {std::move(text), {}};
  return by_names(object);
}

std::string PtxFolders::beside(std::string_view object) const {
  std::string out;
  std::vector<std::string> all = folders_;
  all.insert(all.end(), caches_.begin(), caches_.end());
  search(
      all, ".cubin", [&](std::uintmax_t size) { return size == object.size(); },
      [&](const fs::path& path) {
        if (file_bytes(path) != object) return false;
        out = file_bytes(fs::path(path).replace_extension(".ptx"));
        return !out.empty();
      });
  return out;
}

PtxFolders::Found PtxFolders::by_names(std::string_view object) const {
  Found out;
  const KernelNames kernels = kernels_of_object(object);
  if (kernels.empty()) return out;
  std::string other;
  search(
      folders_, ".ptx", [](std::uintmax_t size) { return size <= kMostText; },
      [&](const fs::path& path) {
        std::string text = file_bytes(path);
        if (kernels_of_text(text) != kernels || text == out.text) return false;
        (out.text.empty() ? out.by_name : other) = path.string();
        out.text = std::move(text);
        return !other.empty();
      });
  if (!other.empty())
    refuse(
        fmt::format("it was loaded as an object file (cubin), and the PTX of its kernels may be in {} or {}: "
                    "--ptx names a folder with one of them, or in which it is beside the object file",
                    out.by_name, other));
  return out;
}

}  // namespace ptxmc::record
