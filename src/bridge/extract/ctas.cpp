// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/ctas.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::extract {

Ctas::Ctas(const Log& log, const Slice& slice, const Variables& variables)
    : log_(log), variables_(variables) {
  for (const trace::Thread thread : slice.threads)
    with_threads_.insert(log.warps.at(thread / trace::kLanes).cta);
  all_ = with_threads_;
  all_.insert(variables.ctas().begin(), variables.ctas().end());
}

const trace::Placement& Ctas::placement(std::uint32_t cta) const {
  return *std::find_if(log_.warps.begin(), log_.warps.end(),
                       [&](const trace::Placement& place) { return place.cta == cta; });
}

bool Ctas::is_remote(trace::Thread thread, trace::Address address) const {
  const auto cta = variables_.cta_of(address);
  return cta && *cta != log_.warps.at(thread / trace::kLanes).cta;
}

const trace::Placement& Ctas::of(trace::Address address) const {
  return placement(*variables_.cta_of(address));
}

std::size_t Ctas::rank_of(trace::Address address) const {
  const trace::Placement& own = of(address);
  return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [&](std::uint32_t cta) {
    return cta < own.cta && placement(cta).cluster == own.cluster;
  }));
}

std::vector<trace::Placement> Ctas::without_thread() const {
  std::vector<trace::Placement> out;
  for (const std::uint32_t cta : all_) {
    if (!with_threads_.contains(cta)) out.push_back(placement(cta));
  }
  return out;
}

std::string placement(const trace::Placement& place) {
  const std::string gpu = place.gpu != 0 ? fmt::format("gpu {}, ", place.gpu) : std::string();
  return gpu + fmt::format("cluster {}, cta {}", place.cluster, place.cta);
}

}  // namespace ptxmc::extract
