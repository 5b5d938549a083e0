// SPDX-License-Identifier: Apache-2.0
#include "observed/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::observed {

namespace {

std::set<std::string> hashes_of(const std::vector<const LoggedTest*>& tests) {
  std::set<std::string> out;
  for (const LoggedTest* test : tests) {
    if (!test->hash.empty()) out.insert(test->hash);
  }
  return out;
}

/// One of two logs may lack tests, but each having its own means that the texts differ.
bool contradict(const std::set<std::string>& a, const std::set<std::string>& b) {
  return !std::includes(a.begin(), a.end(), b.begin(), b.end()) &&
         !std::includes(b.begin(), b.end(), a.begin(), a.end());
}

[[noreturn]] void refuse_shared(const std::string& name, const std::string& first,
                                const std::string& second) {
  refuse(
      fmt::format("some runs of {} are counted in '{}' and in '{}'; merge the logs that they were "
                  "made of",
                  name, first, second));
}

}  // namespace

void MergedLog::add(const std::vector<LoggedTest>& log, const std::string& from,
                    std::vector<std::string>* warnings) {
  std::map<std::string, std::vector<const LoggedTest*>> fresh;
  for (const LoggedTest& test : log) fresh[test.name].push_back(&test);
  for (const auto& [name, tests] : fresh) {
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) continue;
    std::vector<const LoggedTest*> before;
    for (const std::size_t i : known->second) before.push_back(&tests_[i]);
    if (!contradict(hashes_of(before), hashes_of(tests))) continue;
    refuse(fmt::format("the logs have two different tests named {}: one in '{}', one in '{}'", name,
                       origins_[known->second.front()], from));
  }
  for (const LoggedTest& test : log) {
    std::vector<std::size_t>& same = by_name_[test.name];
    const auto known = std::find_if(same.begin(), same.end(), [&](std::size_t i) {
      return tests_[i].hash == test.hash || tests_[i].hash.empty() || test.hash.empty();
    });
    if (known != same.end()) {
      if (tests_[*known].hash.empty()) tests_[*known].hash = test.hash;
      const Shared shared = shared_runs(tests_[*known], test);
      if (shared == Shared::some) refuse_shared(test.name, origins_[*known], from);
      if (shared == Shared::nothing) tests_[*known].add(test);
      if (shared == Shared::all && warnings != nullptr)
        warnings->push_back(
            fmt::format("{}: left out: this run of {} stands in '{}'", from, test.name, origins_[*known]));
      continue;
    }
    same.push_back(tests_.size());
    tests_.push_back(test);
    origins_.push_back(from);
  }
}

const LoggedTest* MergedLog::find(const std::string& name, const std::string& hash) const {
  const auto same = by_name_.find(name);
  if (same == by_name_.end()) return nullptr;
  for (const std::size_t i : same->second) {
    if (tests_[i].hash == hash || tests_[i].hash.empty()) return &tests_[i];
  }
  return nullptr;
}

}  // namespace ptxmc::observed
