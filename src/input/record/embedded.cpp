// SPDX-License-Identifier: Apache-2.0
#include "input/record/embedded.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "input/record/container.h"
#include "input/record/image.h"
#include "input/record/object.h"

namespace ptxmc::record {

namespace {

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::array<std::string_view, 2> kFatSections = {".nv_fatbin", "__nv_relfatbin"};
constexpr std::size_t kFatAlignment = 8;

/// The sections of those names.
std::vector<std::string_view> fat_sections(std::string_view file) {
  std::vector<std::string_view> out;
  for (const ObjectSection& section : sections_of(file)) {
    if (std::find(kFatSections.begin(), kFatSections.end(), section.name) != kFatSections.end())
      out.push_back(section.bytes);
  }
  return out;
}

/// The fat binaries of a section, one after the other, with zeros between them.
std::vector<std::string_view> fat_binaries(std::string_view section) {
  std::vector<std::string_view> out;
  while (section.size() >= kFatAlignment) {
    std::size_t size = kFatAlignment;
    if (is_fat_binary(section)) {
      size = fat_binary_bytes(section);
      out.push_back(section.substr(0, size));
      size = (size + kFatAlignment - 1) / kFatAlignment * kFatAlignment;
    }
    section.remove_prefix(std::min(size, section.size()));
  }
  return out;
}

std::vector<std::string_view> archive_members(std::string_view file) {
  constexpr std::size_t kHeader = 60, kSizeAt = 48, kSizeDigits = 10;
  std::vector<std::string_view> out;
  file.remove_prefix(kArchive.size());
  while (file.size() >= kHeader) {
    std::uint64_t size = 0;
    const char* const digits = file.data() + kSizeAt;
    if (std::from_chars(digits, digits + kSizeDigits, size).ec != std::errc()) break;
    file.remove_prefix(kHeader);
    size = std::min<std::uint64_t>(size, file.size());
    out.push_back(file.substr(0, size));
    file.remove_prefix(std::min<std::uint64_t>(size + size % 2, file.size()));
  }
  return out;
}

/// Looks into files that hold others.
class Collector {
 public:
  explicit Collector(unsigned architecture) : architecture_(architecture) {}

  void add(std::string_view file) {
    if (!file.starts_with(kArchive)) return add_one(file);
    for (const std::string_view member : archive_members(file))
      add_one(member);  // an archive holds no other one
  }

  DeviceCode take() && { return std::move(out_); }

 private:
  void add_one(std::string_view file) {
    if (is_cubin(file)) {
      out_.has_machine_code_only = true;
    } else if (is_object(file)) {
      for (const std::string_view section : fat_sections(file))
        for (const std::string_view image : fat_binaries(section)) add_fat(image);
    } else if (is_fat_binary(file)) {
      add_fat(file);
    }
  }

  void add_fat(std::string_view image) {
    const std::vector<Part> parts = parts_of(image);
    if (const Part* best = best_ptx(parts, architecture_)) {
      std::string text = module_text(plain_data(*best));
      // What a device linker leaves has no kernels.
      if (text.find(".entry") != std::string::npos)
        out_.modules.push_back({best->architecture, std::move(text)});
      return;
    }
    for (const Part& part : parts) {
      if (part.kind == Part::Kind::ptx) out_.newer = part.architecture;
    }
    if (out_.newer) return;
    for (const Part& part : parts) {  // of a device linker, too, which may hold no kernel
      if (part.kind == Part::Kind::object && !kernels_of_object(plain_data(part)).empty())
        out_.has_machine_code_only = true;
    }
  }

  unsigned architecture_;
  DeviceCode out_;
};

}  // namespace

bool may_hold_device_code(std::string_view file) {
  return is_object(file) || file.starts_with(kArchive) || is_fat_binary(file);
}

DeviceCode device_code(std::string_view file, unsigned architecture) {
  Collector collector(architecture);
  collector.add(file);
  return std::move(collector).take();
}

}  // namespace ptxmc::record
