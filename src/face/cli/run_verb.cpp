// SPDX-License-Identifier: Apache-2.0
// `run`: tests on a GPU, one after the other, in a child process: a test may hang the GPU, and then only
// the end of the process that launched it stops it (workers.h).
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <utility>

#include "face/cli/gpu_parameters.h"
#include "face/cli/inputs.h"
#include "face/cli/interrupt.h"
#include "face/cli/modules.h"
#include "face/cli/output_file.h"
#include "face/cli/run_tests.h"
#include "face/cli/verbs.h"
#include "face/cli/workers.h"
#include "gpu/run/host_run.h"
#include "gpu/run/kernels_runner.h"
#include "gpu/run/log.h"
#include "gpu/run/runner.h"
#include "gpu/run/system_runner.h"
#include "gpu/text/facts.h"
#include "input/litmus/hash.h"
#include "report/text/herd.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

constexpr double kDriverPatience = 24;     // x the user's patience, for all but a launch: the driver compiles
constexpr double kInterruptedSeconds = 1;  // beside the patience, for the test that a Ctrl-C finds

/// There is no device to run anything on.
class NoDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Counts {
  std::uint64_t ran = 0, skipped = 0, hung = 0, failed = 0;
  Status status = Status::ok;
  volatile bool stop = false;  ///< the parent was interrupted
};

/// 64 random bits: the seed names what a run does, not when and where it was done.
std::string fresh_id() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}", source(), source());
}

class Runs {
 public:
  Runs(const GpuOptions& options, const std::vector<RunItem>& items, RunSink& sink, Streams& streams)
      : options_(options), streams_(streams), sink_(sink), items_(items) {}

  Status all() {
    if (options_.emit_ptx) {
      for (std::uint64_t i = 0; i < items_.size(); ++i) treat(i);
    } else {
      flush();
      const double patience = options_.run.patience;
      const Limits limits{options_.run.seconds + (1 + kDriverPatience) * patience,
                          patience + kInterruptedSeconds, [&] { return asked(); }};
      work_in_children(
          items_.size(), limits, [&](std::uint64_t i) { return treat(i); },
          [&](const Loss& loss) { return lost(loss); });
      if (counts_->stop) worsen(Status::unknown);
    }
    const bool nothing = counts_->ran + counts_->hung + counts_->failed == 0;
    if (nothing && counts_->skipped != 0 && !sink_.sweeping())
      worsen(Status::input);  // none of them can run here
    if (any() && items_.size() > 1 && !options_.quiet && !sink_.sweeping())
      streams_.err << fmt::format("{} tests ran, {} skipped, {} hung, {} failed\n", counts_->ran,
                                  counts_->skipped, counts_->hung, counts_->failed);
    return counts_->status;
  }

 private:
  void flush() {
    streams_.err << std::flush;
    streams_.out << std::flush;
  }
  bool any() const { return counts_->ran + counts_->skipped + counts_->hung + counts_->failed != 0; }
  void worsen(Status status) { counts_->status = worse(counts_->status, status); }
  bool asked() const {
    if (interrupted()) counts_->stop = true;
    return counts_->stop;
  }
  void tell(const std::string& message) {
    sink_.make_room(false);
    streams_.err << message;
  }

  Next treat(std::uint64_t number) {
    if (asked()) return Next::enough;
    Next next = Next::enough;
    try {
      next = attempt(number);
    } catch (const CannotWrite& error) {
      tell(fmt::format("ptxmc: error: {}\n", error.what()));
      worsen(Status::input);
    }
    flush();
    return next;
  }

