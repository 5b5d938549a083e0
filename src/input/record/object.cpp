// SPDX-License-Identifier: Apache-2.0
#include "input/record/object.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ptxmc::record {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kConstants = ".nv.constant0.", kInfo = ".nv.info.";
constexpr Elf64_Half kCudaMachine = 190;
constexpr std::uint8_t kSized = 4, kParameter = 0x17;

/// Empty: it is not all there.
std::string_view bytes_at(std::string_view file, std::uint64_t begin, std::uint64_t size) {
  return begin <= file.size() && size <= file.size() - begin ? file.substr(begin, size) : std::string_view();
}

/// Nothing is read where it is not all there.
template <typename T>
bool read(std::string_view file, std::uint64_t begin, T& out) {
  const std::string_view bytes = bytes_at(file, begin, sizeof(T));
  if (bytes.empty()) return false;
  std::memcpy(&out, bytes.data(), sizeof(T));
  return true;
}

std::size_t parameters_of(std::string_view info) {
  std::size_t out = 0;
  while (info.size() >= 4) {
    std::uint16_t size = 0;
    std::memcpy(&size, info.data() + 2, sizeof size);
    out += static_cast<std::uint8_t>(info[1]) == kParameter ? 1 : 0;
    const std::size_t all = 4 + (static_cast<std::uint8_t>(info[0]) == kSized ? std::size_t{size} : 0);
    info.remove_prefix(std::min(all, info.size()));
  }
  return out;
}

}  // namespace

bool is_object(std::string_view image) {
  return image.starts_with(std::string_view(ELFMAG, SELFMAG));
}

bool is_cubin(std::string_view image) {
  Elf64_Ehdr header;
  return is_object(image) && read(image, 0, header) && header.e_machine == kCudaMachine;
}

std::vector<ObjectSection> sections_of(std::string_view object) {
  std::vector<ObjectSection> out;
  Elf64_Ehdr header;
  Elf64_Shdr table;
  if (!read(object, 0, header) ||
      !read(object, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof table, table))
    return out;
  const std::string_view names = bytes_at(object, table.sh_offset, table.sh_size);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read(object, header.e_shoff + i * sizeof section, section)) break;
    if (section.sh_name >= names.size()) continue;
    const std::string_view name = names.substr(section.sh_name);
    const std::uint64_t bytes = section.sh_type == SHT_NOBITS ? 0 : section.sh_size;
    out.push_back({name.substr(0, name.find('\0')), bytes_at(object, section.sh_offset, bytes)});
  }
  return out;
}

KernelNames kernels_of_object(std::string_view object) {
  KernelNames out, parameters;
  for (const auto& [name, bytes] : sections_of(object)) {
    if (name.starts_with(kConstants)) out.emplace(name.substr(kConstants.size()), 0);
    if (name.starts_with(kInfo)) parameters.emplace(name.substr(kInfo.size()), parameters_of(bytes));
  }
  for (auto& [name, count] : out) {
    if (const auto found = parameters.find(name); found != parameters.end()) count = found->second;
  }
  return out;
}

KernelNames kernels_of_text(std::string_view text) {
  constexpr std::string_view kEntry = ".entry", kParam = ".param";
  KernelNames out;
  for (std::size_t at = text.find(kEntry); at != std::string_view::npos; at = text.find(kEntry, at)) {
    const std::size_t name = text.find_first_not_of(kBlank, at += kEntry.size());
    if (name == at || name == std::string_view::npos) continue;
    const std::size_t end = text.find_first_of(" \t\r\n({", name);
    const std::size_t open = text.find_first_not_of(kBlank, end);
    if (open == std::string_view::npos) break;
    std::size_t count = 0;
    if (text[open] == '(') {
      const std::string_view list = text.substr(open, text.find(')', open) - open);
      for (std::size_t i = list.find(kParam); i != std::string_view::npos; i = list.find(kParam, i + 1))
        ++count;
    }
    out.emplace(text.substr(name, end - name), count);
    at = open;
  }
  return out;
}

}  // namespace ptxmc::record
