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
#include "generate/edge.h"
#include "generate/judge.h"
#include "generate/minimal.h"
#include "model/models.h"
#include "support/budget.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// The test with its verdict; without one where there is none, and a message then.
void judge_into(const session::Session& session, const generate::Sketch& sketch, const Budget& budget,
                Results& results) {
  const generate::Judged judged = generate::judge(session, sketch.name, generate::print(sketch, ""), budget);
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
    std::vector<generate::Sketch> more =
        generate::minimal_tests(size, options.alphabet, session, budget, workers_of(options.common.jobs));
    std::move(more.begin(), more.end(), std::back_inserter(sketches));
  }
  return sketches;
}

/// What a run is asked for, in one process.
Results make_tests(const GenerateOptions& options, const session::Session& session,
                   std::vector<generate::Sketch> sketches) {
  Results results;
  const Budget budget(options.common.settings.timeout);
  try {
    if (options.all) sketches = sketches_of_size(options, session, budget);
  } catch (const OutOfTime&) {
    results.messages = "ptxmc: unknown: timeout: which tests there are\n";
    results.status = Status::unknown;
    return results;
  }
  std::map<std::string, int> seen;
  for (generate::Sketch& sketch : sketches) {
    sketch.name = told_apart(seen, options.prefix + sketch.name);
    judge_into(session, sketch, budget, results);
  }
  return results;
}

}  // namespace

Status generate_tests(const GenerateOptions& options, Streams& streams) {
  if (options.cycles.empty() == !options.all)
    refuse(
        "generate makes the tests of cycles, --cycle \"PodWW Rfe PodRR Fre\", or all of a size, --all "
        "--minimal");
  if (options.all && !options.minimal) refuse("--all lists the minimal tests of a size; it needs --minimal");
  std::vector<generate::Sketch> sketches = sketches_of_cycles(options);
  const session::Session session(generate::judging(options.common.settings));
  return write_tests(options.common, options.folder, streams,
                     [&] { return make_tests(options, session, std::move(sketches)); });
}

}  // namespace ptxmc::cli
