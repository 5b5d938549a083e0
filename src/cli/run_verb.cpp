// SPDX-License-Identifier: Apache-2.0
// `run`: tests on a GPU, one after the other.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <ostream>

#include "cli/inputs.h"
#include "cli/verbs.h"
#include "gpu/facts.h"
#include "gpu/log.h"
#include "gpu/runner.h"
#include "report/herd.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;

/// While it lives, the first Ctrl-C asks the run to end with what it has; a second one ends the program.
class Interruptible {
 public:
  Interruptible() : previous_(std::signal(SIGINT, on_interrupt)) {}
  ~Interruptible() {
    std::signal(SIGINT, previous_);
    interrupted = 0;
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  static void on_interrupt(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  }
  void (*previous_)(int);
};

std::string command_of(const GpuOptions& options, const std::string& file) {
  const gpu::RunOptions& run = options.run;
  std::string out =
      fmt::format("ptxmc run --seed {} --time {:g} --instances {} --stride {} --fuel {}", run.seed,
                  run.seconds, run.harness.instances, run.harness.stride, run.harness.fuel);
  if (options.device != 0) out += fmt::format(" --device {}", options.device);
  if (run.instances != 0) out += fmt::format(" --size {}", run.instances);
  if (run.ctas != 0) out += fmt::format(" --ctas {}", run.ctas);
  return out + " " + file;
}

class Runs {
 public:
  Runs(const GpuOptions& options, Streams& streams, std::ostream& out)
      : options_(options), streams_(streams), out_(out) {
    if (!options.emit_ptx) device_ = std::make_unique<gpu::Device>(options.device);
  }

  Status all(const std::vector<Input>& inputs) {
    Status status = Status::ok;
    for (const Input& input : inputs) {
      if (interrupted != 0) break;
      status = worse(status, file(input, inputs.size() > 1));
    }
    if (inputs.size() > 1 && !options_.quiet)
      streams_.err << fmt::format("{} tests ran, {} skipped, {} failed\n", ran_, skipped_, failed_);
    return status;
  }

 private:
  /// In a folder, what cannot run is skipped; a test that the user names must run.
  Status file(const Input& input, bool several) {
    std::vector<litmus::Test> tests;
    try {
      tests = parse_input(read_input(input, streams_.in));
    } catch (const InputError& error) {
      streams_.err << error.what();
      return Status::input;
    }
    Status status = Status::ok;
    for (const litmus::Test& test : tests) {
      try {
        one(test, input.name);
        ++ran_;
        continue;
      } catch (const gpu::CannotRun& error) {
        if (!options_.quiet || !several) streams_.err << error.what();
      } catch (const gpu::TooSmall& error) {
        streams_.err << fmt::format("{}: {}\n", input.name, error.what());
      } catch (const InputError& error) {
        streams_.err << error.what();
        status = Status::input;
      } catch (const gpu::StuckError&) {
        throw;
      } catch (const gpu::DriverError& error) {
        streams_.err << fmt::format("{}: error: {}\n", input.name, error.what());
        ++failed_;
        status = Status::input;
        device_.reset();  // a fault spoils the context; the next test gets another
        device_ = std::make_unique<gpu::Device>(options_.device);
        continue;
      }
      ++skipped_;
      if (!several) status = Status::input;
    }
    return status;
  }

  void one(const litmus::Test& test, const std::string& file) {
    const gpu::Observation observation(test);
    const gpu::Harness harness = gpu::write_harness(test, observation, options_.run.harness);
    if (options_.emit_ptx) {
      out_ << harness.ptx << std::flush;
      return;
    }
    const gpu::Histogram histogram =
        gpu::run(*device_, harness, observation, options_.run, [] { return interrupted != 0; });
    const gpu::RunRecord record{file, report::meaning_hash(test), command_of(options_, file), device_->info(),
                                options_.run};
    out_ << (options_.json ? gpu::log_json(test, observation, histogram, record)
                           : gpu::log_text(test, observation, histogram, record))
         << std::flush;
  }

  const GpuOptions& options_;
  Streams& streams_;
  std::ostream& out_;
  std::unique_ptr<gpu::Device> device_;
  std::size_t ran_ = 0, skipped_ = 0, failed_ = 0;
};

}  // namespace

Status run_files(const GpuOptions& options, Streams& streams) {
  const std::vector<Input> inputs = expand_inputs(options.files);
  std::ofstream file;
  if (!options.output.empty()) {
    file.open(options.output, std::ios::binary);
    if (!file) {
      streams.err << fmt::format("ptxmc: error: '{}': cannot write this file\n", options.output);
      return Status::input;
    }
  }
  std::ostream& out = options.output.empty() ? streams.out : file;
  const Interruptible interruptible;
  try {
    return Runs(options, streams, out).all(inputs);
  } catch (const gpu::StuckError& error) {
    streams.err << fmt::format("ptxmc: error: {}\n", error.what()) << std::flush;
    out << std::flush;
    std::_Exit(static_cast<int>(Status::input));  // the driver would wait for the kernel
  } catch (const gpu::DriverError& error) {
    streams.err << fmt::format(
        "ptxmc: error: {}\n`ptxmc run` needs a GPU and its driver; `ptxmc run --emit-ptx` shows what would "
        "run.\n",
        error.what());
    return Status::input;
  }
}

}  // namespace ptxmc::cli