  /// In a folder, what cannot run is skipped; a test that the user names must run.
  Next attempt(std::uint64_t number) {
    const RunItem& item = items_[number];
    const bool several = items_.size() > 1 || sink_.sweeping();
    try {
      return one(number);
    } catch (const NoDevice& error) {
      tell(fmt::format(
          "ptxmc: error: {}\n`ptxmc run` needs a GPU and its driver; `ptxmc run --emit-ptx` shows "
          "what would run.\n",
          error.what()));
      worsen(Status::input);
      return Next::enough;
    } catch (const gpu::CannotRun& error) {
      if (!options_.quiet || !several) tell(error.what());
      skip(number, error.what());
    } catch (const gpu::TooSmall& error) {
      tell(fmt::format("{}: {}\n", item.file, error.what()));
      skip(number, error.what());
    } catch (const InputError& error) {
      tell(error.what());
      fail(number, Fate::refused, error.what(), Status::input);
    } catch (const gpu::DriverError& error) {
      tell(fmt::format("{}: error: {}\n", item.file, error.what()));
      fail(number, Fate::failed, error.what(), Status::input);
      return Next::fresh;  // a fault spoils the context
    } catch (const CannotWrite&) {
      throw;
    } catch (const std::exception& error) {
      tell(fmt::format("{}: internal error: {}\n", item.file, error.what()));
      fail(number, Fate::failed, error.what(), Status::failure);
    }
    return Next::go_on;
  }

  void skip(std::uint64_t number, const std::string& why) {
    ++counts_->skipped;
    if (items_.size() == 1 && !sink_.sweeping()) worsen(Status::input);
    sink_.missed(number, Fate::skipped, why);
  }

  void fail(std::uint64_t number, Fate fate, const std::string& why, Status status) {
    ++counts_->failed;
    worsen(status);
    sink_.missed(number, fate, why);
  }

  bool lost(const Loss& loss) {
    const std::string& file = items_[loss.item].file;
    if (asked() && (loss.silent || loss.signal == SIGINT || loss.signal == SIGTERM)) return false;
    if (loss.signal == SIGPIPE) return false;  // no process reads the logs any more
    sink_.make_room(true);
    if (loss.silent) {
      const std::string why = "the GPU's driver did not come back; its process was killed";
      streams_.err << fmt::format("{}: hung: {}\n", file, why);
      ++counts_->hung;
      worsen(Status::unknown);
      sink_.missed(loss.item, Fate::hung, why);
    } else {
      const std::string why =
          fmt::format("its process ended by {} {}", loss.signal != 0 ? "signal" : "exit status",
                      loss.signal != 0 ? loss.signal : loss.status);
      streams_.err << fmt::format("{}: internal error: {}\n", file, why);
      fail(loss.item, Fate::failed, why, Status::failure);
    }
    flush();
    return !asked();
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
    const int all = gpu::device_count();
    if (count > static_cast<std::size_t>(all - options_.device))
      throw gpu::TooSmall(fmt::format(
          "this test needs {} GPUs; the driver sees {}{}", count, all,
          options_.device == 0 ? "" : fmt::format(", of which --device leaves out {}", options_.device)));
    while (out.size() < count) out.push_back(&device(out.size()));
    return out;
  }

  Next one(std::uint64_t number) {
    const RunItem& item = items_[number];
    GpuOptions how = options_;
    if (!sink_.begin(number, how.run)) return Next::enough;
    if (!item.test) {
      tell(item.error);
      fail(number, Fate::refused, item.error, Status::input);
      return Next::go_on;
    }
    const litmus::Test& test = *item.test;
    how.run.harness.hazards = hazards_of(test);
    const gpu::Observation observation(test);
    if (test.kernels.stated) return run_kernels(number, std::move(how), observation);
    if (gpu::is_host_test(test)) return run_hosts(number, std::move(how), observation);
    if (gpu::is_system(test)) return run_system(number, std::move(how), observation);
    if (devices_.empty())  // what cannot run on any GPU says so without one, too
      gpu::write_harness(test, observation, how.run.harness);
    gpu::apply(parameters_.of(test, how.emit_ptx ? nullptr : &device().info(), streams_), how.run.harness);
    const gpu::Harness harness = gpu::write_harness(test, observation, how.run.harness);
    if (how.emit_ptx) return printed(number, harness.ptx);
    return logged(number, how, observation, record_of(number, how),
                  gpu::run(device(), harness, observation, how.run, [this] { return ended(); }));
  }

