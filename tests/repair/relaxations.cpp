// SPDX-License-Identifier: Apache-2.0
// relaxations TABLE FOLDER [PATTERN [--update]]: what `weaken` finds in the tests of a folder whose names have PATTERN in them.
// Whatever it relaxes, by itself or together, leaves what holds of the test as it was, judged by both engines; of what it relaxed
// together nothing more can be relaxed, and any of it that is put back changes nothing. The rows `| NAME | RELAXATIONS |` of TABLE say
// what is found in those tests: with a PATTERN in all of them, else in those that are free of races and forbid their outcome.
// --update writes them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "../slurp.h"
#include "input/litmus/parse.h"
#include "repair/change.h"
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

/// What holds of a test is the same.
bool alike(const repair::Found& a, const repair::Found& b) {
  return a.outcome == b.outcome && a.races == b.races && a.hangs == b.hangs && a.undefined == b.undefined &&
         a.vacuous == b.vacuous && a.findings == b.findings;
}

/// What was relaxed together, as changes of the test's sites.
repair::Changes changes_of(const repair::Weakened& weakened, const std::vector<repair::Site>& sites) {
  repair::Changes changes;
  for (std::size_t site = 0; site < sites.size(); ++site) {
    for (std::size_t k = 0; k < sites[site].options.size(); ++k) {
      const std::string& what = sites[site].options[k].what;
      if (std::find(weakened.together.begin(), weakened.together.end(), what) != weakened.together.end())
        changes.push_back({site, k});
    }
  }
  return changes;
}

/// As it stands in a table of Markdown.
std::string row_of(const repair::Weakened& weakened) {
  std::string out;
  for (const std::string& what : weakened.together) out += (out.empty() ? "" : "; ") + what;
  return out.empty() ? "minimal" : out;
}

class Checks {
 public:
  Checks(const std::string& table, bool all) : table_(slurp(table)), all_(all) {
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
      wrong += put_back(name, test, weakened);
    }
    if (!all_ && (!weakened.kept.outcome || !weakened.kept.race_free)) return wrong;
    const std::string row = fmt::format("| `{}` | {} |", name, row_of(weakened));
    rows_ += row + "\n";
    if (table_.find(row + "\n") == std::string::npos) wrong += fail("no row: " + row);
    return wrong;
  }

  int relaxed() const { return relaxed_; }
  int back() const { return back_; }
  const std::string& rows() const { return rows_; }

 private:
  /// Each of what was relaxed together, put back into the test that is relaxed, and all of it.
  int put_back(const std::string& name, const litmus::Test& test, const repair::Weakened& weakened) {
    const repair::Layout layout(test);
    const std::vector<repair::Site> sites = repair::relaxations(test, layout);
    const repair::Changes all = changes_of(weakened, sites);
    if (all.size() != weakened.together.size() || repair::changed(layout, sites, all) != weakened.text)
      return fail(name + ": what was relaxed is not the weakened text");
    int wrong = 0;
    const repair::Found least = repair::look(*both_, parsed(name, weakened.text), {});
    for (std::size_t k = 0; k < all.size(); ++k) {
      ++back_;
      repair::Changes rest = all;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      const std::string text = repair::changed(layout, sites, rest);
      if (!alike(repair::look(*both_, parsed(name, text), {}), least))
        wrong += fail(name + ": it changes something to undo " + weakened.together[k]);
    }
    if (!alike(repair::look(*both_, test, {}), least))
      wrong += fail(name + ": it changes something to undo it all");
    return wrong;
  }

  const std::string table_;
  const bool all_;
  std::string rows_;
  const session::Session session_{session::Settings{}};
  std::unique_ptr<session::Session> both_;
  int relaxed_ = 0, back_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail("usage: relaxations TABLE FOLDER [PATTERN [--update]]") + 1;
  const std::string pattern = argc > 3 ? argv[3] : "";
  Checks checks(argv[1], !pattern.empty());
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
  if (argc > 4 && std::string(argv[4]) == "--update") {
    std::ofstream(argv[1]) << "What `weaken` finds unnecessary in the fixed tests of the zoo, all together. "
                              "Written by `relaxations "
                              "TABLE FOLDER +fixed --update`.\n\n| test | relaxations |\n|---|---|\n"
                           << checks.rows();
    return 0;
  }
  if (checks.relaxed() == 0 || checks.back() == 0) wrong += fail("nothing was relaxed");
  std::cout << fmt::format("{} tests, {} relaxations, {} of them put back, {} mistakes\n", files.size(),
                           checks.relaxed(), checks.back(), wrong);
  return wrong == 0 ? 0 : 1;
}
