// SPDX-License-Identifier: Apache-2.0
// rule_table: are the tables of src/model/rules.md true?
//
// A rule is a sentence of the manual that says what a program may rely on: R1, R2 ... without a gap. A row is
// either outside the model, with a reason and without tests; or it names where it is (`NAME.cat: DEFINITION`,
// `base: ROW`, `reading: NAME`, or a file of the repository) and tests of litmus/ that state an allowed and a
// forbidden verdict (or `golden/NAME`, a case of tests/golden). That the tests meet their verdicts is checked
// where they run. `refused`: a breach is an error of the test; then tests/unit/lower/refused_test.cpp has a
// row of that rule, and whoever has one there is `refused` here. Rows by section name places and tests of
// whatever verdict. Each value of each reading, too, has a test that states its verdict there.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/event/base.h"
#include "input/litmus/parse.h"
#include "model/models.h"
#include "support/diagnostic.h"

namespace {

using namespace ptxmc;
namespace fs = std::filesystem;

constexpr std::size_t kRules = 299;
constexpr std::size_t kFewestSections = 3;
constexpr std::size_t kSectionCells = 4;  // section, what, where, tests
constexpr std::size_t kCells = 6;         // rule, section, what, where, allowed, forbidden
const char* const kRefused = "tests/unit/lower/refused_test.cpp";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    const std::size_t begin = part.find_first_not_of(' ');
    const std::size_t end = part.find_last_not_of(' ');
    parts.push_back(begin == std::string::npos ? "" : part.substr(begin, end - begin + 1));
  }
  return parts;
}

/// What stands between backquotes.
std::vector<std::string> quoted(const std::string& cell) {
  const std::vector<std::string> parts = split(cell, '`');
  std::vector<std::string> out;
  for (std::size_t i = 1; i < parts.size(); i += 2) out.push_back(parts[i]);
  return out;
}

enum class Side : std::uint8_t { allowed, forbidden };

/// A verdict of the side: that something happens, or that nothing else does.
bool speaks_for(const litmus::Verdict& verdict, Side side) {
  if (verdict.racy == (side == Side::allowed)) return true;
  if (!verdict.proposition) return false;
  const litmus::Stated stated = *verdict.proposition;
  if (side == Side::allowed) return stated == litmus::Stated::allowed || stated == litmus::Stated::undefined;
  return stated == litmus::Stated::forbidden || stated == litmus::Stated::required;
}