  bool ended() { return asked() || sink_.over(); }

  Next printed(std::uint64_t number, const std::string& text) {
    sink_.ran(number, text, false);
    ++counts_->ran;
    return Next::go_on;
  }

  /// A test whose threads are all on the host: no GPU is needed.
  Next run_hosts(std::uint64_t number, GpuOptions how, const gpu::Observation& observation) {
    const RunItem& item = items_[number];
    plain(number, how.run.harness);
    const gpu::HostTest test = gpu::write_hosts(*item.test, observation, how.run);
    if (how.emit_ptx) return printed(number, fmt::format("// {} has no thread on a GPU\n", item.test->name));
    gpu::RunRecord record{
        item.file, litmus::meaning_hash(*item.test), command_of(how, item.file), {}, how.run, 0};
    record.device.name = "the CPU";
    record.hosts = static_cast<unsigned>(test.codes.size());
    return logged(number, how, observation, record,
                  gpu::run_hosts(test, observation, how.run, [this] { return ended(); }));
  }

  gpu::RunRecord record_of(std::uint64_t number, const GpuOptions& how) {
    const RunItem& item = items_[number];
    return {item.file, litmus::meaning_hash(*item.test), command_of(how, item.file), device().info(),
            how.run};
  }

  /// Stress, and what is tuned, is for tests of one kernel on one GPU.
  gpu::HarnessOptions& plain(std::uint64_t number, gpu::HarnessOptions& shape) {
    if (options_.given.stress && *options_.given.stress != gpu::StressOptions{} && !options_.quiet)
      tell(fmt::format("{}: without --stress, which is for tests of one kernel on one GPU\n",
                       items_[number].file));
    shape.instances = options_.given.instances.value_or(shape.instances);
    shape.stride = options_.given.stride.value_or(shape.stride);
    shape.stress = {};
    return shape;
  }

  Next run_kernels(std::uint64_t number, GpuOptions how, const gpu::Observation& observation) {
    const litmus::Test& test = *items_[number].test;
    const gpu::KernelsHarness harness =
        gpu::write_kernels_harness(test, observation, plain(number, how.run.harness));
    if (how.emit_ptx) return printed(number, harness.ptx);
    gpu::RunRecord record = record_of(number, how);
    record.hosts = static_cast<unsigned>(harness.hosts.size());
    return logged(number, how, observation, record,
                  gpu::run(device(), harness, observation, how.run, [this] { return ended(); }));
  }

  /// A test on several GPUs, or with host threads.
  Next run_system(std::uint64_t number, GpuOptions how, const gpu::Observation& observation) {
    const litmus::Test& test = *items_[number].test;
    const gpu::System system = gpu::write_system(test, observation, plain(number, how.run.harness));
    if (how.emit_ptx) return printed(number, gpu::print(system));
    const std::vector<const gpu::Device*> used = devices(system.gpus.size());
    gpu::RunRecord record = record_of(number, how);
    record.gpus = static_cast<unsigned>(system.gpus.size());
    record.hosts = static_cast<unsigned>(system.hosts.size());
    return logged(number, how, observation, record,
                  gpu::run_system(used, system, observation, how.run, [this] { return ended(); }));
  }

  Next logged(std::uint64_t number, const GpuOptions& how, const gpu::Observation& observation,
              gpu::RunRecord record, const gpu::Histogram& histogram) {
    const RunItem& item = items_[number];
    record.id = fresh_id();
    sink_.ran(number,
              how.json ? gpu::log_json(*item.test, observation, histogram, record)
                       : gpu::log_text(*item.test, observation, histogram, record),
              histogram.stuck != 0);
    if (histogram.stuck == 0) {
      ++counts_->ran;
      return Next::go_on;
    }
    ++counts_->hung;
    worsen(Status::unknown);
    tell(fmt::format("{}: hung: a launch of {} instances did not end within {:g} s\n", item.file,
                     histogram.stuck, how.run.patience));
    return Next::fresh;
  }

