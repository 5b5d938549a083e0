// SPDX-License-Identifier: Apache-2.0
// ptxmc_bench: measures ptxmc on folders of tests and on the scaling families, and prints Markdown tables.
// Whole-process figures come from running the binary and wait4, in-process ones from the library itself.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "families.h"
#include "folder.h"
#include "process.h"
#include "questions.h"
#include "rings.h"
#include "scaling.h"
#include "table.h"
#include "verified.h"

namespace ptxmc::bench {

namespace {

using Json = nlohmann::json;

struct Options {
  std::string program;
  std::vector<std::string> folders;
  std::string dat3m;    ///< the published suite; empty: left out
  std::string scaling;  ///< the scaling families; empty: left out
  bool rings = false;   ///< the pipelines of rings.h
  std::string zoo;      ///< bugs to repair, for questions.h; empty: left out
  std::string module;   ///< the kernels of verified.h; empty: left out
  std::string kernels;  ///< published kernels, each a folder with a launch.json; empty: left out
  std::vector<std::string> engines = {"auto", "explicit", "smt"};
  double limit = 20;
  std::string baseline;
  std::string reference;  ///< an earlier ptxmc binary: compare with it, and measure nothing else
  bool save = false;
  bool sweep = true;
};

/// Figures of an earlier run, by name; and those of this run, to be saved.
class Baseline {
 public:
  explicit Baseline(const std::string& file) {
    std::ifstream in(file);
    if (in) before_ = Json::parse(in, nullptr, false);
    if (!before_.is_object()) before_ = Json::object();
  }
  /// Notes `now` under `name` and gives the figure of the earlier run.
  std::optional<double> note(const std::string& name, double now) {
    now_[name] = std::round(now * 1e6) / 1e6;
    return before_.contains(name) ? std::optional<double>(before_[name].get<double>()) : std::nullopt;
  }
  void save(const std::string& file) const {
    std::ofstream out(file);
    out << now_.dump(2) << "\n";
    if (!out) throw std::runtime_error("cannot write " + file);
  }

