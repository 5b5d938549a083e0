// SPDX-License-Identifier: Apache-2.0
// verified_reductions DIR REDUCTION...: what `verify` says of the tests in a folder, and what it says without its reductions, one of
// these or all: no claim about all schedules of the one is denied by a finding of the other.
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
#include "input/litmus/parse.h"
#include "session/verify.h"
#include "support/diagnostic.h"

namespace {

using namespace ptxmc;
using claim::Verdict;

constexpr std::size_t kFewOrders = 16;  // fewer than there are of turns that do not count
constexpr double kSeconds = 20;

Verdict answer(const std::filesystem::path& file, session::VerifyReductions reductions) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(Source{file.string(), text}));
  session::VerifySettings settings;
  settings.timeout = kSeconds;
  settings.choices = kFewOrders;
  settings.reductions = reductions;
  return claim::verdict_of(session::verify(task, settings)->verified);
}

/// Which answers may stand beside each other? Runs are few, so that other ways through the orders may not come to an end.
bool agree(Verdict with, Verdict without) {
  const auto denies = [](Verdict claim, Verdict other) {
    return claim == Verdict::proven && other == Verdict::violated;
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
                                        {"both-ways", &session::VerifyReductions::both_ways}}) {
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
    const Verdict with = answer(file, {});
    for (LeftOut& way : ways) {
      const Verdict without = answer(file, way.others);
      if (with == Verdict::proven && without == Verdict::incomplete) ++way.needed;
      if (agree(with, without)) continue;
      ++wrong;
      fmt::print("{}: {}, without {}: {}\n", file.string(), claim::name_of(with), way.what,
                 claim::name_of(without));
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