  const GpuOptions& options_;
  Streams& streams_;
  RunSink& sink_;
  const std::vector<RunItem>& items_;
  ParameterChoice parameters_{options_};
  std::vector<std::unique_ptr<gpu::Device>> devices_;
  Shared<Counts> counts_;
};

/// Logs on a stream, each as soon as its test is through.
class LogStream : public RunSink {
 public:
  explicit LogStream(std::ostream& out) : out_(out) {}
  bool begin(std::uint64_t, gpu::RunOptions&) override { return true; }
  void ran(std::uint64_t, const std::string& log, bool) override {
    out_ << log << std::flush;
    if (!out_) throw CannotWrite("cannot write the log");
  }
  void missed(std::uint64_t, Fate, const std::string&) override {}
  void make_room(bool) override {}

 private:
  std::ostream& out_;
};

}  // namespace

std::string command_of(const GpuOptions& options, const std::string& file) {
  const gpu::HarnessOptions& harness = options.run.harness;
  return command_of(options, file, gpu::print({harness.instances, harness.stride, harness.stress}));
}

std::string command_of(const GpuOptions& options, const std::string& file, const std::string& parameters) {
  const gpu::RunOptions& run = options.run;
  std::string out = fmt::format("ptxmc run --seed {} --time {:g}{}{} --fuel {}", run.seed, run.seconds,
                                parameters.empty() ? "" : " ", parameters, run.harness.fuel);
  if (options.device != 0) out += fmt::format(" --device {}", options.device);
  if (run.instances != 0) out += fmt::format(" --size {}", run.instances);
  if (run.patience != gpu::RunOptions{}.patience) out += fmt::format(" --patience {:g}", run.patience);
  if (run.ctas != 0) out += fmt::format(" --ctas {}", run.ctas);
  if (run.harness.home) out += fmt::format(" --home {}", *run.harness.home);
  if (run.batch != gpu::RunOptions{}.batch) out += fmt::format(" --batch {}", run.batch);
  return out + " " + file;
}

std::vector<RunItem> run_items_of(const std::vector<std::string>& files, const Options& launched,
                                  Streams& streams) {
  std::vector<RunItem> items;
  for (const Input& input : expand_inputs(files)) {
    try {
      if (input.error.empty() && is_launch_name(input.name)) {
        items.push_back({input.name, "", read_launch(input, launched, streams.in)});
        continue;
      }
      for (litmus::Test& test : parse_input(read_input(input, streams.in)))
        items.push_back({input.name, "", std::move(test)});
    } catch (const InputError& error) {
      items.push_back({input.name, error.what(), std::nullopt});
    }
  }
  return items;
}

Status run_items(const GpuOptions& options, const std::vector<RunItem>& items, RunSink& sink,
                 Streams& streams) {
  return Runs(options, items, sink, streams).all();
}

Status run_files(const GpuOptions& options, Streams& streams) {
  const Interruptible interruptible;
  if (options.campaign.wanted()) return run_campaign(options, streams);
  std::vector<RunItem> items = run_items_of(options.files, options.launched, streams);
  std::vector<std::string> inputs{options.parameters};
  inputs.insert(inputs.end(), options.files.begin(), options.files.end());
  const auto elsewhere = [&](const RunItem& item) {
    return !options.shard.takes(item.test ? item.test->name : item.file);
  };
  items.erase(std::remove_if(items.begin(), items.end(), elsewhere), items.end());
  return with_output(options.output, inputs, streams, [&](std::ostream& out) {
    LogStream logs(out);
    return run_items(options, items, logs, streams);
  });
}

}  // namespace ptxmc::cli
