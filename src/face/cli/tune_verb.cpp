// SPDX-License-Identifier: Apache-2.0
// `run --tune`: gpu/run/tuning.h asks, a GPU answers. In a child process, as all that uses the driver
// (workers.h).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "face/cli/files_read.h"
#include "face/cli/gpu_parameters.h"
#include "face/cli/in_child.h"
#include "face/cli/inputs.h"
#include "face/cli/interrupt.h"
#include "face/cli/output_file.h"
#include "face/cli/verbs.h"
#include "gpu/run/log.h"
#include "gpu/run/runner.h"
#include "gpu/run/tuning.h"
#include "gpu/text/facts.h"
#include "input/litmus/hash.h"
#include "report/text/herd.h"
#include "session/stopwatch.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

constexpr double kEndsSeconds = 30;   // beside the search, to begin and to end
constexpr double kTrialSeconds = 5;   // beside a trial's own: the driver compiles, as a rule in 0.1 s
constexpr double kConfirmations = 4;  // trials of a test behind the budget, with the one at hand
constexpr double kFirstTrials = 10;   // times the time of a trial, for the one that chooses the rare outcome

/// A launch did not end, and the device is lost to this process.
class Hung : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A test that is tuned.
struct TunedTest {
  TunedTest(std::string named, litmus::Test parsed)
      : file(std::move(named)), test(std::move(parsed)), observation(test) {}
  TunedTest(const TunedTest&) = delete;
  TunedTest& operator=(const TunedTest&) = delete;

  std::string file;
  litmus::Test test;
  gpu::Observation observation;  // refers to the test
  gpu::Values rare;              // the outcome whose rate counts
};

class Tuner {
 public:
  Tuner(const GpuOptions& options, Streams& streams, Status& status)
      : options_(options), streams_(streams), status_(status), choice_(options) {}

  void run() {
    try {
      device_ = std::make_unique<gpu::Device>(options_.device);
    } catch (const gpu::DriverError& error) {
      streams_.err << fmt::format("ptxmc: error: {}\n`ptxmc run --tune` needs a GPU and its driver.\n",
                                  error.what());
      return worsen(Status::input);
    }
    first_ = choice_.joint(&device_->info(), streams_);
    try {
      read_tests();
      if (subjects_.empty()) return;
      search();
    } catch (const Hung& error) {
      streams_.err << error.what();
      worsen(Status::unknown);
    } catch (const gpu::DriverError& error) {
      streams_.err << fmt::format("ptxmc: error: {}\n", error.what());
      worsen(Status::input);
    }
  }

 private:
  void worsen(Status status) { status_ = worse(status_, status); }

  /// Those that run with the first parameters; the others are named.
  void read_tests() {
    const std::vector<Input> inputs = expand_inputs(options_.files);
    for (const Input& input : inputs) {
      if (interrupted()) break;
      try {
        for (litmus::Test& test : parse_input(read_input(input, streams_.in))) {
          auto task = std::make_unique<TunedTest>(input.name, std::move(test));
          const gpu::Histogram seen = trial(*task, first_, options_.trial_seconds * kFirstTrials);
          if (options_.rare) task->rare = rarest(*task, seen);
          subjects_.push_back(std::move(task));
        }
      } catch (const gpu::CannotRun& error) {
        refused(error.what(), inputs.size());
      } catch (const gpu::TooSmall& error) {
        refused(fmt::format("{}: {}\n", input.name, error.what()), inputs.size());
      } catch (const InputError& error) {
        streams_.err << error.what();
        worsen(Status::input);
      }
    }
  }
  void refused(const std::string& why, std::size_t inputs) {
    if (!options_.quiet || inputs == 1) streams_.err << why;
    if (inputs == 1) worsen(Status::input);
  }