class RuleTable {
 public:
  explicit RuleTable(fs::path top) : top_(std::move(top)) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top_ / "litmus")) {
      if (entry.path().extension() != ".litmus") continue;
      const std::string name = fs::relative(entry.path(), top_ / "litmus").replace_extension("").string();
      tests_.emplace(name, litmus::parse(std::make_shared<const Source>(
                                             Source{entry.path().string(), read_file(entry.path())}))
                               .verdicts);
    }
  }

  int run(const fs::path& rules, const fs::path& readme) {
    bool by_rule = false, by_section = false;
    for (const std::string& line : split(read_file(rules), '\n')) {
      const std::vector<std::string> cells = split(line, '|');
      const std::string first = cells.size() > 1 ? cells[1] : "";
      by_rule = first == "rule" || (by_rule && !line.empty());
      by_section = first == "section" || (by_section && !line.empty());
      if (first == "rule" || first == "section" || first.starts_with("---")) continue;
      if (by_rule) row({cells.begin() + 1, cells.end()});
      if (by_section) section({cells.begin() + 1, cells.end()});
    }
    if (sections_ < kFewestSections) error(fmt::format("{} rows by section", sections_));
    if (rules_ != kRules) error(fmt::format("{} rules, there are {}", rules_, kRules));
    for (const std::string& rule : refused_rows()) {
      if (!refused_.contains(rule))
        error(fmt::format("{}: has a row in {} and is not refused", rule, kRefused));
    }
    readings(read_file(readme));
    fmt::print("{} rules, {} implemented, {} refused, {} outside, {} errors\n", rules_,
               rules_ - only_refused_ - outside_, only_refused_, outside_, errors_);
    return errors_ == 0 ? 0 : 1;
  }

 private:
  void error(const std::string& message) {
    ++errors_;
    fmt::print("ERROR: {}\n", message);
  }

  void row(const std::vector<std::string>& cells) {
    rule_ = cells[0];
    ++rules_;
    if (rule_ != fmt::format("R{}", rules_)) error(fmt::format("found {}, expected R{}", rule_, rules_));
    if (cells.size() != kCells)
      return error(fmt::format("{}: {} cells, expected {}", rule_, cells.size(), kCells));
    const bool section = !cells[1].empty() && cells[1].find_first_not_of("0123456789.") == std::string::npos;
    if (!section) error(rule_ + ": no section");
    if (cells[2].empty()) error(rule_ + ": says nothing");
    if (cells[3].starts_with("outside: ")) {
      ++outside_;
      if (cells[4] != "-" || cells[5] != "-") error(rule_ + ": outside, but has tests");
      return;
    }
    const std::vector<std::string> places = quoted(cells[3]);
    if (places.empty()) error(rule_ + ": neither outside nor anywhere");
    for (const std::string& place : places) check_place(place);
    if (places.size() == 1 && places.front() == "refused" && cells[4] == "-" && cells[5] == "-") {
      ++only_refused_;
      return;
    }
    check_tests(cells[4], Side::allowed);
    check_tests(cells[5], Side::forbidden);
  }

  void section(const std::vector<std::string>& cells) {
    rule_ = cells[0];
    ++sections_;
    if (cells.size() != kSectionCells)
      return error(fmt::format("{}: {} cells, expected {}", rule_, cells.size(), kSectionCells));
    if (quoted(cells[2]).empty() || quoted(cells[3]).empty()) error(rule_ + ": without a place or a test");
    for (const std::string& place : quoted(cells[2])) check_place(place);
    for (const std::string& name : quoted(cells[3])) {
      if (!tests_.contains(name)) error(fmt::format("{}: no test {}", rule_, name));
    }
  }

  /// The rules that have a row in the test of what is refused: `"R22"`.
  std::set<std::string> refused_rows() const {
    std::set<std::string> rules;
    const std::vector<std::string> parts = split(read_file(top_ / kRefused), '"');
    for (const std::string& part : parts) {
      const bool number = part.size() > 1 && part.find_first_not_of("0123456789", 1) == std::string::npos;
      if (part.starts_with('R') && number) rules.insert(part);
    }
    return rules;
  }

  void check_place(const std::string& place) {
    if (place == "refused") {
      refused_.insert(rule_);
      if (!refused_rows().contains(rule_)) error(fmt::format("{}: no row in {}", rule_, kRefused));
      return;
    }
    const std::size_t colon = place.find(": ");
    if (colon == std::string::npos) {
      if (!fs::is_regular_file(top_ / place)) error(fmt::format("{}: no file {}", rule_, place));
      return;
    }
    const std::string kind = place.substr(0, colon);
    const std::string name = place.substr(colon + 2);
    if (kind == "base") {
      if (!event::base_signature().find(name)) error(fmt::format("{}: no base row {}", rule_, name));
    } else if (kind == "reading") {
      const auto& all = model::readings();
      if (std::none_of(all.begin(), all.end(), [&](const model::Reading& r) { return r.name == name; }))
        error(fmt::format("{}: no reading {}", rule_, name));
    } else if (!defined_in(kind).contains(name)) {
      error(fmt::format("{}: {} has no definition, axiom, flag or order {}", rule_, kind, name));
    }
  }

  const std::set<std::string>& defined_in(const std::string& file) {
    const auto [found, is_new] = definitions_.try_emplace(file);
    const SourcePtr text = is_new ? model::text_of(file) : nullptr;
    if (!text) return found->second;
    const relation::MemoryModel model =
        cat::read(text, event::base_signature(), model::text_of, model::conditions());
    for (const auto& definition : model.definitions) found->second.insert(definition.name);
    for (const auto& order : model.orders) found->second.insert(order.name);
    for (const auto& axiom : model.axioms) found->second.insert(axiom.name);
    for (const auto& flag : model.flags) found->second.insert(flag.name);
    return found->second;
  }

  void check_tests(const std::string& cell, Side side) {
    const char* word = side == Side::allowed ? "an allowed" : "a forbidden";
    const std::vector<std::string> names = quoted(cell);
    if (names.empty()) error(fmt::format("{}: without {} test", rule_, word));
    for (const std::string& name : names) {
      if (name.starts_with("golden/")) {
        if (!fs::is_regular_file(top_ / "tests" / (name + ".case")))
          error(fmt::format("{}: no {}", rule_, name));
        continue;
      }
      const auto found = tests_.find(name);
      if (found == tests_.end()) {
        error(fmt::format("{}: no test {}", rule_, name));
      } else if (std::none_of(found->second.begin(), found->second.end(),
                              [&](const litmus::Verdict& v) { return speaks_for(v, side); })) {
        error(fmt::format("{}: {} states no verdict of {} test", rule_, name, word));
      }
    }
  }

  void readings(const std::string& text) {
    for (const model::Reading& reading : model::readings()) {
      if (text.find(fmt::format("`{}`", reading.name)) == std::string::npos)
        error(fmt::format("reading {} is not described", reading.name));
      for (std::size_t v = 1; v < reading.values.size(); ++v) {
        const std::string assignment = fmt::format("{}={}", reading.name, reading.values[v]);
        const std::vector<std::string> wanted{assignment};
        const bool tested = std::any_of(tests_.begin(), tests_.end(), [&](const auto& test) {
          return std::any_of(test.second.begin(), test.second.end(),
                             [&](const litmus::Verdict& verdict) { return verdict.readings == wanted; });
        });
        if (!tested) error(fmt::format("no test states a verdict for {}", assignment));
      }
    }
  }

  fs::path top_;
  std::map<std::string, std::vector<litmus::Verdict>> tests_;  // by path below litmus/, without extension
  std::map<std::string, std::set<std::string>> definitions_;   // by model text
  std::set<std::string> refused_;
  std::string rule_;
  std::size_t rules_ = 0, sections_ = 0, outside_ = 0, only_refused_ = 0, errors_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "rule_table TOP RULES.md README.md\n");
    return 2;
  }
  try {
    return RuleTable(argv[1]).run(argv[2], argv[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rule_table: {}\n", error.what());
    return 2;
  }
}
