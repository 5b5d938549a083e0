// SPDX-License-Identifier: Apache-2.0
// `run`: tests on a GPU, one after the other, in a child process: a test may hang the GPU, and then only
// the end of the process that launched it stops it (workers.h).
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "cli/inputs.h"
#include "cli/verbs.h"
#include "cli/workers.h"
#include "gpu/facts.h"
#include "gpu/log.h"
#include "gpu/runner.h"
#include "gpu/system_runner.h"
#include "report/herd.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

constexpr double kItemSeconds = 120;  // for a test beside its kernels: the driver compiles it

/// There is no device to run anything on.
class NoDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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
  if (run.patience != gpu::RunOptions{}.patience) out += fmt::format(" --patience {:g}", run.patience);
  if (run.ctas != 0) out += fmt::format(" --ctas {}", run.ctas);
  if (run.harness.home) out += fmt::format(" --home {}", *run.harness.home);
  if (run.batch != gpu::RunOptions{}.batch) out += fmt::format(" --batch {}", run.batch);
  return out + " " + file;
}

/// A test to run, or what is wrong with its file.
struct Item {
  std::string file;
  std::string error;
  std::optional<litmus::Test> test;
};

std::vector<Item> items_of(const std::vector<std::string>& files, Streams& streams) {
  std::vector<Item> items;
  for (const Input& input : expand_inputs(files)) {
    try {
      for (litmus::Test& test : parse_input(read_input(input, streams.in)))
        items.push_back({input.name, "", std::move(test)});
    } catch (const InputError& error) {
      items.push_back({input.name, error.what(), std::nullopt});
    }
  }
  return items;
}

struct Counts {
  std::uint64_t ran = 0, skipped = 0, hung = 0, failed = 0;
  Status status = Status::ok;
};

class Runs {
 public:
  Runs(const GpuOptions& options, Streams& streams, std::ostream& out, std::vector<Item> items)
      : options_(options), streams_(streams), out_(out), items_(std::move(items)) {}

  Status all() {
    if (options_.emit_ptx) {
      for (std::uint64_t i = 0; i < items_.size(); ++i) treat(i);
    } else {
      flush();
      work_in_children(
          items_.size(), kItemSeconds + options_.run.seconds + options_.run.patience,
          [&](std::uint64_t i) { return treat(i); }, [&](const Loss& loss) { return lost(loss); });
    }
    if (any() && items_.size() > 1 && !options_.quiet)
      streams_.err << fmt::format("{} tests ran, {} skipped, {} hung, {} failed\n", counts_->ran,
                                  counts_->skipped, counts_->hung, counts_->failed);
    return counts_->status;
  }

 private:
  void flush() {
    streams_.err << std::flush;
    out_ << std::flush;
  }
  bool any() const { return counts_->ran + counts_->skipped + counts_->hung + counts_->failed != 0; }
  void worsen(Status status) { counts_->status = worse(counts_->status, status); }

  /// In a folder, what cannot run is skipped; a test that the user names must run.
  Next treat(std::uint64_t number) {
    const Item& item = items_[number];
    const bool several = items_.size() > 1;
    if (interrupted != 0) return Next::enough;
    Next next = Next::go_on;
    try {
      next = one(item);
    } catch (const NoDevice& error) {
      streams_.err << fmt::format(
          "ptxmc: error: {}\n`ptxmc run` needs a GPU and its driver; `ptxmc run --emit-ptx` shows what would "
          "run.\n",
          error.what());
      worsen(Status::input);
      next = Next::enough;
    } catch (const gpu::CannotRun& error) {
      if (!options_.quiet || !several) streams_.err << error.what();
      skip(several);
    } catch (const gpu::TooSmall& error) {
      streams_.err << fmt::format("{}: {}\n", item.file, error.what());
      skip(several);
    } catch (const InputError& error) {
      streams_.err << error.what();
      ++counts_->failed;
      worsen(Status::input);
    } catch (const gpu::DriverError& error) {
      streams_.err << fmt::format("{}: error: {}\n", item.file, error.what());
      ++counts_->failed;
      worsen(Status::input);
      next = Next::fresh;  // a fault spoils the context
    } catch (const std::exception& error) {
      streams_.err << fmt::format("{}: internal error: {}\n", item.file, error.what());
      ++counts_->failed;
      worsen(Status::failure);
    }
    flush();
    return next;
  }

  void skip(bool several) {
    ++counts_->skipped;
    if (!several) worsen(Status::input);
  }

