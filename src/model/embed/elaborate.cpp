// SPDX-License-Identifier: Apache-2.0
// elaborate FILE: writes the built-in models, read with the default readings, as C++ tables (model/elaborated.h).
#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "axiomatic/event/base.h"
#include "model/archive.h"
#include "model/elaborated.h"
#include "model/models.h"

using namespace ptxmc;

namespace {

// A raw string literal; g++ and clang++ take more than the 64 KiB that the standard asks for.
std::string literal(const std::string& text) {
  return fmt::format("R\"__text__({})__text__\"", text);
}

std::string table(std::size_t number, model::ArchiveWriter& writer) {
  std::string out = fmt::format("constexpr std::uint32_t kNumbers{}[] = {{", number);
  for (std::size_t i = 0; i < writer.numbers.size(); ++i)
    out += fmt::format("{}{},", i % 24 == 0 ? "\n    " : "", writer.numbers[i]);
  out += fmt::format("\n}};\nconstexpr std::string_view kStrings{}[] = {{\n", number);
  for (const std::string& text : writer.strings) out += fmt::format("    {},\n", literal(text));
  return out + "};\n\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const relation::Signature& signature = event::base_signature();
  std::string tables, rows;
  std::size_t number = 0;
  const auto add = [&](std::string_view name, relation::MemoryModel model) {
    model::ArchiveWriter writer;
    model::archive(writer, model);
    tables += table(number, writer);
    rows += fmt::format("    {{\"{}\", {}u, kNumbers{}, kStrings{}}},\n", name, model::fingerprint(signature),
                        number, number);
    ++number;
  };
  for (const model::Profile& profile : model::profiles())
    add(profile.name, model::load(std::string(profile.name), signature));
  add(model::kAtomicity, model::atomicity(signature, model::Readings()));
  std::ofstream file(argv[1]);
  file << "// Generated from src/model/*.cat.\n#include \"model/elaborated.h\"\n\nnamespace ptxmc::model "
          "{\n\nnamespace {\n\n"
       << tables << "constexpr Elaborated kElaborated[] = {\n"
       << rows
       << "};\n\n}  // namespace\n\nstd::span<const Elaborated> elaborated() {\n  return kElaborated;\n}\n\n"
       << "}  // namespace ptxmc::model\n";
  file.close();
  return file ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
