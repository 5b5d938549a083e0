// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/met.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "explain/verify/findings.h"
#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

constexpr std::uint32_t kLanes = trace::kLanes;

/// The instruction by which a warp came there.
std::optional<trace::Site> site_of(const exec::Met& met, std::uint32_t warp) {
  for (const auto& [site, warps] : met.warps) {
    if (std::find(warps.begin(), warps.end(), warp) != warps.end()) return site;
  }
  return std::nullopt;
}

std::string warps_at(const claim::VerifyResult& of, const exec::Met& met, trace::Site site) {
  std::vector<std::uint32_t> warps = met.warps.at(site);
  for (std::uint32_t& warp : warps) warp -= met.first_warp;
  std::sort(warps.begin(), warps.end());
  return fmt::format("warp{} {} at {}", warps.size() == 1 ? "" : "s", fmt::join(warps, ", "),
                     line_of(place_of(of, site)));
}

}  // namespace

std::string met_elsewhere(const claim::VerifyResult& of, const trace::Finding& finding) {
  if (!finding::is_race(finding.rule)) return "";
  const std::uint32_t first = finding.first.thread / kLanes, second = finding.second.thread / kLanes;
  for (const exec::Met& met : of.outcome.met) {
    const auto one = site_of(met, first), other = site_of(met, second);
    if (!one || !other || *one == *other) continue;
    return fmt::format("at barrier {}, {} met {}", met.barrier, warps_at(of, met, *one),
                       warps_at(of, met, *other));
  }
  return "";
}

}  // namespace ptxmc::explain
