// SPDX-License-Identifier: Apache-2.0
// bugzoo FOLDER TABLE [--update] [NAME]: repairs every BUG+buggy.litmus of the folder so that what its BUG+fixed.litmus states
// holds, and says what the cheapest repair is. The table has a row for each; what differs from it is an error. A repair is
// proven by find_repairs(), and judged here again by both engines. README.md beside the table has a row for each whose repair is dearer
// than what upstream did. With a NAME, part of the names of bugs, each one's processor time
// is told.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "../slurp.h"
#include "input/litmus/parse.h"
#include "ptx/program/print.h"
#include "repair/repair.h"
#include "repair/weaken.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using testing::slurp;

namespace {

litmus::Test read(const std::filesystem::path& path) {
  return litmus::parse(std::make_shared<const Source>(Source{path.filename().string(), slurp(path)}));
}

/// What the repaired form states, or does, and the buggy one does not.
repair::Wanted wanted_of(const litmus::Test& buggy, const litmus::Test& fixed, const repair::Found& now,
                         const repair::Found& then) {
  repair::Wanted out;
  const bool same =
      buggy.property.condition && fixed.property.condition &&
      program::print_condition_line(buggy.property) == program::print_condition_line(fixed.property);
  out.outcome = now.outcome == true && then.outcome == false && same;
  out.race_free = now.races != false && then.races == false;
  out.terminates = now.hangs == true && then.hangs == false;
  out.defined = now.undefined;
  if (!out.nothing()) return out;
  for (const std::string& name : now.findings) {
    if (std::find(then.findings.begin(), then.findings.end(), name) == then.findings.end())
      out.without.push_back(name);
  }
  return out;
}

/// The cost of all instructions, in nanoseconds; nothing: the table lacks one that is no plain arithmetic.
double cost_of(const litmus::Test& test, bool measured) {
  double sum = 0;
  for (const program::Thread& thread : test.threads) {
    for (const program::Instruction& instruction : thread.code()) {
      std::string_view text = instruction.text;
      if (text.starts_with("@")) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
      const std::string_view name = text.substr(0, text.find_first_of(" ;"));
      if (name.empty()) continue;
      sum += measured ? repair::Costs::shipped().of(name).value_or(0) : repair::strength(name);
    }
  }
  return sum;
}

/// Is the cheapest repair no dearer than what upstream did, by the table of costs, or else by strength? A repair takes nothing away,
/// as upstream may do; `weaken` does.
std::string beside_fix(const session::Session& both, const litmus::Test& fixed,
                       const repair::Repairs& found) {
  repair::Wanted wanted = found.wanted;
  wanted.outcome = false;  // the fixed file may ask of another outcome
  if (!repair::look(both, fixed, {}).has(wanted)) return "the fix does not hold";
  const auto source = std::make_shared<const Source>(Source{"repaired", found.repairs.front().text});
  const litmus::Test repaired = litmus::parse(source);
  constexpr double kSame = 0.01;
  const double most = cost_of(fixed, found.measured) + kSame;
  if (cost_of(repaired, found.measured) <= most) return "no dearer than the fix";
  const repair::Weakened weakened = repair::weaken(both, repaired, repair::Costs::shipped(), {});
  const auto text = std::make_shared<const Source>(Source{"weakened", weakened.text});
  return cost_of(litmus::parse(text), found.measured) <= most ? "no dearer than the fix once weakened"
                                                              : "dearer than the fix";
}

const std::string kNothing = "nothing is wrong";

struct Row {
  std::string text;    ///< "1 change: P0 behind line 7: put in fence.acq_rel.gpu"
  double seconds = 0;  ///< of a processor, for the search
};

Row row_under(const session::Settings& settings, const litmus::Test& buggy, const litmus::Test& fixed,
              const std::string& bug) {
  const session::Session session(settings);
  session::Settings by_both = settings;
  by_both.engine = session::EngineChoice::both;
  const session::Session both(by_both);
  repair::Asked asked;
  asked.wanted = wanted_of(buggy, fixed, repair::look(session, buggy, {}), repair::look(session, fixed, {}));
  const std::clock_t start = std::clock();
  const repair::Repairs repairs = find_repairs(session, buggy, asked);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (repairs.wanted.nothing()) return {kNothing, seconds};
  if (repairs.repairs.empty()) return {repairs.open ? "unknown" : "none", seconds};
  for (const repair::Repair& repair : repairs.repairs) {
    const auto source = std::make_shared<const Source>(Source{bug, repair.text});
    if (!repair::look(both, litmus::parse(source), {}).has(repairs.wanted))
      return {"the engines refute: " + repair.what.front(), seconds};
  }
  std::string out = fmt::format("{}: ", repairs.wanted.text(buggy));
  for (const std::string& what : repairs.repairs.front().what)
    out += (out.ends_with(": ") ? "" : " + ") + what;
  return {fmt::format("{} ({})", out, beside_fix(both, fixed, repairs)), seconds};
}

/// By default, or else under the first reading for which the buggy form states that something is wrong.
Row row_of(const std::filesystem::path& folder, const std::string& bug) {
  const litmus::Test buggy = read(folder / (bug + "+buggy.litmus")),
                     fixed = read(folder / (bug + "+fixed.litmus"));
  Row row = row_under({}, buggy, fixed, bug);
  for (const litmus::Verdict& verdict : buggy.verdicts) {
    if (row.text != kNothing || !verdict.model.empty() || verdict.readings.size() != 1) continue;
    session::Settings settings;
    const std::string& reading = verdict.readings.front();
    settings.readings.set(reading);
    row = row_under(settings, buggy, fixed, bug);
    if (row.text != kNothing) row.text = reading + ": " + row.text;
  }
  return row;
}

std::map<std::string, std::string> table_of(const std::string& path) {
  std::map<std::string, std::string> out;
  std::istringstream in(slurp(path));
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find(" | ");
    if (!line.starts_with("#") && tab != std::string::npos) out[line.substr(0, tab)] = line.substr(tab + 3);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argv[1];
  const std::string table = argv[2], only = argc > 3 ? argv[3] : "";
  std::vector<std::string> bugs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("+buggy.litmus")) bugs.push_back(name.substr(0, name.size() - 13));
  }
  std::sort(bugs.begin(), bugs.end());
  std::map<std::string, std::string> expected = table_of(table);
  const std::string argument = slurp((std::filesystem::path(table).parent_path() / "README.md").string());
  std::string written;
  int wrong = 0;
  for (const std::string& bug : bugs) {
    if (!only.empty() && only != "--update" && bug.find(only) == std::string::npos) continue;
    Row row;
    try {
      row = row_of(folder, bug);
    } catch (const InputError& error) {
      row.text = std::string("error: ") + error.what();
    }
    written += bug + " | " + row.text + "\n";
    if (!only.empty()) std::cerr << fmt::format("{:.2f} s  {} | {}\n", row.seconds, bug, row.text);
    const bool argued = argument.find("| `" + bug + "` |") != std::string::npos;
    if (argued != (row.text.ends_with("(dearer than the fix)") || row.text.ends_with("once weakened)"))) {
      ++wrong;
      std::cout << bug
                << (argued ? ": README.md has a row that it needs no more\n"
                           : ": README.md has no row of why it is dearer\n");
    }
    if (expected[bug] == row.text) continue;
    ++wrong;
    std::cout << bug << "\n  table: " << expected[bug] << "\n  found: " << row.text << "\n";
  }
  if (only == "--update") {
    std::ofstream(table) << "# BUG | what is wanted: the cheapest repair, and whether it costs more than "
                            "what upstream did. Written by "
                            "`bugzoo FOLDER TABLE --update`.\n"
                         << written;
    return 0;
  }
  std::cout << fmt::format("{} of {} bugs are repaired as the table says\n",
                           bugs.size() - static_cast<std::size_t>(wrong), bugs.size());
  return wrong == 0 ? 0 : 1;
}
