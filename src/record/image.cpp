// SPDX-License-Identifier: Apache-2.0
#include "record/image.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "record/container.h"
#include "support/refuse.h"

namespace ptxmc::record {

namespace {

constexpr std::string_view kObject =
    "\x7f"
    "ELF";

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

[[noreturn]] void no_ptx(unsigned architecture) {
  refuse(
      fmt::format("its module holds no PTX: compile it with nvcc -gencode "
                  "arch=compute_{0}a,code=[sm_{0}a,compute_{0}a] (a list with compute_ in it keeps the PTX)",
                  architecture));
}

/// Text ends at its first zero, if it has one.
std::string text_of(std::string_view bytes) {
  return std::string(bytes.substr(0, bytes.find('\0')));
}

}  // namespace

std::string PtxBeside::of(std::string_view object) const {
  namespace fs = std::filesystem;
  for (const std::string& folder : folders_) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code none;
      if (at->path().extension() != ".cubin" || at->file_size(none) != object.size()) continue;
      if (file_bytes(at->path()) != object) continue;
      const fs::path text = fs::path(at->path()).replace_extension(".ptx");
      if (fs::is_regular_file(text, none)) return file_bytes(text);
    }
  }
  return {};
}

std::string ptx_of(std::string_view image, unsigned architecture, const PtxBeside& beside) {
  if (image.starts_with(kObject)) {
    std::string text = beside.of(image);
    if (text.empty())
      refuse(
          "it was loaded as an object file (cubin), which holds no PTX: --ptx DIR names a folder in which "
          "X.ptx is "
          "beside X.cubin (of Triton, its cache: TRITON_CACHE_DIR, or ~/.triton/cache)");
    return text;
  }
  if (!is_fat_binary(image)) return text_of(image);
  const std::vector<Part> parts = parts_of(image);
  const Part* best = nullptr;
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::ptx || part.architecture > architecture) continue;
    if (best == nullptr || part.architecture > best->architecture) best = &part;
  }
  if (best != nullptr) return text_of(plain_data(*best));
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::ptx)
      refuse(fmt::format("its PTX is for sm_{}, the device is sm_{}: --arch sm_{}", part.architecture,
                         architecture, part.architecture));
  }
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::object) continue;
    if (std::string text = beside.of(plain_data(part)); !text.empty()) return text;
  }
  no_ptx(architecture);
}

}  // namespace ptxmc::record
