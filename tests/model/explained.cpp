// SPDX-License-Identifier: Apache-2.0
// explained: are explanations true? For every litmus test whose outcome no execution has, the other engine is
// asked, with a model text of just the axioms that the explanation names: together they forbid the outcome,
// and without any one of them it is reached. Each comes with an execution and edges that say something.
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "axiomatic/event/base.h"
#include "explain/explain.h"
#include "explain/sentences.h"
#include "harness.h"
#include "model/models.h"
#include "report/text/explain.h"

namespace {

using namespace ptxmc;
using namespace ptxmc::testing;
using explain::Explanation;

constexpr int kDepth = 3;

struct Tally {
  std::size_t tests = 0, forbidden = 0, reachable = 0, impossible = 0, open = 0, not_minimal = 0, errors = 0;
};

relation::MemoryModel with_axioms(const relation::MemoryModel& model, const std::vector<std::string>& names) {
  relation::MemoryModel out = model;
  std::erase_if(out.axioms, [&](const relation::Constraint& axiom) {
    return std::find(names.begin(), names.end(), axiom.name) == names.end();
  });
  return out;
}

/// Does SMT find an execution with the outcome?
Answer reached(const Prepared& prepared, const relation::MemoryModel& model) {
  const engine::Query query = query_for(prepared, model, engine::Ask::verdict);
  const engine::Result result = solve(Engine::smt, query);
  if (!result.states.empty()) return Answer::yes;
  return result.complete ? Answer::no : Answer::unknown;
}

class Auditor {
 public:
  explicit Auditor(const relation::MemoryModel& model) : model_(model) {}

  void audit(const std::filesystem::path& file) {
    ++tally.tests;
    name_ = file.string();
    const Prepared prepared = prepare(file.string(), read_file(file), {});
    const engine::Query query = query_for(prepared, model_, engine::Ask::verdict);
    const engine::Result decided = solve(Engine::explicit_, query);
    const Explanation explanation = explain::explain(
        query, decided, [](const engine::Query& asked) { return solve(Engine::explicit_, asked); });
    for (const std::string& problem : explanation.problems) error(problem);
    switch (explanation.kind) {
      case Explanation::Kind::reachable:
        ++tally.reachable;
        if (!explanation.state) error("no execution of an allowed outcome");
        return;
      case Explanation::Kind::impossible:
        ++tally.impossible;
        if (reached(prepared, with_axioms(model_, {})) == Answer::yes) error("reached where no axiom holds");
        return;
      case Explanation::Kind::unknown:
        ++tally.open;
        if (decided.complete) error("a decided outcome is not explained: " + explanation.reason);
        return;
      case Explanation::Kind::forbidden:
        ++tally.forbidden;
        return check_forbidden(prepared, explanation);
    }
  }

  Tally tally;

 private:
  void error(const std::string& what) {
    fmt::print("ERROR {}: {}\n", name_, what);
    ++tally.errors;
  }

  void check_forbidden(const Prepared& prepared, const Explanation& explanation) {
    if (explanation.axioms.empty()) error("no axiom is named");
    if (!explanation.minimal) {  // the report says so
      ++tally.not_minimal;
      fmt::print("PERHAPS NOT MINIMAL {}\n", name_);
      return;
    }
    std::vector<std::string> names;
    bool final_value = false;
    for (const explain::Violation& violation : explanation.axioms) {
      names.push_back(violation.axiom);
      final_value = final_value || violation.shape == explain::Shape::final_value;
      check_violation(prepared, violation);
    }
    for (const explain::Violation& violation : explanation.alternatives) {
      check_violation(prepared, violation);
      if (reached(prepared, with_axioms(model_, {violation.axiom})) == Answer::yes)
        error(violation.axiom + " does not forbid the outcome by itself");
    }
    if (reached(prepared, with_axioms(model_, names)) == Answer::yes)
      error("the axioms named do not forbid it");
    if (final_value) return;  // what makes a value final is no axiom that a text could leave out
    for (const std::string& name : names) {
      std::vector<std::string> fewer = names;
      std::erase(fewer, name);
      if (reached(prepared, with_axioms(model_, fewer)) == Answer::no) error(name + " is not needed");
    }
  }

  void check_violation(const Prepared& prepared, const explain::Violation& violation) {
    if (!violation.state) return error("no execution violates " + violation.axiom);
    const auto lines = explain::lines_of(*prepared.graph, violation.state->witness, violation.chain, kDepth);
    const bool element = violation.shape == explain::Shape::element && violation.at != event::kNoEvent;
    if (lines.empty() && !element) error("nothing is said of how an execution violates " + violation.axiom);
  }

  const relation::MemoryModel& model_;
  std::string name_;
};

}  // namespace

int main() try {
  const relation::MemoryModel model =
      model::load(std::string(model::kDefaultProfile), event::base_signature());
  Auditor auditor(model);
  for (const std::filesystem::path& file : files_below(PTXMC_LITMUS_DIR, ".litmus")) auditor.audit(file);
  const Tally& tally = auditor.tally;
  fmt::print(
      "{} tests: {} reachable, {} forbidden, {} impossible, {} open, {} perhaps not minimal; {} errors\n",
      tally.tests, tally.reachable, tally.forbidden, tally.impossible, tally.open, tally.not_minimal,
      tally.errors);
  const bool mostly_minimal = tally.not_minimal * 20 <= tally.forbidden;
  return tally.errors == 0 && tally.forbidden > 0 && mostly_minimal ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print("ERROR: {}\n", error.what());
  return 1;
}
