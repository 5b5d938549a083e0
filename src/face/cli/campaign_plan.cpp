// SPDX-License-Identifier: Apache-2.0
#include "face/cli/campaign_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

constexpr double kFirstShare = 0.25;  // seconds of a test in the first sweep, at most
constexpr double kGrowth = 4;
constexpr double kLeastShare = 0.05;  // below this, another sweep is all overhead
constexpr unsigned kMostFailures = 2;
constexpr unsigned kMostSweeps = 1000;

std::string file_of(const std::string& name) {
  return std::filesystem::path(name).lexically_normal().string();
}

void apply(const CampaignRecord& record, TestProgress& test) {
  test.sweeps = std::max(test.sweeps, std::min(record.sweep, kMostSweeps) + 1);
  if (record.missed == Fate::failed) ++test.failures;
  const bool other = record.missed && record.missed != Fate::failed;
  test.over |= record.stuck || other || test.failures >= kMostFailures;
}

}  // namespace

CampaignState campaign_state(const std::vector<RunItem>& items, const std::vector<std::string>& hashes,
                             const std::vector<CampaignRecord>& records, const std::string& path) {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, std::size_t> by_meaning;  // name and hash; a wrong file: its path, and none
  std::map<Key, std::size_t> by_file;     // name and file
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string file = file_of(items[i].file);
    by_meaning.emplace(items[i].test ? Key{items[i].test->name, hashes[i]} : Key{file, ""}, i);
    if (items[i].test) by_file.emplace(Key{items[i].test->name, file}, i);
  }
  CampaignState out;
  out.tests.resize(items.size());
  Diagnostics diagnostics;
  for (const CampaignRecord& record : records) {
    out.spent += record.wall;
    const std::string file = file_of(record.file);
    const auto known = by_meaning.find(record.hash.empty() ? Key{file, ""} : Key{record.test, record.hash});
    if (known != by_meaning.end()) {
      apply(record, out.tests[known->second]);
      continue;
    }
    const auto changed = by_file.find({record.test, file});
    if (record.hash.empty() || changed == by_file.end()) continue;  // no test of this campaign any more
    diagnostics.error({},
                      fmt::format("'{}': test {} has changed since the campaign '{}' began; -o names another "
                                  "file for a new campaign",
                                  record.file, record.test, path));
    by_file.erase(changed);  // once is enough
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return out;
}

std::optional<Sweep> next_sweep(const CampaignState& state, double left) {
  Sweep sweep;
  std::size_t all = 0;
  sweep.number = kMostSweeps;
  for (const TestProgress& test : state.tests) {
    if (test.over) continue;
    ++all;
    sweep.number = std::min(sweep.number, test.sweeps);
  }
  if (all == 0 || sweep.number >= kMostSweeps) return std::nullopt;
  for (std::size_t i = 0; i < state.tests.size(); ++i) {
    if (!state.tests[i].over && state.tests[i].sweeps == sweep.number) sweep.items.push_back(i);
  }
  const auto waiting = static_cast<double>(sweep.items.size());
  const double fair = std::max(left, 0.0) / waiting;
  sweep.share = kFirstShare * std::pow(kGrowth, std::min(sweep.number, 30U));
  if (sweep.number == 0)
    sweep.share = std::clamp(left / static_cast<double>(all) / (1 + kGrowth), kLeastShare, kFirstShare);
  // Would there be enough for another sweep of all tests, at least as long?
  if (left < sweep.share * (waiting + static_cast<double>(all))) sweep.share = fair;
  if (sweep.share >= kLeastShare) return sweep;
  if (sweep.number > 0) return std::nullopt;
  sweep.share = kLeastShare;
  return sweep;
}

std::uint32_t seed_of(std::uint32_t seed, unsigned sweep) {
  if (sweep == 0) return seed;
  std::uint64_t x = (std::uint64_t{seed} << 32 | sweep) + 0x9E3779B97F4A7C15u;  // splitmix64
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return static_cast<std::uint32_t>(x >> 32);
}

}  // namespace ptxmc::cli
