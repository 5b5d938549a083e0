// SPDX-License-Identifier: Apache-2.0
#include "folder.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "face/cli/inputs.h"
#include "process.h"
#include "session/analysis.h"

namespace ptxmc::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepetitions = 3;
constexpr int kTurns = 12;

Spread spread(std::vector<double> times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  Spread result{times[times.size() / 2], times.back(), 0};
  for (double time : times) result.sum += time;
  return result;
}

std::vector<std::string> command(const std::string& program, const Workload& workload,
                                 const std::string& engine, const std::string& what,
                                 const std::string& recheck = "off") {
  std::vector<std::string> words = {program, "check", "--engine", engine, "--recheck", recheck, "--quiet"};
  words.insert(words.end(), workload.arguments.begin(), workload.arguments.end());
  words.push_back(what);
  return words;
}

session::EngineChoice choice(const std::string& engine) {
  static const std::map<std::string, session::EngineChoice> kChoices = {
      {"explicit", session::EngineChoice::explicit_},
      {"smt", session::EngineChoice::smt},
      {"auto", session::EngineChoice::auto_}};
  return kChoices.at(engine);
}

/// Best of several checks; nothing when the test cannot be checked.
std::optional<double> check_inside(const session::Session& session, const SourcePtr& source) {
  double best = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    const Clock::time_point start = Clock::now();
    try {
      session::check_test(session, source);
    } catch (const std::exception&) {
      return std::nullopt;
    }
    const double time = std::chrono::duration<double>(Clock::now() - start).count();
    best = i == 0 ? time : std::min(best, time);
  }
  return best;
}

/// Times of the tests that could be checked.
std::vector<double> check_all_inside(const Workload& workload, const std::string& engine, double limit,
                                     const std::vector<cli::Input>& tests) {
  const std::string lines = in_child([&] {
    session::Settings settings = workload.settings;
    settings.engine = choice(engine);
    settings.recheck = session::Recheck::off;
    settings.timeout = limit;
    const session::Session session(settings);
    std::ostringstream out;
    for (const cli::Input& test : tests) {
      if (const std::optional<double> time = check_inside(session, cli::read_input(test, std::cin)))
        out << *time << "\n";
    }
    return out.str();
  });
  std::istringstream in(lines);
  return {std::istream_iterator<double>(in), std::istream_iterator<double>()};
}

double sum_of_candidates(const std::string& json_lines) {
  double sum = 0;
  std::istringstream lines(json_lines);
  for (std::string line; std::getline(lines, line);) {
    const auto report = nlohmann::json::parse(line, nullptr, false);
    if (report.is_discarded() || !report.contains("statistics")) continue;
    sum += report["statistics"].value("candidates", 0.0);
  }
  return sum;
}

}  // namespace

Comparison compare_folder(const std::string& program, const std::string& reference, const Workload& workload,
                          const std::string& engine, bool recheck, double limit) {
  Comparison best;
  const auto run = [&](const std::string& binary, double& seconds) {
    const Measured run =
        measure(command(binary, workload, engine, workload.folder, recheck ? "first" : "off"), limit);
    if (run.status != 0) throw std::runtime_error(binary + " cannot check " + workload.folder);
    seconds = seconds == 0 ? run.cpu : std::min(seconds, run.cpu);
  };
  for (int turn = 0; turn < kTurns; ++turn) {
    run(reference, best.before);
    run(program, best.now);
  }
  return best;
}

FolderResult measure_folder(const std::string& program, const Workload& workload, const std::string& engine,
                            double limit) {
  const std::vector<cli::Input> tests = cli::expand_inputs({workload.folder});
  FolderResult result;
  result.tests = tests.size();

  std::vector<double> process;
  for (const cli::Input& test : tests)
    process.push_back(measure(command(program, workload, engine, test.name), limit).cpu);
  result.process = spread(std::move(process));

  std::vector<double> inside = check_all_inside(workload, engine, limit, tests);
  result.failures = tests.size() - inside.size();
  result.inside = spread(std::move(inside));

  std::vector<std::string> all = command(program, workload, engine, workload.folder);
  all.insert(all.end(), {"--format", "json", "--witnesses", "none"});
  const Measured together = measure(all, limit * static_cast<double>(std::max<std::size_t>(result.tests, 1)));
  result.together = together.cpu;
  result.megabytes = together.megabytes;
  result.candidates = sum_of_candidates(together.output);
  return result;
}

}  // namespace ptxmc::bench
