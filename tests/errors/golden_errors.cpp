// SPDX-License-Identifier: Apache-2.0
// golden_errors [--update] FOLDER: parses every FOLDER/*.litmus, each of which is wrong, and compares the
// diagnostics with NAME.expected, to the letter. --update writes these files instead.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "litmus/parse.h"

namespace {

namespace fs = std::filesystem;
using namespace ptxmc;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string diagnostics(const fs::path& path) {
  try {
    litmus::parse(std::make_shared<const Source>(Source{path.filename().string(), read(path)}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error\n";
}

std::vector<fs::path> inputs(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".litmus") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

int compare(const fs::path& folder) {
  int failures = 0;
  const std::vector<fs::path> files = inputs(folder);
  for (const fs::path& path : files) {
    const std::string found = diagnostics(path);
    const std::string expected = read(fs::path(path).replace_extension(".expected"));
    if (found == expected && found != "no error\n") continue;
    ++failures;
    fmt::print("{}: expected\n{}found\n{}\n", path.string(), expected, found);
  }
  fmt::print("{} files, {} failures\n", files.size(), failures);
  return failures == 0 && !files.empty() ? 0 : 1;
}

int update(const fs::path& folder) {
  for (const fs::path& path : inputs(folder)) {
    std::ofstream(fs::path(path).replace_extension(".expected"), std::ios::binary) << diagnostics(path);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1) return compare(arguments[0]);
  if (arguments.size() == 2 && arguments[0] == "--update") return update(arguments[1]);
  fmt::print(stderr, "usage: golden_errors [--update] FOLDER\n");
  return 2;
}
