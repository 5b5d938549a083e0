// SPDX-License-Identifier: Apache-2.0
// ptxas_traps PTXAS FILE: instructions that look right. Each line of FILE, `BAD => GOOD`, names one that the
// parser and the assembler must both reject, and the one that is meant, which both must take (`=>?`: the
// parser does not know it yet, and says so).
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "assembler.h"
#include "input/litmus/parse.h"
#include "support/diagnostic.h"

namespace {

constexpr int kSkipped = 77;

/// What the parser says: "" when it takes the instruction.
std::string parsed(const std::string& instruction) {
  const std::string text = fmt::format(
      "PTX trap\n{{\n .global .u32 gbl = 0;\n .shared .b64 mbar = 1;\n .shared .b32 smem[64];\n}}\n"
      "P0 @ cta 0 {{\n .reg .b64 %ptr;\n .reg .b32 %tc<1>;\n .reg .pred %p;\n {}\n}}\nexists (true)\n",
      instruction);
  try {
    ptxmc::litmus::parse(std::make_shared<ptxmc::Source>(ptxmc::Source{"trap", text}));
  } catch (const ptxmc::InputError& error) {
    return error.what();
  }
  return "";
}

bool assembled(const ptxmc::test::Assembler& assembler, const std::string& instruction) {
  const std::string text = fmt::format(
      ".version 8.4\n.target sm_90\n.address_size 64\n.global .align 4 .u32 gbl;\n.shared .align 8 .b64 "
      "mbar;\n"
      ".shared .align 128 .b32 smem[64];\n.visible .entry trap(.param .u64 tmap)\n{{\n .reg .b64 %ptr;\n"
      " .reg .b32 %tc<1>;\n .reg .pred %p;\n ld.param.u64 %ptr, [tmap];\n mov.u32 %tc0, 0;\n {}\n ret;\n}}\n",
      instruction);
  return assembler.run(text, "sm_90").accepted;
}

int run(const std::string& program, const std::string& file) {
  const bool present = std::filesystem::exists(program);
  const ptxmc::test::Assembler assembler(program);
  std::ifstream in(file);
  int traps = 0, wrong = 0;
  const auto expect = [&](bool holds, const std::string& what) {
    if (holds) return;
    fmt::print("{}\n", what);
    ++wrong;
  };
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t arrow = line.find(" =>");
    if (arrow == std::string::npos) throw std::runtime_error("not `BAD => GOOD`: " + line);
    const bool known = line[arrow + 3] != '?';
    const std::string bad = line.substr(0, arrow), good = line.substr(arrow + (known ? 4 : 5));
    ++traps;
    expect(!parsed(bad).empty(), "the parser takes " + bad);
    expect(parsed(good).empty() == known,
           (known ? "the parser rejects " : "the parser knows by now ") + good + "\n" + parsed(good));
    if (!present) continue;
    expect(!assembled(assembler, bad), "the assembler takes " + bad);
    expect(assembled(assembler, good), "the assembler rejects " + good);
  }
  if (traps == 0) throw std::runtime_error("no traps in " + file);
  fmt::print("{} traps, {} failures\n", traps, wrong);
  if (wrong != 0) return 1;
  if (!present) fmt::print("SKIPPED: there is no ptxas on this machine; only the parser was tried\n");
  return present ? 0 : kSkipped;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: ptxas_traps PTXAS FILE");
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ptxas_traps: {}\n", error.what());
    return 2;
  }
}
