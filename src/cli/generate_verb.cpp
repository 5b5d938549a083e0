// SPDX-License-Identifier: Apache-2.0
#include "cli/generate_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <thread>

#include "cli/child.h"
#include "cli/output_file.h"
#include "generate/edge.h"
#include "generate/judge.h"
#include "generate/minimal.h"
#include "model/models.h"
#include "support/budget.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// A test that was made.
struct Made {
  std::string name, text;
};

/// What a run came to; between a child and its parent as text.
struct Results {
  std::vector<Made> tests;
  std::string messages;
  Status status = Status::ok;
};

/// As run_confined() hands it on: the length of each part before it.
std::string pack(const Results& results) {
  std::string text;
  const auto add = [&](const std::string& part) { text += fmt::format("{}:{}", part.size(), part); };
  add(std::to_string(static_cast<int>(results.status)));
  add(results.messages);
  for (const Made& test : results.tests) add(test.name), add(test.text);
  return text;
}
Results unpack(std::string_view text) {
  const auto next = [&] {
    const std::size_t colon = text.find(':');
    const std::size_t size = std::stoul(std::string(text.substr(0, colon)));
    std::string part(text.substr(colon + 1, size));
    text.remove_prefix(colon + 1 + size);
    return part;
  };
  Results results;
  results.status = static_cast<Status>(std::stoi(next()));
  results.messages = next();
  while (!text.empty()) {
    std::string name = next();
    results.tests.push_back({std::move(name), next()});
  }
  return results;
}

/// `Verdict`, with the model and the readings that it is about where these are not the defaults.
std::string verdict_key(const session::Session& session) {
  std::vector<std::string> parts;
  const bool usual = session.user_model() || session.model_name() == model::kDefaultProfile;
  if (!usual) parts.push_back(session.model_name());
  for (const std::string& reading : session.readings().changed()) parts.push_back(reading);
  return parts.empty() ? "Verdict" : fmt::format("Verdict[{}]", fmt::join(parts, ","));
}

/// The test with its verdict; without one where there is none, and a message then.
void judge_into(const session::Session& session, const generate::Sketch& sketch, const Budget& budget,
                Results& results) {
  const generate::Judged judged = generate::judge(session, sketch.name, generate::print(sketch, ""), budget);
  const bool known = judged.answer != report::Answer::unknown;
  results.tests.push_back(
      {sketch.name, generate::print(sketch, known ? fmt::format("{}={}", verdict_key(session),
                                                                generate::verdict_word(judged.answer))
                                                  : "")});
  for (const std::string& problem : judged.problems) {
    results.messages += fmt::format("ptxmc: internal error: {}: {}\n", sketch.name, problem);
    results.status = worse(results.status, Status::failure);
  }
  if (!known && judged.problems.empty()) {
    results.messages += fmt::format("ptxmc: {}: unknown: {}\n", sketch.name, judged.why);
    results.status = worse(results.status, Status::unknown);
  }
}

unsigned workers_of(unsigned jobs) {
  return jobs == 0 ? std::max(1U, std::thread::hardware_concurrency()) : jobs;
}

/// Names are those of files: each once.
void tell_apart(std::vector<generate::Sketch>& sketches) {
  std::map<std::string, int> seen;
  for (generate::Sketch& sketch : sketches)
    if (const int before = seen[sketch.name]++; before != 0) sketch.name += fmt::format("+{}", before + 1);
}

void write_folder(const std::string& folder, const std::vector<Made>& tests) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const Made& test : tests) {
    const std::filesystem::path path = std::filesystem::path(folder) / (test.name + ".litmus");
    OutputFile file(path.string(), {});
    file.stream() << test.text;
    file.commit();
  }
}

}  // namespace

namespace {

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
  for (generate::Sketch& sketch : sketches) sketch.name = options.prefix + sketch.name;
  tell_apart(sketches);
  for (const generate::Sketch& sketch : sketches) judge_into(session, sketch, budget, results);
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
  streams.out.flush();
  const std::optional<double> seconds = options.common.settings.timeout;
  const Outcome outcome = run_confined(confines(seconds, options.common.settings.memory), [&] {
    return pack(make_tests(options, session, std::move(sketches)));
  });
  if (!outcome.unknown.empty()) {
    streams.err << fmt::format("ptxmc: unknown: {}\n", outcome.unknown);
    return Status::unknown;
  }
  const Results results = unpack(outcome.text);
  streams.err << results.messages;
  if (!options.folder.empty()) {
    write_folder(options.folder, results.tests);
    return results.status;
  }
  return with_output(options.common.output, {}, streams, [&](std::ostream& out) {
    for (std::size_t i = 0; i < results.tests.size(); ++i)
      out << (i == 0 ? "" : "\n") << results.tests[i].text;
    return results.status;
  });
}

}  // namespace ptxmc::cli
