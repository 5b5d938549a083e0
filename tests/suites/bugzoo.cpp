// SPDX-License-Identifier: Apache-2.0
// The bug zoo: reported synchronization bugs with the verdicts of their buggy and fixed forms.
//
// Every case has litmus/bugzoo/CASE+buggy.litmus and
// CASE+fixed.litmus (and variants). What those files state is checked with the rest of litmus/; here it is
// compared with the zoo's verdicts. A difference, and a form that has no file, must stand in
// bugzoo-differences.csv with its reason; a row there that is no longer true is an error too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "harness.h"
#include "input/litmus/parse.h"
#include "suites.h"
#include "tables.h"

namespace ptxmc::testing {
namespace {

struct Case {
  std::string id;
  std::map<std::string, std::string> verdicts;  ///< "buggy", "fixed" -> "allowed", "forbidden", "hang", "ub"
};

/// Section `## ID` of cases.md -> its code: what stands between lines of ```.
std::map<std::string, std::string> read_code(const std::string& text) {
  std::map<std::string, std::string> code;
  std::istringstream in(text);
  std::string id;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
    } else if (inside) {
      code[id] += line + '\n';
    } else if (line.starts_with("## ")) {
      id = line.substr(3);
    }
  }
  return code;
}

/// All cases, by id.
std::vector<Case> read_cases(const std::filesystem::path& zoo) {
  const auto code = read_code(read_file(zoo / "cases.md"));
  std::vector<Case> cases;
  for (const std::string& line : lines_of(read_file(zoo / "index.csv"))) {
    const auto fields = csv_fields(line);
    if (fields.size() != 6) throw std::runtime_error("index.csv: six fields expected: " + line);
    if (fields[0] == "id") continue;
    const auto found = code.find(fields[0]);
    if (found == code.end()) throw std::runtime_error("cases.md has no code for " + fields[0]);
    cases.push_back({fields[0], {{"buggy", fields[3]}, {"fixed", fields[4]}}});
  }
  return cases;
}

/// What a file states for the default model, in the zoo's words; "none" when it states nothing they could
/// mean.
std::string stated(const std::filesystem::path& path) {
  const litmus::Test test = litmus::parse(std::make_shared<Source>(Source{path.string(), read_file(path)}));
  if (test.name != path.stem().string())
    throw std::runtime_error(path.string() + ": the test is named " + test.name);
  for (const litmus::Verdict& verdict : test.verdicts) {
    if (!verdict.model.empty() || !verdict.proposition) continue;
    if (verdict.hangs.value_or(false)) return "hang";
    switch (*verdict.proposition) {
      case litmus::Stated::allowed:
        return "allowed";
      case litmus::Stated::forbidden:
        return "forbidden";
      case litmus::Stated::undefined:
        return "ub";
      case litmus::Stated::required:
      case litmus::Stated::unknown:
        return "none";
    }
  }
  return "none";
}

/// "CASE,FORM,ZOO,OURS" -> reason.
std::map<std::string, std::string> read_differences(const std::filesystem::path& path) {
  std::map<std::string, std::string> rows;
  for (const std::string& line : lines_of(read_file(path))) {
    const auto fields = csv_fields(line);
    if (fields.size() != 5 || fields[4].empty())
      throw std::runtime_error(path.string() + ": case,form,zoo,ours,reason expected: " + line);
    rows.emplace(fmt::format("{},{},{},{}", fields[0], fields[1], fields[2], fields[3]), fields[4]);
  }
  return rows;
}

/// Files that belong to no case of the zoo.
std::size_t check_names(const std::vector<std::filesystem::path>& files, const std::string& index) {
  std::size_t errors = 0;
  for (const std::filesystem::path& path : files) {
    const std::string stem = path.stem().string();
    if (index.find('\n' + stem.substr(0, stem.find('+')) + ',') != std::string::npos) continue;
    fmt::print("ERROR {}: the zoo has no such case\n", path.string());
    ++errors;
  }
  return errors;
}

}  // namespace

std::size_t bugzoo(const SuiteOptions& options) {
  const std::filesystem::path zoo = options.suites / "bugzoo", ours = options.litmus / "bugzoo";
  const std::filesystem::path table = options.data / "bugzoo-differences.csv";
  auto expected = read_differences(table);
  std::size_t errors = check_names(files_below(ours, ".litmus"), read_file(zoo / "index.csv"));
  std::size_t same = 0, different = 0;
  const std::vector<Case> cases = read_cases(zoo);
  for (const Case& one : cases) {
    for (const auto& [form, verdict] : one.verdicts) {
      const std::filesystem::path file = ours / fmt::format("{}+{}.litmus", one.id, form);
      const std::string found = std::filesystem::exists(file) ? stated(file) : "missing";
      if (found == verdict) {
        ++same;
        continue;
      }
      ++different;
      const std::string row = fmt::format("{},{},{},{}", one.id, form, verdict, found);
      const auto known = expected.find(row);
      if (known == expected.end()) {
        fmt::print("ERROR: a difference that {} does not list: {}\n", table.string(), row);
        ++errors;
        continue;
      }
      fmt::print("DIFFERS {}: {}\n", row, known->second);
      expected.erase(known);
    }
  }
  for (const auto& [row, reason] : expected) {
    fmt::print("ERROR: listed in {}, but there is no such difference: {}\n", table.string(), row);
    ++errors;
  }
  fmt::print("{} cases compared, {} forms with the zoo's verdict, {} without\n", cases.size(), same,
             different);
  return errors + (cases.size() < 20 ? 1 : 0);
}

}  // namespace ptxmc::testing
