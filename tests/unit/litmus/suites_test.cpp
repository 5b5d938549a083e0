// SPDX-License-Identifier: Apache-2.0
// Published suites parse as they are, and survive printing. Their folder is not part of the repository:
// without it the test says loudly that it was skipped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "input/litmus/compare.h"
#include "input/litmus/parse.h"
#include "input/litmus/print.h"

namespace {

namespace fs = std::filesystem;
using namespace ptxmc;

std::vector<fs::path> litmus_files(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".litmus") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

SourcePtr load(const fs::path& path, const std::string& name) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::make_shared<const Source>(Source{name, text.str()});
}

// Parses, prints, parses again; the second test must be the first.
void check_round_trip(const fs::path& path) {
  INFO("file: ", path.string());
  try {
    const litmus::Test test = litmus::parse(load(path, path.string()));
    const std::string printed = litmus::print(test);
    INFO("printed:\n", printed);
    const litmus::Test again = litmus::parse(std::make_shared<const Source>(Source{"printed", printed}));
    CHECK_EQ(litmus::difference(test, again), "");
    CHECK_EQ(litmus::print(again), printed);
  } catch (const InputError& error) {
    FAIL_CHECK(std::string(error.what()));
  }
}

fs::path suites_folder() {
  const char* variable = std::getenv("PTXMC_SUITES");
  if (variable != nullptr) return variable;
  return fs::path(PTXMC_SOURCES) / "../shared/suites";
}

}  // namespace

TEST_CASE("published suites parse and survive printing") {
  const fs::path folder = suites_folder();
  for (const auto& [suite, count] : {std::pair<std::string, std::size_t>{"dat3m", 271}, {"scaling", 129}}) {
    if (!fs::is_directory(folder / suite)) {
      std::cerr << "SKIPPED: suite " << suite << " is not in " << folder
                << "; set PTXMC_SUITES to its parent\n";
      continue;
    }
    const std::vector<fs::path> files = litmus_files(folder / suite);
    CHECK_GE(files.size(), count);
    for (const fs::path& file : files) check_round_trip(file);
  }
}

TEST_CASE("the project's own tests parse and survive printing") {
  const std::vector<fs::path> files = litmus_files(fs::path(PTXMC_SOURCES) / "litmus");
  REQUIRE(!files.empty());
  for (const fs::path& file : files) check_round_trip(file);
}
