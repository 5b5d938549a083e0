// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "suites.h"

namespace {

using namespace ptxmc::testing;

constexpr const char* kUsage =
    "suites dat3m-agree|dat3m-ptx-6.0|dat3m-ptx-7.5|dat3m-default|dat3m-liveness|scaling|patterns|bugzoo "
    "--suites FOLDER "
    "--data FOLDER --litmus FOLDER [--update] [--only PART]\n";

std::size_t run_part(const std::string& part, const SuiteOptions& options) {
  if (part == "dat3m-agree") return dat3m_agree(options);
  if (part == "dat3m-ptx-6.0") return dat3m_published(options, "ptx-6.0");
  if (part == "dat3m-ptx-7.5") return dat3m_published(options, "ptx-7.5");
  if (part == "dat3m-default") return dat3m_default(options);
  if (part == "dat3m-liveness") return dat3m_liveness(options);
  if (part == "scaling") return scaling(options);
  if (part == "patterns") return patterns(options);
  if (part == "bugzoo") return bugzoo(options);
  throw std::runtime_error("unknown part: " + part);
}

int run(int argc, char** argv) {
  if (argc < 2) throw std::runtime_error("which part?");
  SuiteOptions options;
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--update") {
      options.update = true;
    } else if (i + 1 < argc && name == "--only") {
      options.only = argv[++i];
    } else if (i + 1 < argc && name == "--suites") {
      options.suites = argv[++i];
    } else if (i + 1 < argc && name == "--data") {
      options.data = argv[++i];
    } else if (i + 1 < argc && name == "--litmus") {
      options.litmus = argv[++i];
    } else {
      throw std::runtime_error("unknown option: " + name);
    }
  }
  if (!std::filesystem::exists(options.suites)) {
    fmt::print("SKIPPED: no suites at {}: NOTHING WAS COMPARED WITH PUBLISHED VERDICTS\n",
               options.suites.string());
    return 0;
  }
  const std::size_t errors = run_part(argv[1], options);
  fmt::print("{}: {} errors\n", argv[1], errors);
  return errors == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "suites: {}\n{}", error.what(), kUsage);
    return 2;
  }
}
