// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

namespace ptxmc::testing {

std::vector<Answer> answers_of(const Prepared& prepared, const relation::MemoryModel& model,
                               const std::vector<std::string>& flags) {
  std::vector<Answer> answers{condition_holds(Engine::explicit_, prepared, model)};
  for (const std::string& flag : flags) answers.push_back(flag_raised(Engine::explicit_, prepared, model, flag));
  return answers;
}

std::vector<NamedTest> load_corpus(const std::filesystem::path& folder, const relation::MemoryModel& model,
                                   const std::vector<std::string>& flags) {
  std::vector<NamedTest> tests;
  for (const std::filesystem::path& file : files_below(folder, ".litmus")) {
    NamedTest test;
    test.name = std::filesystem::relative(file, folder).replace_extension("").string();
    test.prepared = prepare(file.string(), read_file(file), {});
    test.answers = answers_of(test.prepared, model, flags);
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace ptxmc::testing