 private:
  Json before_ = Json::object(), now_ = Json::object();
};

std::vector<Workload> workloads(const Options& options) {
  std::vector<Workload> result;
  for (const std::string& folder : options.folders) {
    result.push_back({std::filesystem::path(folder).filename().string(), folder, {}, {}});
  }
  if (!options.dat3m.empty()) {  // as its published verdicts are stated: loop bound 1, unbounded integers
    Workload& suite = result.emplace_back();
    suite.name = "dat3m (ptx-7.5)";
    suite.folder = options.dat3m;
    suite.arguments = {"--model", "ptx-7.5", "--unroll", "1", "--unbounded"};
    suite.settings.model = "ptx-7.5";
    suite.settings.unroll = 1;
    suite.settings.unbounded = true;
  }
  return result;
}

void print_folders(const Options& options, Baseline& baseline) {
  Table table({"tests", "engine", "number", "process, median ms of processor", "worst ms",
               "in process, median ms", "worst ms", "all in one process, s", "peak MB", "candidates",
               "vs. baseline"});
  for (const Workload& workload : workloads(options)) {
    for (const std::string& engine : options.engines) {
      std::cerr << "measuring " << workload.name << " with " << engine << "\n";
      const FolderResult r = measure_folder(options.program, workload, engine, options.limit);
      // Times of another number of tests say nothing about this one.
      const auto before = baseline.note(fmt::format("{} x{}/{}", workload.name, r.tests, engine), r.together);
      table.add({workload.name, engine, fmt::format("{}", r.tests), in_milliseconds(r.process.median),
                 in_milliseconds(r.process.worst), in_milliseconds(r.inside.median),
                 in_milliseconds(r.inside.worst), in_seconds(r.together), fmt::format("{:.0f}", r.megabytes),
                 r.candidates > 0 ? fmt::format("{:.0f}", r.candidates) : "-", as_ratio(r.together, before)});
      if (r.failures > 0)
        std::cerr << fmt::format("{}: {} tests could not be checked\n", workload.name, r.failures);
    }
  }
  table.print(std::cout);
  std::cout << R"(
For comparison, processor seconds on such a machine: Dartagnan 3.0 takes 3.0 for a test as a process, 0.08 in process, and
21 for 264 tests of the published suite in one process; herd7 takes 0.02 to start. To reach with `auto`: 10 ms as a process,
0.5 ms in process, 1 s for the published suite (5 s with `smt`).

)";
}

/// What the same tests cost an earlier binary.
void print_comparison(const Options& options) {
  Table table({"tests", "engine", "re-check", "now, s", "before, s", "ratio"});
  for (const Workload& workload : workloads(options)) {
    for (const std::string& engine : options.engines) {
      for (const bool recheck : {false, true}) {
        std::cerr << "comparing " << workload.name << " with " << engine << "\n";
        const double limit = options.limit * 400;
        const Comparison c =
            compare_folder(options.program, options.reference, workload, engine, recheck, limit);
        table.add({workload.name, engine, recheck ? "first" : "off", in_seconds(c.now), in_seconds(c.before),
                   as_ratio(c.now, c.before)});
      }
    }
  }
  table.print(std::cout);
}

std::string shown(const ScalingRun& run, double limit) {
  if (run.measured.timed_out) return fmt::format("> {:.0f}", limit);
  return run.answer == "-" ? fmt::format("failed ({})", run.measured.status) : in_seconds(run.measured.cpu);
}

void print_peers(const Options& options, const std::vector<ScalingTest>& tests, Baseline& baseline) {
  Table table(
      {"test", "asks", "answer", "states", "ptxmc, s", "peak MB", "to reach, s", "peer, s", "vs. baseline"});
  for (const Peer& peer : peers()) {
    const auto test = std::find_if(tests.begin(), tests.end(), [&](const ScalingTest& t) {
      return t.family == peer.family && t.size == peer.size;
    });
    const std::string name = fmt::format("{}-{}", peer.family, peer.size);
    if (test == tests.end()) throw std::runtime_error("no test " + name + " in " + options.scaling);
    std::cerr << "measuring " << name << "\n";
    const ScalingRun run = run_scaling(options.program, *test, "auto", options.limit);
    const auto before = baseline.note("scaling/" + name, run.measured.cpu);
    const bool states = test->asks != ScalingTest::Asks::verdict;
    table.add({name, asked(test->asks), run.answer, states ? fmt::format("{:.0f}", run.states) : "-",
               shown(run, options.limit), fmt::format("{:.0f}", run.measured.megabytes),
               peer.target > 0 ? fmt::format("{}", peer.target) : "-",
               peer.tool != nullptr ? fmt::format("{} {}", peer.tool, peer.seconds) : "-",
               as_ratio(run.measured.cpu, before)});
  }
  table.print(std::cout);
  std::cout << "\n";
}

/// How time grows among the members that take long enough to tell.
std::string growth(const std::vector<std::pair<double, double>>& points) {
  constexpr double kNoise = 0.03;  // seconds: starting the process, and the clock
  std::vector<std::pair<double, double>> telling;
  for (const auto& point : points) {
    if (point.second >= kNoise) telling.push_back(point);
  }
  return telling.size() < 2 ? "-" : fmt::format("{:.1f}", slope(telling));
}

/// The larger members of the families, in a folder that is there as long as this is.
class Families {
 public:
  Families() : folder_(std::filesystem::temp_directory_path() / fmt::format("ptxmc-bench-{}", getpid())) {
    std::filesystem::create_directory(folder_);
    for (const FamilyMember& member : family_members()) {
      std::filesystem::create_directories(folder_ / member.folder);
      std::ofstream(folder_ / member.folder / (member.name + ".litmus")) << member.test;
    }
  }
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;
  ~Families() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_;
};

/// The largest member of each family that is answered within the limit.
void print_sweep(const Options& options, const std::vector<ScalingTest>& tests) {
  std::vector<std::string> headings = {"family", "asks"};
  for (const std::string& engine : options.engines) {
    headings.insert(headings.end(), {engine + ": largest", "s", "slope", "peak MB"});
  }
  Table table(std::move(headings));
  for (std::size_t first = 0; first < tests.size();) {
    std::size_t last = first;
    while (last < tests.size() && tests[last].family == tests[first].family) ++last;
    std::cerr << "measuring family " << tests[first].family << "\n";
    std::vector<std::string> row = {tests[first].family, asked(tests[first].asks)};
    for (const std::string& engine : options.engines) {
      std::vector<std::string> cells = {"none", "-", "-", "-"};
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = first; i < last; ++i) {
        const ScalingRun run = run_scaling(options.program, tests[i], engine, options.limit);
        if (run.answer == "-" || run.answer == "Unknown") break;
        cells = {fmt::format("{}{}", tests[i].size, i + 1 == last ? " (all)" : ""),
                 in_seconds(run.measured.cpu), "", fmt::format("{:.0f}", run.measured.megabytes)};
        points.emplace_back(tests[i].size, run.measured.cpu);
      }
      cells[2] = growth(points);
      row.insert(row.end(), cells.begin(), cells.end());
    }
    table.add(std::move(row));
    first = last;
  }
  table.print(std::cout);
}

