// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

#include <algorithm>
#include <stdexcept>

namespace ptxmc::testing {

namespace {

/// The killing tests say the right thing to begin with.
void check_stated_verdict(const NamedTest& test, const relation::MemoryModel& model,
                          const std::vector<std::string>& questions) {
  for (const litmus::Verdict& verdict : test.prepared.test.verdicts) {
    if (!verdict.model.empty() || !verdict.readings.empty()) continue;
    const auto require = [&](bool right, const char* what) {
      if (!right) throw std::runtime_error(test.name + ": the stated verdict is not met: " + what);
    };
    if (verdict.proposition == litmus::Stated::allowed || verdict.proposition == litmus::Stated::forbidden) {
      const Answer wanted = verdict.proposition == litmus::Stated::allowed ? Answer::yes : Answer::no;
      require(proposition_reachable(Engine::explicit_, test.prepared, model) == wanted, "proposition");
    }
    const auto race = std::find(questions.begin(), questions.end(), "race");
    if (verdict.racy && race != questions.end()) {
      const Answer found = test.answers[static_cast<std::size_t>(race - questions.begin())];
      require(found == (*verdict.racy ? Answer::yes : Answer::no), "data race");
    }
  }
}

}  // namespace

std::vector<NamedTest> load_corpus(const std::filesystem::path& folder, const relation::MemoryModel& model,
                                   Answerer& answerer, Kinds& kinds,
                                   const std::vector<std::string>& questions) {
  std::vector<NamedTest> tests;
  for (const std::filesystem::path& file : files_below(folder, ".litmus")) {
    NamedTest test;
    test.name = std::filesystem::relative(file, folder).replace_extension("").string();
    test.prepared = prepare(file.string(), read_file(file), {});
    test.kind = kinds.of(test.prepared);
    for (const std::string& question : questions)
      test.answers.push_back(answerer.ask(test.prepared, test.kind, question));
    check_stated_verdict(test, model, questions);
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace ptxmc::testing
