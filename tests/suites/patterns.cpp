// SPDX-License-Identifier: Apache-2.0
// The shorthand patterns: verdicts and races of the default model, on both engines.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness.h"
#include "model/models.h"
#include "pattern_text.h"
#include "suites.h"

namespace ptxmc::testing {
namespace {

struct Expectation {
  std::optional<bool> reachable;  ///< of `bad`
  std::optional<bool> race;
  bool no_execution = false;
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
    else if (word == "hang")
      continue;  // of executions that do not end; see noexec
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
                       flag_raised(engine, prepared, model, "data-race"));
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

}  // namespace

std::size_t patterns(const SuiteOptions& options) {
  const relation::MemoryModel model =
      model::load(std::string(model::kDefaultProfile), event::base_signature());
  std::size_t errors = 0, checked = 0, skipped = 0;
  for (const Pattern& pattern : read_patterns(read_file(options.suites / "patterns" / "core.txt"))) {
    const auto expectation = understand(pattern.expectations);
    Translation translation = translate(pattern);
    if (!expectation) translation.unsupported = "expectation of another kind";
    if (!translation.unsupported.empty()) {
      fmt::print("SKIPPED {}: not supported here: {}\n", pattern.name, translation.unsupported);
      ++skipped;
      continue;
    }
    ++checked;
    try {
      errors += check_pattern(pattern, *expectation, translation.litmus, model);
    } catch (const std::exception& error) {
      fmt::print("ERROR {}: {}\n{}\n", pattern.name, error.what(), translation.litmus);
      ++errors;
    }
  }
  fmt::print("{} patterns checked, {} SKIPPED\n", checked, skipped);
  return errors + (checked < 40 ? 1 : 0);
}

}  // namespace ptxmc::testing
