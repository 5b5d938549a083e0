// SPDX-License-Identifier: Apache-2.0
// `model diff A B FILE...`: the smallest of given tests that two models judge differently.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "face/cli/answer.h"
#include "face/cli/inputs.h"
#include "face/cli/model_diff_verb.h"
#include "face/cli/repair_verbs.h"
#include "generate/judge.h"
#include "input/litmus/parse.h"
#include "model/models.h"
#include "repair/delta_debugging.h"
#include "support/beyond_limits.h"
#include "support/parallel.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

constexpr double kTestSeconds = 10;       // a test, at most
constexpr std::size_t kMostReduced = 12;  // of those that differ, the shortest

struct Differing {
  litmus::Test test;
  repair::Distinction apart;
};

bool shorter(const Differing& a, const Differing& b) {
  return a.apart.by != b.apart.by ? a.apart.by < b.apart.by : a.apart.instructions < b.apart.instructions;
}

std::vector<litmus::Test> read_all(const std::vector<std::string>& files) {
  std::vector<litmus::Test> tests;
  for (const Input& input : expand_inputs(files)) {
    if (!input.error.empty()) refuse(input.error);
    for (const litmus::Test& test : parse_input(read_input(input, std::cin)))
      tests.push_back(in_litmus_notation(test));
  }
  return tests;
}

/// One question to all tests, each within its time.
class Comparing {
 public:
  Comparing(const DiffSide& first, const DiffSide& second, const Budget& budget)
      : first_(first), second_(second), budget_(budget) {}

  std::vector<Differing> run(const std::vector<litmus::Test>& tests, unsigned jobs) {
    std::vector<repair::Distinction> answers(tests.size());
    in_parallel(tests.size(), jobs, [&](std::size_t i) { answers[i] = ask(tests[i]); });
    std::vector<Differing> out;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (answers[i].by != repair::Differs::nothing) out.push_back({tests[i], std::move(answers[i])});
    }
    std::stable_sort(out.begin(), out.end(), shorter);
    return out;
  }
  std::size_t refused() const { return refused_; }
  std::size_t unknown() const { return unknown_; }

 private:
  repair::Distinction ask(const litmus::Test& test) {
    budget_.check();
    try {
      repair::Distinction out =
          repair::compare(first_.session, second_.session, test, budget_.at_most(kTestSeconds));
      const bool open = !out.first.open.empty() || !out.second.open.empty();
      if (open && out.by == repair::Differs::nothing) ++unknown_;
      return out;
    } catch (const BeyondLimits&) {
      ++unknown_;
    } catch (const InputError&) {
      ++refused_;
    } catch (const OutOfTime&) {
      budget_.check();
      ++unknown_;
    }
    return {};
  }

  const DiffSide& first_;
  const DiffSide& second_;
  const Budget& budget_;
  std::atomic<std::size_t> refused_ = 0, unknown_ = 0;
};

/// Its text, with what both models say of it by both engines; a disagreement of them is a message.
Made stated(const DiffSide& first, const DiffSide& second, const Differing& found, const std::string& name,
            const Budget& budget, Results& results) {
  const bool forall = found.test.property.is_forall();
  std::string lines, doc;
  nlohmann::ordered_json verdicts = nlohmann::ordered_json::array();
  for (const DiffSide* side : {&first, &second}) {
    const session::Session both(generate::judging(side->session.settings()));
    const auto source = std::make_shared<const Source>(Source{name, found.apart.text});
    const repair::Found judged = repair::look(both, litmus::parse(source), budget);
    for (const std::string& problem : judged.problems) {
      results.messages += fmt::format("ptxmc: internal error: {}: {}\n", name, problem);
      results.status = worse(results.status, Status::failure);
    }
    verdicts.push_back(verdict_json(both, generate::judge(side->session, name, found.apart.text, budget)));
    const auto words = repair::verdict_words(judged, found.apart.by, forall);
    doc += fmt::format("{}{} by {}", doc.empty() ? "" : ", ", words.value_or("Unknown"), side->name);
    if (words && !both.user_model()) lines += fmt::format("{}={}\n", verdict_key(both), *words);
  }
  return {name, repair::titled(found.apart.text, name, doc + ".", lines), verdicts.dump()};
}

}  // namespace

Results compare_tests(const ModelDiffOptions& options, const DiffSide& first, const DiffSide& second,
                      const std::vector<litmus::Test>& tests, Taker& out) {
  Results results;
  const Budget budget(options.common.settings.timeout);
  const auto fast = [](const DiffSide& side) {
    session::Settings settings = side.session.settings();
    settings.engine = session::EngineChoice::auto_;
    return session::Session(settings);
  };
  const session::Session first_fast = fast(first), second_fast = fast(second);
  const DiffSide one{first.name, first_fast}, other{second.name, second_fast};
  try {
    Comparing comparing(one, other, budget);
    std::vector<Differing> found = comparing.run(tests, workers_of(options.common.jobs));
    std::string summary = fmt::format("{} against {}: {} of {} given tests", first.name, second.name,
                                      found.empty() ? "none" : std::to_string(found.size()), tests.size());
    if (comparing.unknown() != 0) {
      summary += fmt::format(", {} unknown", comparing.unknown());
    }
    if (found.empty() && comparing.unknown() + comparing.refused() != 0)
      results.status = status_of(Answer::unknown);
    if (comparing.refused() != 0) summary += fmt::format(", {} refused", comparing.refused());
    out.summary(summary + "\n");
    if (found.empty()) return results;
    found.resize(std::min(found.size(), kMostReduced));
    for (Differing& differing : found)
      differing.apart = reduce(one.session, other.session, differing.apart, budget);
    const Differing& least = *std::min_element(found.begin(), found.end(), shorter);
    out.test(stated(first, second, least, options.prefix + least.test.name, budget, results));
  } catch (const OutOfTime&) {
    results.messages = "ptxmc: unknown: timeout\n";
    results.status = Status::unknown;
  }
  return results;
}

Results compare_given(const ModelDiffOptions& options, const DiffSide& first, const DiffSide& second,
                      Taker& out) {
  const std::vector<litmus::Test> tests = read_all(options.files);
  const std::vector<std::string> apart = readings_apart(first.session, second.session);
  if (apart.size() < 2) return compare_tests(options, first, second, tests, out);
  return compare_by_reading(
      options, first, apart, [&](const std::string&) { return tests; }, out);
}

}  // namespace ptxmc::cli
