// SPDX-License-Identifier: Apache-2.0
// verified_reductions DIR REDUCTION...: what `verify` says of the tests in a folder, and what it says without its reductions, one of
// these or all: no claim about all schedules of the one is denied by a finding of the other. A claim that takes equal values for no race
// may stand beside a race of writes whose values the other run does not know to be equal.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamic/claim/claim.h"
#include "finding/rules.h"
#include "input/litmus/parse.h"
#include "session/verify.h"
#include "support/diagnostic.h"

namespace {

using namespace ptxmc;
using claim::Verdict;

constexpr std::size_t kFewOrders = 16;  // fewer than there are of turns that do not count
constexpr double kSeconds = 20;

struct Answer {
  Verdict verdict = Verdict::incomplete;
  bool takes_equal = false;       // values that it knows are no race
  bool only_writes_race = false;  // all its errors are races of two writes
};

bool is_race_of_writes(const trace::Finding& finding) {
  const auto writes = [](const trace::Place& place) { return place.effect == trace::Effect::write; };
  return finding.rule == finding::RuleId::race && writes(finding.first) && writes(finding.second);
}

Answer answer(const std::filesystem::path& file, session::VerifyReductions reductions) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(Source{file.string(), text}));
  session::VerifySettings settings;
  settings.timeout = kSeconds;
  settings.choices = kFewOrders;
  settings.reductions = reductions;
  const auto verification = session::verify(task, settings);
  const claim::Claim claim = claim::claim_of(verification->verified);
  const auto& findings = verification->verified.findings;
  const bool errs = std::any_of(findings.begin(), findings.end(), [](const trace::Finding& f) {
    return finding::severity_of(f.rule) == Severity::error && !is_race_of_writes(f);
  });
  const bool equal =
      std::any_of(claim.assumptions.begin(), claim.assumptions.end(),
                  [](const claim::Assumed& one) { return one.what == claim::Assumption::equal_values; });
  return {claim.verdict, equal, !errs && verification->verified.outcome.faults.empty()};
}

/// Which answers may stand beside each other? Runs are few, so that other ways through the orders may not come to an end.
bool agree(const Answer& with, const Answer& without) {
  const auto denies = [](const Answer& claim, const Answer& other) {
    if (claim.verdict != Verdict::proven || other.verdict != Verdict::violated) return false;
    return !claim.takes_equal || !other.only_writes_race;
  };
  return !denies(with, without) && !denies(without, with);
}

struct LeftOut {
  std::string what;
  session::VerifyReductions others;
  unsigned needed = 0;  // claims that are bounded without
};
LeftOut left_out(const std::string& what) {
  LeftOut out{what, {}, 0};
  for (const auto& [name, reduction] : {std::pair{"known-bits", &session::VerifyReductions::known_bits},
                                        {"counting", &session::VerifyReductions::counting},
                                        {"both-ways", &session::VerifyReductions::both_sides}}) {
    if (what == name) out.others.*reduction = false;
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<LeftOut> ways = {{"all", session::kNoVerifyReductions}};
  for (int i = 2; i < argc; ++i) ways.push_back(left_out(argv[i]));
  unsigned wrong = 0;
  for (const std::filesystem::path& file : files) {
    const Answer with = answer(file, {});
    for (LeftOut& way : ways) {
      const Answer without = answer(file, way.others);
      if (with.verdict == Verdict::proven && without.verdict == Verdict::incomplete) ++way.needed;
      if (agree(with, without)) continue;
      ++wrong;
      fmt::print("{}: {}, without {}: {}\n", file.string(), claim::name_of(with.verdict), way.what,
                 claim::name_of(without.verdict));
    }
  }
  bool says_something = true;
  for (const LeftOut& way : ways) {
    fmt::print("{} tests, {} claims that need {}\n", files.size(), way.needed, way.what);
    says_something = says_something && way.needed > 0;
  }
  if (!says_something) fmt::print("which says too little\n");
  return wrong == 0 && says_something ? 0 : 1;
}
