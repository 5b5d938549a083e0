// SPDX-License-Identifier: Apache-2.0
// relaxations TABLE FOLDER [PATTERN]: what `weaken` finds in the tests of a folder whose names have PATTERN in them. Whatever it
// relaxes, by itself or together, leaves what holds of the test as it was, judged by both engines; of what it relaxed together
// nothing more can be relaxed. Where TABLE is not "-", its rows `| NAME | RELAXATIONS |` say what is found in those tests that are
// free of races and forbid their outcome.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "../slurp.h"
#include "litmus/parse.h"
#include "repair/weaken.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using testing::slurp;

namespace {

litmus::Test parsed(const std::string& name, const std::string& text) {
  return litmus::parse(std::make_shared<const Source>(Source{name, text}));
}

int fail(const std::string& what) {
  std::cout << what << "\n";
  return 1;
}

/// As it stands in a table of Markdown.
std::string row_of(const repair::Weakened& weakened) {
  std::string out;
  for (const std::string& what : weakened.together) out += (out.empty() ? "" : "; ") + what;
  return out.empty() ? "minimal" : out;
}

class Checks {
 public:
  Checks(const std::string& table) : table_(table == "-" ? "" : slurp(table)), listed_(table != "-") {
    session::Settings settings;
    settings.engine = session::EngineChoice::both;
    both_ = std::make_unique<session::Session>(settings);
  }

  int check(const std::filesystem::path& path) {
    const std::string name = path.stem().string();
    const litmus::Test test = parsed(path.filename().string(), slurp(path));
    const repair::Weakened weakened = repair::weaken(session_, test, repair::Costs::shipped(), {});
    if (!weakened.kept.outcome && !weakened.kept.race_free && !weakened.kept.terminates) return 0;
    int wrong = 0;
    for (const repair::Relaxation& relaxation : weakened.single) {
      ++relaxed_;
      if (!repair::look(*both_, parsed(name, relaxation.text), {}).has(weakened.kept))
        wrong += fail(name + ": it does not hold after " + relaxation.what);
    }
    if (!weakened.together.empty()) {
      const litmus::Test after = parsed(name, weakened.text);
      if (!repair::look(*both_, after, {}).has(weakened.kept))
        wrong += fail(name + ": not all of it together");
      const repair::Weakened again = repair::weaken(session_, after, repair::Costs::shipped(), {});
      if (!again.single.empty()) wrong += fail(name + ": and more: " + again.single.front().what);
    }
    if (!listed_ || !weakened.kept.outcome || !weakened.kept.race_free) return wrong;
    const std::string row = fmt::format("| `{}` | {} |", name, row_of(weakened));
    if (table_.find(row + "\n") == std::string::npos) wrong += fail("no row: " + row);
    return wrong;
  }

  int relaxed() const { return relaxed_; }

 private:
  const std::string table_;
  const bool listed_;
  const session::Session session_{session::Settings{}};
  std::unique_ptr<session::Session> both_;
  int relaxed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail("usage: relaxations TABLE FOLDER [PATTERN]; TABLE may be -") + 1;
  const std::string pattern = argc > 3 ? argv[3] : "";
  Checks checks(argv[1]);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) {
    const bool taken = entry.path().extension() == ".litmus" &&
                       entry.path().filename().string().find(pattern) != std::string::npos;
    if (taken) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int wrong = 0;
  for (const std::filesystem::path& file : files) {
    try {
      wrong += checks.check(file);
    } catch (const InputError& error) {
      wrong += fail(error.what());
    }
  }
  if (checks.relaxed() == 0) wrong += fail("nothing was relaxed");
  std::cout << fmt::format("{} tests, {} relaxations, {} mistakes\n", files.size(), checks.relaxed(), wrong);
  return wrong == 0 ? 0 : 1;
}