  bool lost(const Loss& loss) {
    const std::string& file = items_[loss.item].file;
    if (loss.signal == SIGINT && interrupted != 0) return false;
    if (loss.silent) {
      streams_.err << fmt::format("{}: hung: the GPU's driver did not come back; its process was killed\n",
                                  file);
      ++counts_->hung;
      worsen(Status::unknown);
    } else {
      streams_.err << fmt::format("{}: internal error: its process ended by {} {}\n", file,
                                  loss.signal != 0 ? "signal" : "exit status",
                                  loss.signal != 0 ? loss.signal : loss.status);
      ++counts_->failed;
      worsen(Status::failure);
    }
    flush();
    return interrupted == 0;
  }

  /// A device of this process: number `place` of those that a test takes, from the one that the user names.
  const gpu::Device& device(std::size_t place = 0) {
    while (devices_.size() <= place) {
      try {
        devices_.push_back(
            std::make_unique<gpu::Device>(options_.device + static_cast<int>(devices_.size())));
      } catch (const gpu::DriverError& error) {
        throw NoDevice(error.what());
      }
    }
    devices_[place]->make_current();
    return *devices_[place];
  }

  /// Devices for all GPUs of a test.
  std::vector<const gpu::Device*> devices(std::size_t count) {
    std::vector<const gpu::Device*> out = {&device()};
    const int seen = gpu::device_count() - options_.device;
    if (count > static_cast<std::size_t>(seen))
      throw gpu::TooSmall(fmt::format(
          "this test needs {} GPUs; the driver sees {}{}", count, gpu::device_count(),
          options_.device == 0 ? "" : fmt::format(", of which --device leaves out {}", options_.device)));
    while (out.size() < count) out.push_back(&device(out.size()));
    return out;
  }

  gpu::Histogram run_system(const gpu::System& system, const gpu::Observation& observation,
                            gpu::RunRecord& record) {
    const std::vector<const gpu::Device*> used = devices(system.gpus.size());
    record.gpus = static_cast<unsigned>(system.gpus.size());
    record.hosts = static_cast<unsigned>(system.hosts.size());
    return gpu::run_system(used, system, observation, options_.run, [] { return interrupted != 0; });
  }

  Next one(const Item& item) {
    if (!item.test) {
      streams_.err << item.error;
      ++counts_->failed;
      worsen(Status::input);
      return Next::go_on;
    }
    const litmus::Test& test = *item.test;
    const gpu::Observation observation(test);
    if (gpu::is_system(test)) return one_system(item, observation);
    const gpu::Harness harness = gpu::write_harness(test, observation, options_.run.harness);
    if (options_.emit_ptx) {
      out_ << harness.ptx;
      ++counts_->ran;
      return Next::go_on;
    }
    const gpu::Histogram histogram =
        gpu::run(device(), harness, observation, options_.run, [] { return interrupted != 0; });
    return logged(item, observation, histogram, record_of(item));
  }

  gpu::RunRecord record_of(const Item& item) {
    return {item.file, report::meaning_hash(*item.test), command_of(options_, item.file), device().info(),
            options_.run};
  }

  /// A test on several GPUs, or with host threads.
  Next one_system(const Item& item, const gpu::Observation& observation) {
    const gpu::System system = gpu::write_system(*item.test, observation, options_.run.harness);
    if (options_.emit_ptx) {
      out_ << gpu::print(system);
      ++counts_->ran;
      return Next::go_on;
    }
    gpu::RunRecord record = record_of(item);
    const gpu::Histogram histogram = run_system(system, observation, record);
    return logged(item, observation, histogram, record);
  }

  Next logged(const Item& item, const gpu::Observation& observation, const gpu::Histogram& histogram,
              const gpu::RunRecord& record) {
    const litmus::Test& test = *item.test;
    out_ << (options_.json ? gpu::log_json(test, observation, histogram, record)
                           : gpu::log_text(test, observation, histogram, record));
    if (histogram.stuck == 0) {
      ++counts_->ran;
      return Next::go_on;
    }
    ++counts_->hung;
    worsen(Status::unknown);
    streams_.err << fmt::format("{}: hung: a launch of {} instances did not end within {:g} s\n", item.file,
                                histogram.stuck, options_.run.patience);
    return Next::fresh;
  }

  const GpuOptions& options_;
  Streams& streams_;
  std::ostream& out_;
  std::vector<Item> items_;
  std::vector<std::unique_ptr<gpu::Device>> devices_;
  Shared<Counts> counts_;
};

}  // namespace

Status run_files(const GpuOptions& options, Streams& streams) {
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
  return Runs(options, streams, out, items_of(options.files, streams)).all();
}

}  // namespace ptxmc::cli
