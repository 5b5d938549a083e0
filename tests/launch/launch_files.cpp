// SPDX-License-Identifier: Apache-2.0
// launch_files FOLDER: reads every file of launches below FOLDER and its module, finds the kernels that it launches with
// parameters that take its arguments, and lists the module.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "input/launch/entry.h"
#include "input/launch/list.h"
#include "input/launch/parameters.h"
#include "input/launch/plan_file.h"
#include "ptx/text/module.h"
#include "support/diagnostic.h"

namespace {

namespace fs = std::filesystem;
using namespace ptxmc;

SourcePtr source_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
  std::stringstream text;
  text << in.rdbuf();
  return std::make_shared<const Source>(Source{path.string(), text.str()});
}

void check(const fs::path& path) {
  const launch::Plan plan = launch::read_plan(source_of(path));
  const ptx::Module module = ptx::parse_module(source_of(path.parent_path() / plan.module));
  if (plan.launches.empty() || launch::list(module, "check", "m.ptx").empty())
    throw std::runtime_error("nothing is launched or listed");
  for (const launch::Launch& launch : plan.launches) {
    const ptx::Function& entry = launch::find_entry(module, launch.entry, plan.source, launch.position);
    Diagnostics diagnostics(plan.source);
    const launch::Parameters parameters(plan, launch, module, entry, diagnostics);
    if (diagnostics.has_errors()) throw InputError(diagnostics);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: launch_files FOLDER\n");
    return 2;
  }
  if (!fs::is_directory(argv[1])) {
    fmt::print("SKIPPED: no suites: {} is no folder\n", argv[1]);
    return 0;
  }
  int files = 0, failures = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[1])) {
    const std::string name = entry.path().filename().string();
    if (name != "launch.json" && name != "sequence.json") continue;
    ++files;
    try {
      check(entry.path());
    } catch (const std::exception& error) {
      ++failures;
      fmt::print("{}: {}\n", entry.path().string(), error.what());
    }
  }
  fmt::print("{} files of launches, {} failures\n", files, failures);
  return files == 0 || failures != 0 ? 1 : 0;
}
