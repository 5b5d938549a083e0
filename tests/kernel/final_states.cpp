// SPDX-License-Identifier: Apache-2.0
// final_states LEAST FOLDER...: runs every litmus test below the folders once (src/dynamic/exec), and asks the model whether it
// allows the state that the run ends in. Fails where it does not, and where fewer than LEAST tests could be asked about.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "axiomatic/event/base.h"
#include "dynamic/exec/run.h"
#include "face/cli/inputs.h"
#include "session/analysis.h"
#include "support/diagnostic.h"
#include "support/overloaded.h"

namespace ptxmc {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1}
                                   << 29U;  // numbers that are no addresses, and have no sign
constexpr double kSeconds = 10;             // for one question

using Names = std::map<std::pair<std::optional<int>, std::pair<std::string, std::optional<std::uint32_t>>>,
                       program::StateName>;

void add(const program::StateName& name, Names& names) {
  names.emplace(std::pair{name.thread, std::pair{name.name, name.element}}, name);
}

void collect(const program::ConditionPtr& condition, Names& names) {
  if (!condition) return;
  const auto all = [&](const std::vector<program::ConditionPtr>& parts) {
    for (const program::ConditionPtr& part : parts) collect(part, names);
  };
  std::visit(Overloaded{[&](const program::Comparison& comparison) {
                          for (const program::ConditionTerm& term : {comparison.left, comparison.right}) {
                            if (const auto* name = std::get_if<program::StateName>(&term)) add(*name, names);
                          }
                        },
                        [&](const program::Conjunction& node) { all(node.parts); },
                        [&](const program::Disjunction& node) { all(node.parts); },
                        [&](const program::Negation& node) { collect(node.part, names); },
                        [&](const program::Implication& node) {
                          collect(node.left, names);
                          collect(node.right, names);
                        }},
             condition->node);
}

enum class Verdict { allowed, forbidden, not_run, not_finished, unknown };

/// The run's final values of what the test's property names, as a condition.
program::ConditionPtr final_state(const litmus::Test& test, const exec::Run& run) {
  Names names;
  collect(test.property.condition, names);
  for (const program::StateName& name : test.property.locations) add(name, names);
  program::Conjunction all;
  for (const auto& [key, name] : names) {
    const exec::Run::Value value =
        name.thread ? run.reg(*name.thread, name.name) : run.memory(name.name, name.element.value_or(0));
    const auto rests_on_data = (value.sources & bit(exec::Source::data)) != 0;
    if (rests_on_data || value.bits >= kLargest) continue;
    program::InitialValue number;
    number.integer = static_cast<std::int64_t>(value.bits);
    auto part = std::make_shared<program::Condition>();
    part->node = program::Comparison{isa::Compare::eq, name, number};
    all.parts.push_back(std::move(part));
  }
  auto out = std::make_shared<program::Condition>();
  out->node = std::move(all);
  return out;
}

Verdict judge(const session::Session& session, litmus::Test test) {
  std::optional<exec::Run> run;
  try {
    run.emplace(test, nullptr);
    exec::Options options;
    options.steps = 100000;
    const exec::Outcome outcome = run->run(options);
    if (outcome.end != exec::End::finished || !outcome.faults.empty()) return Verdict::not_finished;
  } catch (const InputError&) {
    return Verdict::not_run;
  }
  test.property.quantifier = program::Quantifier::exists;
  test.property.condition = final_state(test, *run);
  test.property.filter = nullptr;
  const Budget budget(kSeconds);
  const event::ProgramGraph graph = lower::lower(test, session::lowering(session.settings(), budget));
  const event::BaseValues base = event::compute_base(graph);
  const engine::Query query = session.query(graph, base, engine::Ask::verdict, budget);
  const engine::Result result = session::decide(query, session::EngineChoice::auto_).result;
  if (!result.states.empty()) return Verdict::allowed;
  return result.complete ? Verdict::forbidden : Verdict::unknown;
}

int run(std::size_t least, const std::vector<std::string>& folders) {
  const session::Session session{session::Settings{}};
  std::map<Verdict, std::size_t> counts;
  for (const cli::Input& input : cli::expand_inputs(folders)) {
    for (litmus::Test& test : cli::parse_input(cli::read_input(input, std::cin))) {
      const std::string name = test.name;
      Verdict verdict = Verdict::unknown;
      try {
        verdict = judge(session, std::move(test));
      } catch (const OutOfTime&) {
        // nobody knows
      }
      ++counts[verdict];
      if (verdict == Verdict::forbidden)
        fmt::print("{}: `{}` ended in a state that the model forbids\n", input.name, name);
    }
  }
  fmt::print("{} allowed, {} forbidden, {} not supported, {} hang or misuse, {} unknown\n",
             counts[Verdict::allowed], counts[Verdict::forbidden], counts[Verdict::not_run],
             counts[Verdict::not_finished], counts[Verdict::unknown]);
  return counts[Verdict::forbidden] == 0 && counts[Verdict::allowed] >= least ? 0 : 1;
}

}  // namespace
}  // namespace ptxmc

int main(int argc, char** argv) {
  try {
    return ptxmc::run(std::stoul(argv[1]), {argv + 2, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
