// SPDX-License-Identifier: Apache-2.0
// verified_grids DIR: what `verify` says of the launches in a folder from some of their blocks, and what it says of all of them. What the one
// proves the other proves, and it finds nothing in what the other proves.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/claim/claim.h"
#include "input/launch/launch.h"
#include "input/launch/plan_file.h"
#include "session/cta_selection.h"
#include "session/launched.h"
#include "session/verify.h"
#include "support/diagnostic.h"

namespace {

using namespace ptxmc;
using claim::Verdict;

std::shared_ptr<const Source> read(const std::filesystem::path& file) {
  std::ifstream in(file);
  return std::make_shared<const Source>(
      Source{file.string(), std::string{std::istreambuf_iterator<char>(in), {}}});
}

struct Answer {
  Verdict verdict = Verdict::incomplete;
  std::size_t ran = 0;  // blocks, where those were not all
};

Answer answer(const std::filesystem::path& file, bool of_all) {
  const launch::Plan plan = launch::read_plan(read(file));
  const auto module = read(std::filesystem::path(file).replace_extension(".ptx"));
  const session::ReadCtas read_ctas = [&](const launch::Choice& choice, launch::Beside& beside) {
    return session::task_of(session::launched(module, plan, choice, &beside), beside);
  };
  session::VerifySettings settings;
  settings.small_runs_whole = false;
  launch::Beside beside;
  const explore::VerificationTask task =
      of_all ? read_ctas(session::widest_choice(), beside) : session::choose_ctas(read_ctas, settings);
  const auto verification = session::verify(task, settings);
  return {claim::verdict_of(verification->verified), verification->verified.ctas.size()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  unsigned wrong = 0, proven = 0, of_some = 0, all_proven = 0, found = 0, all_found = 0;
  for (const std::filesystem::path& file : files) {
    try {
      const Answer some = answer(file, false), all = answer(file, true);
      of_some += some.verdict == Verdict::proven && some.ran != 0 ? 1 : 0;
      proven += some.verdict == Verdict::proven ? 1 : 0;
      all_proven += all.verdict == Verdict::proven ? 1 : 0;
      found += some.verdict == Verdict::violated ? 1 : 0;
      all_found += all.verdict == Verdict::violated ? 1 : 0;
      const bool denied = some.verdict == Verdict::proven && all.verdict != Verdict::proven;
      const bool invented = some.verdict == Verdict::violated && all.verdict == Verdict::proven;
      if (!denied && !invented) continue;
      ++wrong;
      fmt::print("{}: {} of some blocks, {} of all\n", file.string(), claim::name_of(some.verdict),
                 claim::name_of(all.verdict));
    } catch (const InputError& error) {
      ++wrong;
      fmt::print("{}: {}\n", file.string(), error.what());
    }
  }
  fmt::print(
      "{} launches: of {} exact ones {} are from some blocks, all of whose are {}; {} with findings, of all {}\n",
      files.size(), proven, of_some, all_proven, found, all_found);
  const bool says_something = of_some * 20 > files.size() && found * 20 > files.size();
  if (!says_something) fmt::print("which says too little\n");
  return wrong == 0 && says_something ? 0 : 1;
}
