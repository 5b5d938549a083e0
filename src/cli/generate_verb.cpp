// SPDX-License-Identifier: Apache-2.0
#include "cli/generate_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/generated.h"
#include "generate/all.h"
#include "generate/edge.h"
#include "generate/judge.h"
#include "generate/minimal.h"
#include "generate/name.h"
#include "generate/random.h"
#include "model/models.h"
#include "support/budget.h"
#include "support/parallel.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// The test with its verdict; without one where there is none, and a message then.
void add_judged(const session::Session& session, const generate::Sketch& sketch,
                const generate::Judged& judged, Results& results) {
  const bool known = note(sketch.name, judged, results);
  results.tests.push_back(
      {sketch.name,
       generate::print(
           sketch, known ? fmt::format("{}={}", verdict_key(session), explain::name_of(judged.answer)) : ""),
       nlohmann::ordered_json::array({verdict_json(session, judged)}).dump()});
}

std::vector<generate::Sketch> sketches_of_cycles(const GenerateOptions& options) {
  std::vector<generate::Sketch> sketches;
  for (const std::string& text : options.cycles) {
    const generate::Cycle cycle =
        generate::parse_cycle(std::make_shared<const Source>(Source{"--cycle", text}));
    sketches.push_back(generate::sketch_of(cycle, options.defaults));
  }
  if (!options.name.empty()) {
    if (sketches.size() != 1) refuse("--name is the name of one test, and several are made");
    sketches[0].name = options.name;
  }
  return sketches;
}

std::vector<generate::Sketch> sketches_of_size(const GenerateOptions& options,
                                               const session::Session& session, const Budget& budget) {
  std::vector<generate::Sketch> sketches;
  for (std::size_t size = 1; size <= options.events; ++size) {
    if (options.minimal) {
      std::vector<generate::Sketch> more =
          generate::minimal_tests(size, options.alphabet, session, budget, workers_of(options.common.jobs));
      std::move(more.begin(), more.end(), std::back_inserter(sketches));
    } else {
      generate::for_each_test(size, options.alphabet, options.semantics, budget,
                              [&](const generate::Sketch& test) { sketches.push_back(test); });
    }
  }
  if (!options.minimal)
    for (generate::Sketch& sketch : sketches) generate::give_name(sketch);
  return sketches;
}

std::vector<generate::Sketch> random_sketches(const GenerateOptions& options, std::string& messages) {
  generate::Draw draw;
  if (options.seed) draw.seed = *options.seed;
  if (options.count) draw.count = *options.count;
  draw.edges = options.events;
  draw.scopes = options.alphabet.scopes;
  draw.open = options.defaults.order;
  std::vector<generate::Sketch> tests = generate::random_tests(draw);
  if (tests.size() < draw.count)
    messages += fmt::format("ptxmc: {} tests: no more were drawn that differ, of {} edges at most\n",
                            tests.size(), options.events);
  return tests;
}

/// A name is that of a file.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 200;
  return name.size() <= kMost ? name : name.substr(0, name.find_last_of("+-", kMost));
}

/// What a run is asked for, in one process.
Results make_tests(const GenerateOptions& options, const session::Session& session,
                   std::vector<generate::Sketch> sketches) {
  Results results;
  const Budget budget(options.common.settings.timeout);
  try {
    if (options.all) sketches = sketches_of_size(options, session, budget);
    if (options.random) sketches = random_sketches(options, results.messages);
  } catch (const OutOfTime&) {
    results.messages = "ptxmc: unknown: timeout: which tests there are\n";
    results.status = Status::unknown;
    return results;
  }
  std::map<std::string, int> seen;
  for (generate::Sketch& sketch : sketches)
    sketch.name = told_apart(seen, options.prefix + shortened(sketch.name));
  std::vector<generate::Judged> judged(sketches.size());
  in_parallel(sketches.size(), workers_of(options.common.jobs), [&](std::size_t i) {
    judged[i] = generate::judge(session, sketches[i].name, generate::print(sketches[i], ""), budget);
  });
  for (std::size_t i = 0; i < sketches.size(); ++i) add_judged(session, sketches[i], judged[i], results);
  return results;
}

}  // namespace

Status generate_tests(const GenerateOptions& options, Streams& streams) {
  const int ways = (options.cycles.empty() ? 0 : 1) + (options.all ? 1 : 0) + (options.random ? 1 : 0);
  if (ways != 1)
    refuse(
        "generate makes the tests of cycles, --cycle \"PodWW Rfe PodRR Fre\", or all of a size, --all "
        "or --all --minimal, or those of random cycles, --random");
  if (!options.random && (options.seed || options.count)) refuse("--seed and --count are of --random");
  if (options.random && options.events < 2) refuse("a cycle has two edges at least: --events 2");
  if (options.cycles.empty() && !options.defaults.places.empty())
    refuse("--place says where the threads of a cycle are: it needs --cycle");
  if (!options.all && options.minimal) refuse("--minimal says which tests of a size: it needs --all");
  if (!options.semantics.empty() && (!options.all || options.minimal))
    refuse("--orders is of --all without --minimal, which looks at all orders");
  std::vector<generate::Sketch> sketches = sketches_of_cycles(options);
  const session::Session session(generate::judging(options.common.settings));
  return write_tests(options.common, options.folder, streams,
                     [&] { return make_tests(options, session, std::move(sketches)); });
}

}  // namespace ptxmc::cli