std::string in_millions(double rate) {
  return fmt::format("{:.1f}", rate / 1e6);
}

std::vector<std::string> verified_row(const std::string& name, const VerifiedRun& all,
                                      const std::optional<VerifiedRun>& alone, const std::string& steep,
                                      Baseline& baseline) {
  const auto before = baseline.note("verify/" + name, all.rate());
  return {name,
          fmt::format("{:.1f}", all.instructions / 1e6),
          in_millions(all.rate()),
          alone ? in_millions(alone->rate()) : "-",
          fmt::format("{:.0f}", all.megabytes),
          steep,
          as_ratio(all.rate(), before)};
}

/// Rates of `verify`, and how its time grows with the iterations of a loop.
void print_verified(const Options& options, Baseline& baseline) {
  Table table({"verify", "million lane-instructions", "million a second, all checks", "interpreter alone",
               "peak MB", "slope of time", "vs. baseline"});
  for (const VerifiedKernel& kernel : verified_kernels()) {
    std::cerr << "measuring verify of " << kernel.name << "\n";
    std::vector<VerifiedRun> runs;
    std::vector<std::pair<double, double>> points;
    std::vector<std::string> arguments;
    for (const unsigned iterations : kernel.iterations) {
      arguments = {options.module, "--entry", kernel.name};
      arguments.insert(arguments.end(), kernel.launch.begin(), kernel.launch.end());
      arguments.insert(arguments.end(), {"--arg", fmt::format("{}", iterations)});
      const auto ran = run_verified(options.program, arguments, true, options.limit * 3);
      if (!ran) throw std::runtime_error("verify does not run " + kernel.name);
      runs.push_back(*ran);
      points.emplace_back(ran->instructions, ran->seconds);
    }
    table.add(verified_row(kernel.name, runs.back(),
                           run_verified(options.program, arguments, false, options.limit * 3),
                           fmt::format("{:.2f}", slope(points)), baseline));
  }
  for (const std::string& folder :
       options.kernels.empty() ? std::vector<std::string>() : find_launches(options.kernels)) {
    const std::vector<std::string> arguments = {"--cta", "all", folder + "/launch.json"};
    const auto ran = run_verified(options.program, arguments, true, options.limit * 3);
    if (!ran) continue;
    const std::string name = std::filesystem::relative(folder, options.kernels).string();
    std::cerr << "measured verify of " << name << "\n";
    table.add(verified_row(name, *ran, run_verified(options.program, arguments, false, options.limit * 3),
                           "-", baseline));
  }
  table.print(std::cout);
  std::cout << "\n";
}

Measured run_ring(const Options& options, const std::vector<std::string>& question, const std::string& test,
                  const std::filesystem::path& file, const char* format = "json") {
  std::ofstream(file) << test;
  std::vector<std::string> command = {options.program};
  command.insert(command.end(), question.begin(), question.end());
  command.insert(command.end(), {"--format", format, file.string()});
  return measure(command, options.limit * 3);
}

std::string ring_cell(const Options& options, const Measured& measured) {
  if (measured.timed_out) return fmt::format("> {:.0f}", options.limit * 3);
  const auto report = nlohmann::json::parse(measured.output, nullptr, false);
  if (report.is_discarded() || !report.contains("answer")) return fmt::format("failed ({})", measured.status);
  return report["answer"].get<std::string>() + " " + in_seconds(measured.cpu);
}

/// Pipelines: what each verb costs, and how that grows with the iterations.
void print_rings(const Options& options) {
  Table table({"pipeline", "check, s", "races, s", "first race, s", "liveness, s", "peak MB"});
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("ptxmc-bench-{}.litmus", getpid());
  for (const RingRow& row : ring_rows()) {
    std::cerr << "measuring " << row.name << "\n";
    std::vector<std::string> cells = {row.name};
    double peak = 0;
    for (const auto& question : ring_questions()) {
      const Measured measured = run_ring(options, question, row.test, file);
      cells.push_back(ring_cell(options, measured));
      peak = std::max(peak, measured.megabytes);
    }
    cells.push_back(fmt::format("{:.0f}", peak));
    table.add(std::move(cells));
  }
  std::vector<std::string> slopes = {"slope of time in iterations, ring 4xKx1"};
  for (const auto& question : ring_questions()) {
    std::vector<std::pair<double, double>> points;
    for (const auto& [iterations, test] : ring_growth())
      points.emplace_back(iterations, run_ring(options, question, test, file).cpu);
    slopes.push_back(fmt::format("{:.2f}", slope(points)));
  }
  slopes.emplace_back("-");
  table.add(std::move(slopes));
  std::filesystem::remove(file);
  table.print(std::cout);
  std::cout << "\n";
}

