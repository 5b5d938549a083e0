// SPDX-License-Identifier: Apache-2.0
#include "input/record/embedded.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "fat_binary.h"
#include "support/diagnostic.h"

namespace ptxmc::record {
namespace {

constexpr std::uint16_t kPtx = 1, kObject = 2;

/// A host's object file with a section of that name.
std::string elf_with(const std::string& name, const std::string& bytes, Elf64_Half machine = EM_X86_64) {
  std::string names(1, '\0');
  names += name + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = machine;
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  std::string data = bytes + names;
  data.resize((data.size() + 7) / 8 * 8);
  header.e_shoff = sizeof header + data.size();
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = bytes.size();
  sections[2].sh_offset = sizeof header + bytes.size();
  sections[2].sh_size = names.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + data +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections);
}

std::string kernel(const std::string& name) {
  return ".visible .entry " + name + "() { ret; }";
}

/// "90:TEXT 80:TEXT"
std::string modules(const std::string& file, unsigned architecture = kNewestPtx) {
  std::string out;
  for (const EmbeddedPtx& one : device_code(file, architecture).modules)
    out += fmt::format("{}{}:{}", out.empty() ? "" : " ", one.architecture, one.text);
  return out;
}

}  // namespace

TEST_CASE("each fat binary of a program is a module, in its newest PTX, or that of a target") {
  const std::string one =
      fat_binary({part(kObject, 90, "cubin"), part(kPtx, 80, kernel("old")), part(kPtx, 90, kernel("new"))});
  const std::string two = fat_binary({part(kPtx, 70, kernel("other"))});
  for (const char* section : {".nv_fatbin", "__nv_relfatbin"}) {
    const std::string file = elf_with(section, one + std::string(16, '\0') + two);
    CHECK(may_hold_device_code(file));
    CHECK(modules(file) == "90:" + kernel("new") + " 70:" + kernel("other"));
    CHECK(modules(file, 86) == "80:" + kernel("old") + " 70:" + kernel("other"));
  }
  CHECK(modules(one) == "90:" + kernel("new"));
  CHECK(modules(elf_with(".text", one)).empty());
}

TEST_CASE("archives hold object files") {
  const std::string object = elf_with(".nv_fatbin", fat_binary({part(kPtx, 90, kernel("k"))}));
  const auto member = [](const std::string& name, const std::string& data) {
    return fmt::format("{:<48}{:<10}`\n", name, data.size()) + data + std::string(data.size() % 2, '\n');
  };
  CHECK(modules("!<arch>\n" + member("/", "odd") + member("k.o/", object)) == "90:" + kernel("k"));
  CHECK(modules("!<arch>\n" + member("k.o/", object).substr(0, 100)).empty());
  // An archive in an archive is none that a tool makes: however deep they are, they hold nothing.
  std::string nested = "!<arch>\n" + member("k.o/", object);
  for (int i = 0; i < 1000; ++i) nested = "!<arch>\n" + member("a/", nested);
  CHECK(modules(nested).empty());
}

TEST_CASE("it is known why there is no PTX") {
  constexpr Elf64_Half kCuda = 190;
  const std::string cubin = elf_with(".nv.constant0.k", "c", kCuda);
  CHECK(device_code(cubin, kNewestPtx).has_machine_code_only);
  CHECK(device_code(fat_binary({part(kObject, 90, cubin)}), kNewestPtx).has_machine_code_only);
  const DeviceCode newer =
      device_code(fat_binary({part(kObject, 90, cubin), part(kPtx, 100, kernel("k"))}), 90);
  CHECK(newer.modules.empty());
  CHECK(newer.newer == 100);
  const DeviceCode linked = device_code(fat_binary({part(kPtx, 90, ".version 8.0")}), kNewestPtx);
  CHECK((linked.modules.empty() && !linked.has_machine_code_only && !linked.newer));
}

TEST_CASE("a fat binary that is cut off is an error") {
  const std::string whole = fat_binary({part(kPtx, 90, kernel("k"))});
  CHECK_THROWS_AS(modules(whole.substr(0, whole.size() - 8)), InputError);
  CHECK_THROWS_AS(modules(elf_with(".nv_fatbin", whole.substr(0, whole.size() - 8))), InputError);
}

}  // namespace ptxmc::record
