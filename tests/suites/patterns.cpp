// SPDX-License-Identifier: Apache-2.0
// The shorthand patterns: verdicts, races, flags and endless waits of the default model, on both engines.
//
// A pattern is translated to a litmus text and judged; where the shorthand has no translation (operands of
// matrix instructions, tensor maps, grids), pattern-counterparts.csv names the test in litmus/ that says the
// same, and what that file states is compared. (That it states what the model says is checked elsewhere.)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "axiomatic/question/liveness.h"
#include "harness.h"
#include "input/litmus/parse.h"
#include "model/models.h"
#include "pattern_text.h"
#include "suites.h"
#include "tables.h"

namespace ptxmc::testing {
namespace {

struct Expectation {
  std::optional<bool> reachable;  ///< of `bad`
  std::optional<bool> race;
  bool no_execution = false;
  std::optional<bool> hangs;
  std::vector<std::pair<std::string, bool>> flags;
};

/// What the tests here can check; nothing when an expectation is of another kind.
std::optional<Expectation> understand(const std::vector<std::string>& words) {
  Expectation out;
  for (const std::string& word : words) {
    if (word == "allowed")
      out.reachable = true;
    else if (word == "forbidden")
      out.reachable = false;
    else if (word == "race")
      out.race = true;
    else if (word == "norace")
      out.race = false;
    else if (word == "noexec")
      out.no_execution = true;
    else if (word == "hang" || word == "nohang")
      out.hangs = word == "hang";
    else if (word.starts_with("flag:"))
      out.flags.emplace_back(word.substr(5), true);
    else if (word.starts_with("noflag:"))
      out.flags.emplace_back(word.substr(7), false);
    else
      return std::nullopt;
  }
  return out;
}

std::size_t expect(const std::string& name, Engine engine, const char* what, bool expected, Answer found) {
  if (found == (expected ? Answer::yes : Answer::no)) return 0;
  fmt::print("ERROR {}: {}: expected {}, {} says {}\n", name, what, expected ? "yes" : "no", name_of(engine),
             name_of(found));
  return 1;
}

/// Under a fair scheduler.
Answer hangs(Engine engine, const std::string& text, const relation::MemoryModel& model) {
  lower::Options options;
  options.liveness = lower::ProgressModel::fair;
  const Prepared prepared = prepare("liveness", text, options);
  const relation::MemoryModel live = check::with_progress(model, event::base_signature());
  const engine::Result result = solve(engine, query_for(prepared, live, engine::Ask::verdict));
  if (!result.states.empty()) return Answer::yes;
  return result.complete && !prepared.graph->cut ? Answer::no : Answer::unknown;
}

std::size_t check_pattern(const Pattern& pattern, const Expectation& expectation, const std::string& text,
                          const relation::MemoryModel& model) {
  const Prepared prepared = prepare(pattern.name, text, {});
  std::size_t errors = 0;
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    if (expectation.reachable) {
      errors += expect(pattern.name, engine, "bad is reachable", *expectation.reachable,
                       condition_holds(engine, prepared, model));
    }
    if (expectation.race) {
      errors += expect(pattern.name, engine, "there is a race", *expectation.race,
                       flag_raised(engine, prepared, model, "race"));
    }
    for (const auto& [flag, raised] : expectation.flags) {
      errors +=
          expect(pattern.name, engine, flag.c_str(), raised, flag_raised(engine, prepared, model, flag));
    }
    if (expectation.hangs) {
      errors += expect(pattern.name, engine, "somebody waits for ever", *expectation.hangs,
                       hangs(engine, text, model));
    }
    if (expectation.no_execution) {
      const bool none = solve(engine, query_for(prepared, model)).states.empty();
      errors += expect(pattern.name, engine, "there is an execution", false, none ? Answer::no : Answer::yes);
    }
  }
  Counts counts;
  if (const auto failure = compare_engines(prepared, model, {}, counts)) {
    fmt::print("ERROR {}: {}: {}\n", pattern.name, failure->kind, failure->detail);
    ++errors;
  }
  if (errors > 0) fmt::print("{}\n", text);
  return errors;
}

struct Counterpart {
  std::filesystem::path file;
  std::string reason;
  std::vector<std::string> readings;  ///< whose verdict is compared: none, or one
  bool by_races = false;  ///< bad is a product that may have any value: whether it can be stale is a race
};

/// By pattern.
std::map<std::string, Counterpart> read_counterparts(const SuiteOptions& options) {
  std::map<std::string, Counterpart> rows;
  for (const std::string& line : lines_of(read_file(options.data / "pattern-counterparts.csv"))) {
    const auto fields = csv_fields(line);
    if (fields.size() < 3 || fields.size() > 4 || fields[2].empty())
      throw std::runtime_error(
          "pattern-counterparts.csv: pattern,test,reason[,reading or `races`] expected: " + line);
    Counterpart row{options.litmus / (fields[1] + ".litmus"), fields[2], {fields.begin() + 3, fields.end()}};
    row.by_races = row.readings == std::vector<std::string>{"races"};
    if (row.by_races) row.readings.clear();
    rows.emplace(fields[0], std::move(row));
  }
  return rows;
}

/// What a file states for the default model, or for the manual that the suite is by, must be what is expected, where it is of the
/// kinds that a file states.
std::size_t check_counterpart(const Pattern& pattern, const Expectation& expectation,
                              const Counterpart& counterpart) {
  const std::string file = counterpart.file.string();
  const litmus::Test test = litmus::parse(std::make_shared<Source>(Source{file, read_file(file)}));
  // The suite is by the manual of PTX ISA 9.1; of its readings, its patterns tell this one.
  std::vector<std::string> of_9_1 = counterpart.readings;
  of_9_1.emplace_back("tcgen05-pairs=9.1");
  std::sort(of_9_1.begin(), of_9_1.end());
  const auto find = [&](const std::vector<std::string>& readings) {
    return std::find_if(test.verdicts.begin(), test.verdicts.end(),
                        [&](const litmus::Verdict& v) { return v.model.empty() && v.readings == readings; });
  };
  auto stated = find(of_9_1);
  if (stated == test.verdicts.end()) stated = find(counterpart.readings);
  if (stated == test.verdicts.end()) throw std::runtime_error(file + " states no verdict");
  std::size_t errors = 0;
  const auto compare = [&](const char* what, std::optional<bool> expected, std::optional<bool> found) {
    if (!expected || expected == found) return;
    fmt::print("ERROR {}: {}: expected {}, {} states {}\n", pattern.name, what, *expected, file,
               found ? (*found ? "true" : "false") : "nothing");
    ++errors;
  };
  const auto proposition = stated->proposition;
  compare("bad is reachable", expectation.reachable,
          counterpart.by_races ? stated->racy
          : proposition        ? std::optional(*proposition == litmus::Stated::allowed)
                               : std::nullopt);
  compare("there is a race", expectation.race, stated->racy);
  compare("somebody waits for ever", expectation.hangs,
          expectation.hangs == false ? stated->hangs.value_or(false) : stated->hangs);
  return errors;
}

std::size_t treat(const Pattern& pattern, const relation::MemoryModel& model,
                  const std::map<std::string, Counterpart>& counterparts, std::size_t& checked,
                  std::size_t& skipped) {
  const auto expectation = understand(pattern.expectations);
  if (const auto counterpart = counterparts.find(pattern.name);
      expectation && counterpart != counterparts.end()) {
    fmt::print("STATED {} by {}: {}\n", pattern.name, counterpart->second.file.string(),
               counterpart->second.reason);
    ++checked;
    return check_counterpart(pattern, *expectation, counterpart->second);
  }
  Translation translation = translate(pattern);
  if (!expectation) translation.unsupported = "expectation of another kind";
  if (!translation.unsupported.empty()) {
    fmt::print("SKIPPED {}: not supported here: {}\n", pattern.name, translation.unsupported);
    ++skipped;
    return 0;
  }
  ++checked;
  try {
    return check_pattern(pattern, *expectation, translation.litmus, model);
  } catch (const std::exception& error) {
    fmt::print("ERROR {}: {}\n{}\n", pattern.name, error.what(), translation.litmus);
    return 1;
  }
}

}  // namespace

std::size_t patterns(const SuiteOptions& options) {
  const relation::MemoryModel model =
      model::load(std::string(model::kDefaultProfile), event::base_signature());
  std::size_t errors = 0, checked = 0, skipped = 0;
  const auto counterparts = read_counterparts(options);
  for (const char* file :
       {"core.txt", "async.txt", "ring.txt", "tcgen05_canonical.txt", "../bugzoo/tests.txt"}) {
    for (const Pattern& pattern : read_patterns(read_file(options.suites / "patterns" / file))) {
      if (!options.only.empty() && pattern.name.find(options.only) == std::string::npos) continue;
      errors += treat(pattern, model, counterparts, checked, skipped);
    }
  }
  fmt::print("{} patterns checked, {} SKIPPED\n", checked, skipped);
  return errors + (checked < 180 && options.only.empty() ? 1 : 0);
}

}  // namespace ptxmc::testing
