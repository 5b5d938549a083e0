// SPDX-License-Identifier: Apache-2.0
// forms FOLDER: every instruction of every .ptx file below it is a form of the table, but for calls and indexed branches,
// which launches resolve. What is none is told by mnemonic and by message, the most frequent first.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "ptx/isa/table.h"
#include "ptx/text/module.h"

namespace {

namespace fs = std::filesystem;
using namespace ptxmc;

struct Sums {
  std::size_t instructions = 0;
  std::size_t resolved = 0;
  std::map<std::string, std::size_t> mnemonics;  // of those that are no form
  std::map<std::string, std::size_t> messages;
};

std::string dotted(const ptx::Instruction& instruction) {
  std::string out(instruction.base);
  for (const std::string_view word : instruction.words) out += fmt::format(".{}", word);
  return out;
}

void count(const ptx::Body& body, Sums& sums) {
  for (const ptx::Statement& statement : body.statements) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement.node);
    if (instruction == nullptr || instruction->base == "call" || instruction->base == "brx") continue;
    ++sums.instructions;
    const isa::Resolution resolution =
        isa::resolve(instruction->base, instruction->words, isa::Notation::any);
    if (resolution.resolved) {
      ++sums.resolved;
      continue;
    }
    ++sums.mnemonics[dotted(*instruction)];
    ++sums.messages[resolution.errors.front().message];
  }
}

void count(const fs::path& path, Sums& sums) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const ptx::Module module =
      ptx::parse_module(std::make_shared<const Source>(Source{path.string(), text.str()}));
  ptx::check_read(module);
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function != nullptr && function->body) count(*function->body, sums);
  }
}

void print(const char* title, const std::map<std::string, std::size_t>& counted) {
  std::vector<std::pair<std::string, std::size_t>> rows(counted.begin(), counted.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  fmt::print("{}\n", title);
  for (const auto& [what, times] : rows) fmt::print("{:8} {}\n", times, what);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: forms FOLDER\n");
    return 2;
  }
  if (!fs::is_directory(argv[1])) {
    fmt::print("SKIPPED: no suites in {}\n", argv[1]);
    return 0;
  }
  Sums sums;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[1])) {
    if (entry.path().extension() == ".ptx") count(entry.path(), sums);
  }
  if (!sums.mnemonics.empty()) {
    print("by message", sums.messages);
    print("by mnemonic", sums.mnemonics);
  }
  fmt::print("{} instructions, {} are forms of the table\n", sums.instructions, sums.resolved);
  return sums.resolved == sums.instructions && sums.instructions != 0 ? 0 : 1;
}
