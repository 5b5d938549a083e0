// SPDX-License-Identifier: Apache-2.0
#include "lower/families/special_registers.h"

#include <algorithm>
#include <bit>

#include "isa/table.h"

namespace ptxmc::lower {

using event::Value;
using isa::Special;

/// The value of a predefined register, `name` as in a program. Blocks of threads have one dimension.
event::Value SpecialRegisters::special_value(const std::string& name) const {
  const auto special = isa::special_register(name);
  if (!special) unsupported(source_.position, "special register %" + name);
  const std::string who = "P" + std::to_string(source_.number);
  const auto refuse = [&](const std::string& why) {
    fail(source_.position, "%" + name + " of " + who + " is not known: " + why);
  };
  if (info_.host) refuse("it is a host thread");
  const bool of_lane = *special <= Special::lane_mask_gt || *special == Special::tid_x;
  if (of_lane && info_.lanes == kAllLanes)
    refuse("the thread stands for a whole warp; name its lane: `@ warp 0, lane 0`");
  if (*special == Special::warp_id && !info_.warp) refuse("name its warp: `@ warp 0`");
  if (*special == Special::ctaid_x && !source_.placement.cta) refuse("name its CTA: `@ cta 0`");
  const auto lane = static_cast<Value>(std::countr_zero(info_.lanes));
  const std::uint32_t below = info_.lanes - 1;
  switch (*special) {
    case Special::lane_id:
      return lane;
    case Special::lane_mask_eq:
      return info_.lanes;
    case Special::lane_mask_le:
      return below | info_.lanes;
    case Special::lane_mask_lt:
      return below;
    case Special::lane_mask_ge:
      return ~below;
    case Special::lane_mask_gt:
      return ~(below | info_.lanes);
    case Special::warp_id:
      return *info_.warp;
    case Special::tid_x:
      return *info_.warp * kWarp + lane;
    case Special::ctaid_x:
      return *source_.placement.cta;
    case Special::cluster_cta_rank:
    case Special::cluster_cta_count:
      break;
  }
  const std::vector<std::uint32_t> ctas = cluster_ctas();
  if (*special == Special::cluster_cta_count) return static_cast<Value>(ctas.size());
  return std::distance(ctas.begin(), std::find(ctas.begin(), ctas.end(), info_.cta));
}

}  // namespace ptxmc::lower
