// SPDX-License-Identifier: Apache-2.0
#include "report/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::report {

namespace {

std::set<std::string> hashes_of(const std::vector<const LoggedTest*>& tests) {
  std::set<std::string> out;
  for (const LoggedTest* test : tests) {
    if (!test->hash.empty()) out.insert(test->hash);
  }
  return out;
}

/// Of two logs: one may lack tests, but each having its own means that the texts differ.
bool contradict(const std::set<std::string>& a, const std::set<std::string>& b) {
  return !std::includes(a.begin(), a.end(), b.begin(), b.end()) &&
         !std::includes(b.begin(), b.end(), a.begin(), a.end());
}

std::uint64_t positive(const LoggedTest& test) {
  std::uint64_t sum = 0;
  for (const auto& [state, count] : test.states) sum += test.satisfied.count(state) != 0 ? count : 0;
  return sum;
}

double per_second(const LoggedTest& test, std::uint64_t count) {
  return test.seconds > 0 ? static_cast<double>(count) / test.seconds : 0;
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

std::string merged_json(const LoggedTest& test) {
  using Json = nlohmann::ordered_json;
  Json out;
  out["test"] = test.name;
  if (!test.file.empty()) out["file"] = test.file;
  out["hash"] = test.hash;
  if (!test.condition.empty()) out["condition"] = test.condition;
  Json states = Json::array();
  for (const auto& [state, count] : test.states) {
    Json one;
    one["state"] = state;
    one["count"] = count;
    one["satisfied"] = test.satisfied.count(state) != 0;
    states.push_back(std::move(one));
  }
  out["states"] = std::move(states);
  out["positive"] = positive(test);
  out["negative"] = test.observed - positive(test);
  out["instances"] = test.instances;
  out["hung"] = test.hung;
  out["stuck"] = test.stuck;
  out["unrecorded"] = test.unrecorded;
  out["seconds"] = test.seconds;
  out["instances_per_second"] = per_second(test, test.instances);
  out["weak_per_second"] = per_second(test, positive(test));
  out["devices"] = test.devices;
  out["runs"] = test.runs;
  out["run_ids"] = test.ids;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string merged_text(const LoggedTest& test) {
  const bool forbids = test.condition.starts_with("~exists"),
             requires_all = test.condition.starts_with("forall");
  const std::uint64_t yes = positive(test), no = test.observed - yes;
  const bool good = yes + no != 0 && (forbids ? yes == 0 : requires_all ? no == 0 : yes > 0);
  std::string out = fmt::format("Test {} {}\nHistogram ({} states)\n", test.name,
                                forbids        ? "Forbidden"
                                : requires_all ? "Required"
                                               : "Allowed",
                                test.states.size());
  for (const auto& [state, count] : test.states)
    out += fmt::format("{:<8}{}{}\n", count, test.satisfied.count(state) != 0 ? "*>" : ":>", state);
  out += fmt::format("{}\n\nWitnesses\nPositive: {}, Negative: {}\n",
                     yes + no == 0 ? "Undef"
                     : good        ? "Ok"
                                   : "No",
                     forbids ? no : yes, forbids ? yes : no);
  if (!test.condition.empty())
    out += fmt::format("Condition {} is {}validated\n", test.condition, good ? "" : "NOT ");
  if (!test.hash.empty()) out += fmt::format("Hash={}\n", test.hash);
  out += fmt::format("Observation {} {} {} {}\n", test.name,
                     yes + no == 0 ? "Unknown"
                     : yes == 0    ? "Never"
                     : no == 0     ? "Always"
                                   : "Sometimes",
                     yes, no);
  out += fmt::format("Time {} {:.2f}\n", test.name, test.seconds);
  if (test.hung != 0) out += fmt::format("Hung {} {}\n", test.name, test.hung);
  if (test.stuck != 0)
    out += fmt::format("Hung {} a launch of {} instances did not end\n", test.name, test.stuck);
  if (test.unrecorded != 0) out += fmt::format("Unrecorded {} {}\n", test.name, test.unrecorded);
  for (const std::string& id : test.ids) out += fmt::format("Run {} {}\n", test.name, id);
  for (const std::string& device : test.devices) out += fmt::format("Device {} {}\n", test.name, device);
  return out + fmt::format("Rate {} {:.4g} instances/s, {:.4g} of them weak/s, {} runs\n\n", test.name,
                           per_second(test, test.instances), per_second(test, yes), test.runs);
}

}  // namespace ptxmc::report
