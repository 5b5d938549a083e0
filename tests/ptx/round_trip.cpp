// SPDX-License-Identifier: Apache-2.0
// round_trip FOLDER: every .ptx file below it is read, and its tree printed is the same tree again.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "ptx/text/module.h"
#include "ptx/text/print.h"

namespace {

namespace fs = std::filesystem;
using namespace ptxmc;

struct Sums {
  std::size_t files = 0;
  std::size_t lines = 0;
  std::size_t statements = 0;
  std::size_t blocks = 0;
  double seconds = 0;
};

/// Throws InputError, or std::runtime_error when the printed module is another.
void check(const fs::path& path, Sums& sums) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const auto source = std::make_shared<const Source>(Source{path.string(), text.str()});
  const auto begin = std::chrono::steady_clock::now();
  const ptx::Module module = ptx::parse_module(source);
  ptx::check_read(module);
  sums.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++sums.files;
  sums.lines += static_cast<std::size_t>(std::count(source->text.begin(), source->text.end(), '\n'));
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || !function->body) continue;
    sums.statements += function->body->statements.size();
    sums.blocks += function->body->scopes.size() - 1;
  }
  const auto printed =
      std::make_shared<const Source>(Source{path.string() + " (printed)", ptx::print(module)});
  if (!(ptx::parse_module(printed) == module))
    throw std::runtime_error(path.string() + ": the printed module is another");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: round_trip FOLDER\n");
    return 2;
  }
  if (!fs::is_directory(argv[1])) {
    fmt::print("SKIPPED: no suites in {}\n", argv[1]);
    return 0;
  }
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[1])) {
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Sums sums;
  std::size_t failures = 0;
  for (const fs::path& path : paths) {
    try {
      check(path, sums);
    } catch (const std::exception& error) {
      fmt::print("{}\n", error.what());
      ++failures;
    }
  }
  fmt::print("{} modules, {} lines, {} statements, {} blocks, read in {:.3f} s; {} failures\n", sums.files,
             sums.lines, sums.statements, sums.blocks, sums.seconds, failures);
  return failures == 0 && sums.files != 0 ? 0 : 1;
}