/// One test on one thread and on two: elapsed time, as far as nothing else runs.
void print_shared(const Options& options) {
  Table table({"one test", "asks", "-j 1, s elapsed", "-j 2, s elapsed", "gain"});
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("ptxmc-bench-{}.litmus", getpid());
  const auto add = [&](const std::string& name, const std::string& asks, const std::string& test,
                       std::vector<std::string> question) {
    std::cerr << "measuring " << name << " on two threads\n";
    question.insert(question.end(), {"--recheck", "off", "--quiet", "-j"});
    const auto elapsed = [&](const char* jobs) {
      std::vector<std::string> asked = question;
      asked.emplace_back(jobs);
      return run_ring(options, asked, test, file, "text");
    };
    const Measured one = elapsed("1"), two = elapsed("2");
    const bool done = !one.timed_out && !two.timed_out;
    table.add({name, asks, in_seconds(one.wall), in_seconds(two.wall),
               done ? fmt::format("{:.2f}", one.wall / two.wall) : "-"});
  };
  for (const RingRow& row : shared_rows()) add(row.name, "races", row.test, {"races"});
  for (const FamilyMember& member : family_members()) {
    if (member.name == "SB-all-20" || member.name == "IRIW-all-12")  // lists that take long
      add(member.name, "all states", member.test, {"check", "-o", "/dev/null"});
  }
  std::filesystem::remove(file);
  table.print(std::cout);
  std::cout << "\n";
}

int run(const Options& options) {
  if (!options.reference.empty()) {
    print_comparison(options);
    return 0;
  }
  Baseline baseline(options.baseline);
  if (!options.folders.empty() || !options.dat3m.empty()) print_folders(options, baseline);
  if (!options.scaling.empty()) {
    const Families families;
    const std::vector<ScalingTest> tests = find_scaling_tests({options.scaling, families.folder()});
    print_peers(options, tests, baseline);
    if (options.sweep) print_sweep(options, tests);
  }
  if (options.rings) {
    print_rings(options);
    print_shared(options);
  }
  if (!options.zoo.empty()) print_questions(options.program, options.zoo);
  if (!options.module.empty()) print_verified(options, baseline);
  if (options.save) baseline.save(options.baseline);
  return 0;
}

}  // namespace

}  // namespace ptxmc::bench

int main(int argc, char** argv) {
  ptxmc::bench::Options options;
  CLI::App app("Measures ptxmc on folders of tests and on the scaling families; prints Markdown tables.",
               "ptxmc_bench");
  app.add_option("--program", options.program, "the ptxmc binary")->required()->check(CLI::ExistingFile);
  app.add_option("--dat3m", options.dat3m, "the published suite, measured under ptx-7.5")
      ->check(CLI::ExistingDirectory);
  app.add_option("--scaling", options.scaling, "the scaling families")->check(CLI::ExistingDirectory);
  app.add_flag("--rings", options.rings, "pipelines over mbarrier objects");
  app.add_option("--questions", options.zoo, "minimal tests, and the repair of the bugs in a folder")
      ->check(CLI::ExistingDirectory);
  app.add_option("--verify", options.module, "kernels.ptx, whose kernels `verify` runs")
      ->check(CLI::ExistingFile);
  app.add_option("--kernels", options.kernels, "published kernels for `verify`: folders with a launch.json")
      ->check(CLI::ExistingDirectory);
  app.add_option("--engine", options.engines, "engines, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"auto", "explicit", "smt"}));
  app.add_option("--limit", options.limit, "seconds a test; default 20")->check(CLI::PositiveNumber);
  app.add_option("--baseline", options.baseline, "figures of an earlier run to compare with");
  app.add_option("--reference", options.reference,
                 "an earlier ptxmc binary: print only what the folders cost it and this one")
      ->check(CLI::ExistingFile);
  app.add_flag("--save-baseline", options.save, "write this run's figures to the baseline file")
      ->needs("--baseline");
  app.add_flag("!--no-sweep", options.sweep, "leave out the largest member of each family");
  app.add_option("FOLDER", options.folders, "folders of tests")->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  try {
    return ptxmc::bench::run(options);
  } catch (const std::exception& error) {
    std::cerr << "ptxmc_bench: error: " << error.what() << "\n";
    return 2;
  }
}
