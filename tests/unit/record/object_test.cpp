// SPDX-License-Identifier: Apache-2.0
#include "input/record/object.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "input/record/folders.h"
#include "support/diagnostic.h"

namespace ptxmc::record {
namespace {

namespace fs = std::filesystem;

template <typename T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// An object file of these sections, by name.
std::string object_of(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string names(1, '\0'), data;
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const std::string& name, const std::string& bytes) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    names += name + '\0';
    header.sh_offset = sizeof(Elf64_Ehdr) + data.size();
    header.sh_size = bytes.size();
    data += bytes;
    headers.push_back(header);
  };
  for (const auto& [name, bytes] : sections) add(name, bytes);
  add(".shstrtab", "");
  headers.back().sh_offset = sizeof(Elf64_Ehdr) + data.size();
  headers.back().sh_size = names.size();
  data += names;
  Elf64_Ehdr file{};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_shoff = sizeof file + data.size();
  file.e_shnum = static_cast<Elf64_Half>(headers.size());
  file.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::string out;
  append(out, file);
  out += data;
  for (const Elf64_Shdr& header : headers) append(out, header);
  return out;
}

/// Records of so many parameters, between others.
std::string info_of(std::size_t parameters) {
  std::string out("\x03\x50\x00\x00", 4);
  for (std::size_t i = 0; i < parameters; ++i)
    out += std::string("\x04\x17\x0c\x00", 4) + std::string(12, '\x17');
  return out + std::string("\x03\x19\x04\x00", 4);
}

std::string two_kernels() {
  return object_of({{".nv.constant0.alpha", "1234"},
                    {".nv.info.alpha", info_of(2)},
                    {".text.alpha", "code"},
                    {".nv.constant0.beta", "1234"},
                    {".text.helper", "code"}});
}

constexpr const char* kText = R"(
.visible .entry alpha(.param .u64 p,
  .param .align 64 .b8 q[128]) { ret; }
.weak .entry beta
{ ret; }
.func helper(.param .b32 x) { ret; }
)";

std::string error_of(const PtxFolders& folders, const std::string& object) {
  try {
    folders.of(object);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("an object file's kernels, and those of PTX") {
  const KernelNames expected = {{"alpha", 2}, {"beta", 0}};
  CHECK(is_object(two_kernels()));
  CHECK(kernels_of_object(two_kernels()) == expected);
  CHECK(kernels_of_text(kText) == expected);
  CHECK_FALSE(is_object(kText));
  CHECK(kernels_of_object(kText).empty());
  CHECK(kernels_of_text(".entry").empty());
  CHECK(kernels_of_text("  .entry k").empty());
}

TEST_CASE("an object file that is cut off, or says where nothing is") {
  const std::string whole = two_kernels();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(kernels_of_object(whole.substr(0, size)).size() <= 2);
    std::string wrong = whole;
    wrong[size] = static_cast<char>(wrong[size] ^ 0xff);
    CHECK(kernels_of_object(wrong).size() <= 6);
  }
}

TEST_CASE("PTX of an object file: beside it, else by the names of its kernels, but not in a cache") {
  const fs::path top = fs::temp_directory_path() / "ptxmc-unit-folders";
  fs::remove_all(top);
  const auto write = [&](const char* file, const std::string& text) {
    fs::create_directories((top / file).parent_path());
    std::ofstream(top / file, std::ios::binary) << text;
  };
  const std::string dumps = top / "dumps", cache = top / "cache";
  write("dumps/a/one.ptx", kText);
  write("dumps/other.ptx", ".entry alpha(.param .u64 p) { ret; }");
  CHECK(PtxFolders({dumps}).of(two_kernels()).text == kText);
  CHECK(PtxFolders({dumps}).of(two_kernels()).by_name == (top / "dumps/a/one.ptx").string());
  CHECK(PtxFolders({}, {dumps}).of(two_kernels()).text.empty());
  CHECK(PtxFolders({top / "nowhere"}).of(two_kernels()).text.empty());

  write("dumps/b/same.ptx", kText);
  CHECK(PtxFolders({dumps}).of(two_kernels()).text == kText);
  write("dumps/c/two.ptx", std::string(kText) + "// newer");
  CHECK(error_of(PtxFolders({dumps}), two_kernels()).find("may be in") != std::string::npos);

  write("cache/x.cubin", two_kernels());
  write("cache/x.ptx", "beside");
  CHECK(PtxFolders({dumps}, {cache}).of(two_kernels()).text == "beside");
  CHECK(PtxFolders({dumps}, {cache}).of(two_kernels()).by_name.empty());
  fs::remove_all(top);
}

}  // namespace
}  // namespace ptxmc::record
