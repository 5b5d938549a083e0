// SPDX-License-Identifier: Apache-2.0
#include "face/cli/binary_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "input/record/object.h"

namespace ptxmc::cli {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kCompile = "nvcc -arch=sm_90a -lineinfo -ptx kernel.cu -o kernel.ptx";

/// Does an ELF file name an interpreter? Programs do, and libraries do not.
bool has_interpreter(std::string_view head, const Elf64_Ehdr& header) {
  for (Elf64_Half i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr row;
    const std::uint64_t at = header.e_phoff + std::uint64_t{i} * sizeof row;
    if (at > head.size() || head.size() - at < sizeof row) return false;
    std::memcpy(&row, head.data() + at, sizeof row);
    if (row.p_type == PT_INTERP) return true;
  }
  return false;
}

bool is_linked(std::string_view head, const Elf64_Ehdr& header) {
  return header.e_type == ET_EXEC || (header.e_type != ET_REL && has_interpreter(head, header));
}

/// Machine code as cuobjdump -sass and nvdisasm print it.
bool is_sass(std::string_view head) {
  const auto has = [&](std::string_view words) { return head.find(words) != std::string_view::npos; };
  if (has(".version") && has(".target")) return false;
  return has("/*0000*/") || (has("code for sm_") && has("Function :")) ||
         (has(".headerflags") && has("EF_CUDA"));
}

std::string extract(const std::string& name) {
  return fmt::format("cuobjdump -ptx {} > {}", name,
                     std::filesystem::path(name).filename().replace_extension(".ptx").string());
}

std::string elf(const std::string& name, std::string_view head) {
  Elf64_Ehdr header;
  if (head.size() < sizeof header) return fmt::format("'{}' is a part of an ELF file, not a text", name);
  std::memcpy(&header, head.data(), sizeof header);
  if (record::is_cubin(head))
    return fmt::format("'{}' is a cubin: it holds machine code and no PTX; compile to PTX: {}", name,
                       kCompile);
  if (header.e_type == ET_REL)
    return fmt::format("'{}' is an object file; extract its PTX: {}", name, extract(name));
  if (is_linked(head, header))
    return fmt::format("'{}' is a program; run it: ptxmc record --verify -- {}, or extract its PTX: {}", name,
                       name.find('/') == std::string::npos ? "./" + name : name, extract(name));
  return fmt::format(
      "'{}' is a shared library; run a program that loads it: ptxmc record --verify -- PROGRAM, or extract its "
      "PTX: {}",
      name, extract(name));
}

}  // namespace

bool is_program(std::string_view head) {
  Elf64_Ehdr header;
  if (!head.starts_with(std::string_view(ELFMAG, SELFMAG)) || head.size() < sizeof header ||
      record::is_cubin(head))
    return false;
  std::memcpy(&header, head.data(), sizeof header);
  return is_linked(head, header);
}

std::string compiled_file(const std::string& name, std::string_view head) {
  if (head.starts_with(std::string_view(ELFMAG, SELFMAG))) return elf(name, head);
  if (head.starts_with("\x50\xed\x55\xba"sv))
    return fmt::format("'{}' is a fat binary; extract its PTX: {}", name, extract(name));
  if (head.starts_with("!<arch>\n"))
    return fmt::format("'{}' is a static library; extract its PTX: {}", name, extract(name));
  if (head.starts_with("BC\xc0\xde"))
    return fmt::format("'{}' is LLVM bitcode; compile to PTX: {}", name, kCompile);
  if (is_sass(head))
    return fmt::format(
        "'{}' is SASS, the machine code of a GPU as text; the memory model is that of PTX, and so is verify: "
        "cuobjdump -ptx FILE prints the PTX of a program, and nvcc makes it of a source: {}",
        name, kCompile);
  return "";
}

bool is_binary(std::string_view head) {
  constexpr std::size_t kFirst = 16;
  return head.substr(0, kFirst).find('\0') != std::string_view::npos;
}

}  // namespace ptxmc::cli
