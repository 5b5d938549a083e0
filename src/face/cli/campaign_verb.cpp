// SPDX-License-Identifier: Apache-2.0
// `run --campaign`: sweeps over a folder of tests until a time is over (campaign_plan.h); every result goes
// to a file that survives a crash (campaign_file.h), and that tells the next start where to go on.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <ostream>
#include <set>

#include "face/cli/campaign_plan.h"
#include "face/cli/duration.h"
#include "face/cli/gpu_parameters.h"
#include "face/cli/interrupt.h"
#include "face/cli/progress.h"
#include "face/cli/verbs.h"
#include "face/cli/workers.h"
#include "gpu/harness/stress.h"
#include "input/litmus/hash.h"
#include "report/text/herd.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

constexpr double kDefaultSeconds = 300;
constexpr double kLeastKernelSeconds = 0.05;  // of a test that compiling leaves no time
constexpr double kMostOfShare = 4;            // what a test may get of what others left

/// Seconds of a clock that parent and children share.
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The tests of a campaign, and their hashes.
struct Tests {
  std::vector<RunItem> items;
  std::vector<std::string> hashes;
};

/// This shard's. A test that is there twice, by name and meaning, is one.
Tests tests_of(const GpuOptions& options, Streams& streams) {
  std::vector<std::string> files;
  if (options.campaign.wanted()) files.push_back(options.campaign.folder);
  files.insert(files.end(), options.files.begin(), options.files.end());
  Tests out;
  std::map<std::pair<std::string, std::string>, std::string> seen;
  std::vector<RunItem> items = run_items_of(files, Options{}, streams);
  const bool any =
      std::any_of(items.begin(), items.end(), [](const RunItem& item) { return item.test.has_value(); });
  if (!any) {
    for (const RunItem& item : items) streams.err << item.error;
    refuse(fmt::format("no test to run in '{}'", fmt::join(files, "', '")));
  }
  for (RunItem& item : items) {
    if (!options.shard.takes(item.test ? item.test->name : item.file)) continue;
    std::string hash = item.test ? litmus::meaning_hash(*item.test) : "";
    if (item.test) {
      const auto [first, fresh] = seen.try_emplace({item.test->name, hash}, item.file);
      if (!fresh) {
        if (!options.quiet) streams.err << fmt::format("{}: the same test as {}\n", item.file, first->second);
        continue;
      }
    }
    out.items.push_back(std::move(item));
    out.hashes.push_back(std::move(hash));
  }
  return out;
}

/// Writes what a sweep's tests come to.
class SweepSink : public RunSink {
 public:
  SweepSink(const CampaignFile& file, const Tests& tests, const Sweep& sweep, double campaign_end,
            ProgressLine& progress)
      : file_(file),
        tests_(tests),
        sweep_(sweep),
        campaign_end_(campaign_end),
        end_(now() + sweep.share * static_cast<double>(sweep.items.size())),
        progress_(progress) {}

  bool sweeping() const override { return true; }

  bool begin(std::uint64_t number, gpu::RunOptions& run) override {
    *begun_ = now();
    if (sweep_.number > 0 && *begun_ >= campaign_end_) return false;
    const std::size_t item = sweep_.items[number];
    const double share = std::clamp((end_ - *begun_) / static_cast<double>(sweep_.items.size() - number), 0.0,
                                    kMostOfShare * sweep_.share);
    test_end_ = *begun_ + share;
    kernels_end_ = 0;
    run.seconds = std::max(kLeastKernelSeconds, share);
    run.seed = seed_of(run.seed, sweep_.number);
    progress_.show_campaign(number, sweep_.items.size(), sweep_.number + 1,
                            std::max(campaign_end_, end_) - *begun_, tests_.items[item].file);
    return true;
  }

  void ran(std::uint64_t, const std::string& log, bool) override {
    file_.append(campaign_line(log, sweep_.number, now() - *begun_));
  }

  void missed(std::uint64_t number, Fate fate, const std::string& why) override {
    const std::size_t item = sweep_.items[number];
    file_.append(
        missed_line(tests_.items[item], tests_.hashes[item], fate, why, sweep_.number, now() - *begun_));
  }

  bool over() override {
    if (kernels_end_ == 0) kernels_end_ = now() + kLeastKernelSeconds;  // the first launch was a short one
    return now() >= std::max(test_end_, kernels_end_);
  }

  void make_room(bool adopt) override { progress_.clear(adopt); }

 private:
  const CampaignFile& file_;
  const Tests& tests_;
  const Sweep& sweep_;
  double campaign_end_, end_;
  double test_end_ = 0;     ///< of the test at hand
  double kernels_end_ = 0;  ///< the same, at the earliest; 0: no kernel ran yet
  ProgressLine& progress_;
  Shared<double> begun_;  ///< the parent asks, too, when a child was lost
};