  static gpu::Values rarest(const TunedTest& task, const gpu::Histogram& seen) {
    gpu::Values out;
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& [values, count] : seen.counts) {
      if (!task.observation.kept(values) || count >= least) continue;
      least = count;
      out = values;
    }
    return out;
  }

  gpu::Histogram trial(const TunedTest& task, const gpu::Parameters& parameters, double seconds) {
    gpu::RunOptions run = options_.run;
    run.seconds = seconds;
    run.instances = 0;
    run.seed += static_cast<std::uint32_t>(++trials_);
    run.harness.hazards = hazards_of(task.test);
    gpu::apply(parameters, run.harness);
    const gpu::Harness harness = gpu::write_harness(task.test, task.observation, run.harness);
    // To its end, short as it is: what a search that was interrupted has found is confirmed, too
    gpu::Histogram out = gpu::run(*device_, harness, task.observation, run, [] { return false; });
    if (out.stuck != 0)
      throw Hung(fmt::format("{}: hung: a launch did not end within {:g} s, with {}\n", task.file,
                             run.patience, gpu::print(parameters)));
    return out;
  }

  double rate(const TunedTest& task, const gpu::Parameters& parameters) {
    try {
      const gpu::Histogram seen = trial(task, parameters, options_.trial_seconds);
      std::uint64_t count = gpu::tally(task.observation, seen).positive;
      if (options_.rare) {
        const auto found = seen.counts.find(task.rare);
        count = found == seen.counts.end() ? 0 : found->second;
      }
      return seen.seconds > 0 ? static_cast<double>(count) / seen.seconds : 0;
    } catch (const gpu::CannotRun&) {  // so many instances do not fit, say
      return 0;
    } catch (const gpu::TooSmall&) {
      return 0;
    }
  }

  std::vector<double> rates(const std::vector<gpu::Trial>& trials) {
    std::vector<double> out;
    out.reserve(trials.size());
    for (const gpu::Trial& one : trials) out.push_back(rate(*subjects_[one.test], one.parameters));
    return out;
  }

  void search() {
    gpu::TuningQuestions questions;
    questions.tests = subjects_.size();
    questions.first = first_;
    questions.seed = options_.run.seed;
    questions.least_rate = 1 / options_.trial_seconds;
    questions.rates = [&](const std::vector<gpu::Trial>& trials) { return rates(trials); };
    questions.spent = [&] { return interrupted() ? 1.0 : clock_.seconds() / options_.run.seconds; };
    questions.better = [&](const gpu::Parameters& p, double gain) {
      if (!options_.quiet)
        streams_.err << fmt::format("{:6.1f} s, {} trials: x {:.2f} with {}\n", clock_.seconds(), trials_,
                                    gain, gpu::print(p))
                     << std::flush;
    };
    clock_ = session::Stopwatch();
    const gpu::Tuning found = gpu::tune(questions);
    if (interrupted()) worsen(Status::unknown);
    print(found);
    save(found);
  }

  void print(const gpu::Tuning& found) {
    std::size_t width = 4;
    for (const auto& task : subjects_) width = std::max(width, task->test.name.size());
    streams_.out << fmt::format("{:<{}}  {:>10}  {:>10}  {:>10}  /s, {} trials\n", "Test", width, "before",
                                "all", "own", found.trials);
    for (std::size_t i = 0; i < subjects_.size(); ++i)
      streams_.out << fmt::format("{:<{}}  {:>10.4g}  {:>10.4g}  {:>10.4g}  {}\n", subjects_[i]->test.name,
                                  width, found.first_rates[i], found.joint_rates[i], found.best[i].rate,
                                  gpu::print(found.best[i].parameters));
    streams_.out << fmt::format("{:<{}}  {:>10}  {:>10}  {:>10}  {}\n", "all", width, "",
                                fmt::format("x {:.4g}", found.joint_gain), "", gpu::print(found.joint));
  }

  void save(const gpu::Tuning& found) {
    gpu::ParameterFile file;
    file.device = device_->info();
    file.command = fmt::format("ptxmc run --tune --time {:g} --trial {:g} --seed {} --objective {} {}",
                               options_.run.seconds, options_.trial_seconds, options_.run.seed,
                               options_.rare ? "rare" : "weak", gpu::print(first_));
    for (const std::string& name : options_.files) file.command += " " + name;
    file.seed = options_.run.seed;
    file.objective = options_.rare ? "rare" : "weak";
    file.seconds = clock_.seconds();
    file.joint = found.joint;
    file.joint_gain = found.joint_gain;
    for (std::size_t i = 0; i < subjects_.size(); ++i)
      file.tests.push_back({subjects_[i]->test.name, litmus::meaning_hash(subjects_[i]->test),
                            found.best[i].parameters, found.best[i].rate, found.joint_rates[i],
                            found.first_rates[i]});
    const std::string path =
        options_.save.empty() ? gpu::parameter_file_name(device_->info()) : options_.save;
    std::vector<std::string> inputs{options_.parameters};
    inputs.insert(inputs.end(), options_.files.begin(), options_.files.end());
    OutputFile out(path, files_read(inputs));
    out.stream() << gpu::write_parameters(file);
    out.commit();
    if (!options_.quiet) streams_.err << fmt::format("saved in {}\n", path);
  }

  const GpuOptions& options_;
  Streams& streams_;
  Status& status_;
  ParameterChoice choice_;
  std::unique_ptr<gpu::Device> device_;
  gpu::Parameters first_;
  std::vector<std::unique_ptr<TunedTest>> subjects_;
  std::uint64_t trials_ = 0;
  session::Stopwatch clock_;
};

}  // namespace

Status tune_files(const GpuOptions& options, Streams& streams) {
  const ParameterChoice checked(options);  // a wrong file is an error before anything starts
  const double tests = static_cast<double>(expand_inputs(options.files).size());
  const double trial = kTrialSeconds + options.trial_seconds;
  const double to_end = kEndsSeconds + options.run.patience + tests * kConfirmations * trial;
  const double to_begin = tests * (trial + options.trial_seconds * kFirstTrials);
  return in_child(to_begin + options.run.seconds + to_end, to_end, streams,
                  [&](Status& status) { Tuner(options, streams, status).run(); });
}

}  // namespace ptxmc::cli
