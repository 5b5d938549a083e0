// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "model/models.h"
#include "support/check.h"

namespace ptxmc::explore {

namespace {

/// Values of readings that change what a run does, and where; null: what is said holds with them and without.
struct Taken {
  model::ReadingChoice choice;
  void (*set)(VerifyReadings& out, bool in_force);
};
constexpr Taken kTaken[] = {
    {"remote-arrive=cluster", [](VerifyReadings& out, bool on) { out.orders.remote_arrivals_reach = on; }},
    {"init-visible=fenced", [](VerifyReadings& out, bool on) { out.orders.inits_reach = !on; }},
    {"wait-read=sources", [](VerifyReadings& out, bool on) { out.orders.read_waits_for_maps = !on; }},
    {"tcgen05-pairs=9.1", [](VerifyReadings& out, bool on) { out.orders.pairs_of_9_1 = on; }},
    {"launch-dependents-edge=none", [](VerifyReadings& out, bool on) { out.orders.launches_release = !on; }},
    {"map-at-start=both-fences", [](VerifyReadings& out, bool on) { out.orders.starts_release_maps = !on; }},
    {"bulk-reduce-scope=gpu", [](VerifyReadings& out, bool on) { out.orders.reductions_of_sys = !on; }},
    {"tensor-reduce-scope=sys",
     [](VerifyReadings& out, bool on) { out.orders.tensor_reductions_of_sys = on; }},
    {"read-fence=cumulative", [](VerifyReadings& out, bool on) { out.orders.read_fences_cumulate = on; }},
    {"restricted-fence=own",
     [](VerifyReadings& out, bool on) { out.orders.restricted_fences_cumulate = !on; }},
    {"async-patterns=none", [](VerifyReadings& out, bool on) { out.orders.async_patterns = !on; }},
    {"async-patterns=same-proxy", [](VerifyReadings& out, bool on) { out.orders.patterns_cross = !on; }},
    {"strong-proxies=race", [](VerifyReadings& out, bool on) { out.orders.strong_reads_race = on; }},
    // After the row above: either of the two.
    {"strong-proxies=none",
     [](VerifyReadings& out, bool on) { out.orders.strong_reads_race = out.orders.strong_reads_race || on; }},
    {"proxy-fence=anywhere", [](VerifyReadings& out, bool on) { out.orders.proxy_fences_anywhere = on; }},
    {"wgmma-groups=warp", [](VerifyReadings& out, bool on) { out.orders.groups_of_warps = on; }},
    {"aligned-barrier=cta", [](VerifyReadings& out, bool on) { out.execution.one_place = on; }},
    {"atomic-release=program-order", [](VerifyReadings& out, bool on) { out.orders.atomics_relay = !on; }},
    {"wgmma-first-fence=free", [](VerifyReadings& out, bool on) { out.execution.first_fence_is_free = on; }},
    {"scale-factors=apart", [](VerifyReadings& out, bool on) { out.execution.scales_are_apart = on; }},
    {"tmem-lane=named", [](VerifyReadings& out, bool on) { out.execution.lanes_are_named = on; }},
    // Timing decides what test_wait gives, as it does of try_wait.
    {"test-wait=may-fail", nullptr},
};

}  // namespace

void VerifyReadings::take(const model::Readings& readings) {
  for (const Taken& row : kTaken) {
    if (row.set != nullptr) row.set(*this, readings.has(row.choice));
  }
}

void VerifyReadings::allow(model::ReadingChoice choice) {
  PTXMC_CHECK(is_taken(choice), "no run takes " + print(choice));
  for (const Taken& row : kTaken) {
    if (row.choice.reading != choice.reading) continue;
    PTXMC_CHECK(row.set != nullptr, "no run takes " + print(choice));
    row.set(*this, row.choice == choice);
  }
  const bool others = under.find(" with ") != std::string::npos;
  under = fmt::format("{}{}{}", under.empty() ? model::kDefaultProfile : std::string_view(under),
                      others ? ", " : " with ", print(choice));
}

bool is_taken(model::ReadingChoice choice) {
  return std::any_of(std::begin(kTaken), std::end(kTaken), [&](const Taken& row) {
    return row.choice == choice || (row.choice.reading == choice.reading && choice.value == 0);
  });
}

const std::vector<model::ReadingChoice>& taken_readings() {
  static const std::vector<model::ReadingChoice> kAll = [] {
    std::vector<model::ReadingChoice> out;
    for (const Taken& row : kTaken) out.push_back(row.choice);
    return out;
  }();
  return kAll;
}

}  // namespace ptxmc::explore