class Campaign {
 public:
  Campaign(const GpuOptions& options, Streams& streams)
      : options_(options),
        streams_(streams),
        seconds_(options.campaign.seconds.value_or(kDefaultSeconds)),
        tests_(tests_of(options, streams)),
        file_(campaign_path(options), parameters_of(options)) {}

  Status all() {
    ProgressLine progress(streams_, options_.progress, options_.quiet);
    if (file_.repaired() != 0)
      streams_.err << fmt::format("{}: {} bytes of a record that was not whole are cut off\n", file_.path(),
                                  file_.repaired());
    std::vector<CampaignRecord> records = file_.records();
    CampaignState state = state_of(records);
    const double end = now() + std::max(0.0, seconds_ - state.spent);
    Status status = Status::ok;
    const std::size_t begun = records.size();
    while (!interrupted()) {
      const auto sweep = next_sweep(state, end - now());
      if (!sweep) break;
      const std::size_t before = records.size();
      status = worse(status, run(*sweep, end, progress));
      progress.clear(true);
      records = file_.records();
      state = state_of(records);
      if (records.size() == before) break;  // there is no GPU, say
    }
    if (interrupted()) status = worse(status, Status::unknown);
    if (!options_.quiet) summary(records, state, records.size() == begun);
    return status;
  }

 private:
  static std::string campaign_path(const GpuOptions& options) {
    if (!options.output.empty()) return options.output;
    return options.shard.whole()
               ? "ptxmc-campaign.jsonl"
               : fmt::format("ptxmc-campaign-{}-of-{}.jsonl", options.shard.index, options.shard.count);
  }

  /// What must not change from one start to the next: all but the time and the number of the GPU.
  static std::string parameters_of(const GpuOptions& options) {
    GpuOptions fixed = options;
    fixed.device = 0;
    fixed.run.seconds = gpu::RunOptions{}.seconds;
    return command_of(fixed, fmt::format("--shard {}", options.shard.print()), print_given(options));
  }

  CampaignState state_of(const std::vector<CampaignRecord>& records) const {
    return campaign_state(tests_.items, tests_.hashes, records, file_.path());
  }

  Status run(const Sweep& sweep, double end, ProgressLine& progress) {
    GpuOptions how = options_;
    how.json = true;
    how.run.seconds = kMostOfShare * sweep.share;
    std::vector<RunItem> items;
    for (const std::size_t i : sweep.items) items.push_back(tests_.items[i]);
    SweepSink sink(file_, tests_, sweep, end, progress);
    try {
      return run_items(how, items, sink, streams_);
    } catch (const CannotWrite& error) {
      streams_.err << fmt::format("ptxmc: error: {}\n", error.what());
      return Status::input;
    }
  }

  void summary(const std::vector<CampaignRecord>& records, const CampaignState& state,
               bool nothing_new) const {
    std::set<std::pair<std::string, std::string>> ran, states;
    std::map<Fate, std::set<std::string>> missed;
    std::uint64_t instances = 0;
    unsigned sweeps = 0;
    for (const CampaignRecord& record : records) {
      const std::string name = record.test + '\n' + (record.hash.empty() ? record.file : record.hash);
      sweeps = std::max(sweeps, record.sweep + 1);
      instances += record.instances;
      if (record.missed || record.stuck) missed[record.missed.value_or(Fate::hung)].insert(name);
      if (!record.missed) ran.insert({name, ""});
      for (const std::string& state_seen : record.states) states.insert({name, state_seen});
    }
    const auto untouched = std::count_if(state.tests.begin(), state.tests.end(),
                                         [](const TestProgress& test) { return test.sweeps == 0; });
    streams_.err << fmt::format(
        "{}: {} tests ran, {} skipped, {} hung, {} failed, {} not yet begun; {} sweeps, {:.4g} instances, {} "
        "states, {} of {}\n",
        file_.path(), ran.size(), missed[Fate::skipped].size(), missed[Fate::hung].size(),
        missed[Fate::failed].size() + missed[Fate::refused].size(), untouched, sweeps,
        static_cast<double>(instances), states.size(), print_duration(state.spent), print_duration(seconds_));
    if (interrupted())
      streams_.err << "interrupted: the same command goes on from here\n";
    else if (nothing_new && untouched == 0)
      streams_.err << "nothing is left to do; with a longer --time it goes on\n";
  }

  const GpuOptions& options_;
  Streams& streams_;
  double seconds_;
  Tests tests_;
  CampaignFile file_;
};

}  // namespace

Status run_campaign(const GpuOptions& options, Streams& streams) {
  return Campaign(options, streams).all();
}

}  // namespace ptxmc::cli
