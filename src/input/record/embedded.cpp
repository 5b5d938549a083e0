// SPDX-License-Identifier: Apache-2.0
#include "input/record/embedded.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "input/record/container.h"
#include "input/record/image.h"
#include "input/record/object.h"

namespace ptxmc::record {

namespace {

constexpr Elf64_Half kCudaMachine = 190;
constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::array<std::string_view, 2> kFatSections = {".nv_fatbin", "__nv_relfatbin"};
constexpr std::size_t kFatAlignment = 8;

/// Empty: it is not all there.
std::string_view part_of_file(std::string_view file, std::uint64_t begin, std::uint64_t size) {
  return begin <= file.size() && size <= file.size() - begin ? file.substr(begin, size) : std::string_view();
}

template <typename T>
bool read_struct(std::string_view file, std::uint64_t begin, T& out) {
  const std::string_view bytes = part_of_file(file, begin, sizeof(T));
  if (bytes.empty()) return false;
  std::memcpy(&out, bytes.data(), sizeof(T));
  return true;
}

/// The sections of those names.
std::vector<std::string_view> fat_sections(std::string_view file) {
  std::vector<std::string_view> out;
  Elf64_Ehdr header;
  Elf64_Shdr table;
  if (!read_struct(file, 0, header) ||
      !read_struct(file, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof table, table))
    return out;
  const std::string_view names = part_of_file(file, table.sh_offset, table.sh_size);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_struct(file, header.e_shoff + i * sizeof section, section)) break;
    if (section.sh_name >= names.size() || section.sh_type == SHT_NOBITS) continue;
    const std::string_view rest = names.substr(section.sh_name);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (std::find(kFatSections.begin(), kFatSections.end(), name) != kFatSections.end())
      out.push_back(part_of_file(file, section.sh_offset, section.sh_size));
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

bool is_cubin(std::string_view file) {
  Elf64_Ehdr header;
  return is_object(file) && read_struct(file, 0, header) && header.e_machine == kCudaMachine;
}

/// Looks into files that hold others.
class Collector {
 public:
  explicit Collector(unsigned architecture) : architecture_(architecture) {}

  void add(std::string_view file) {
    if (is_cubin(file)) {
      out_.has_machine_code_only = true;
    } else if (is_object(file)) {
      for (const std::string_view section : fat_sections(file))
        for (const std::string_view image : fat_binaries(section)) add_fat(image);
    } else if (file.starts_with(kArchive)) {
      for (const std::string_view member : archive_members(file)) add(member);
    } else if (is_fat_binary(file)) {
      add_fat(file);
    }
  }

  DeviceCode take() && { return std::move(out_); }

 private:
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
