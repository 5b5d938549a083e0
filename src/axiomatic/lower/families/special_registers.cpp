// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/special_registers.h"

#include <algorithm>
#include <bit>

#include "ptx/isa/table.h"

namespace ptxmc::lower {

using event::Value;
using isa::Special;

Typed SpecialRegisters::held(const std::string& name) const {
  const auto width = static_cast<Width>(isa::special_register_bits(name));
  const std::optional<Value> value = special_value(name);
  return {value ? pool_.constant(*value, width) : unknown_special(name, width), false, true};
}

/// A term: one for a grid, or one more for each moment.
Expr SpecialRegisters::unknown_special(const std::string& name, Width width) const {
  const auto& terms = pool_.terms();
  const bool of_moment = isa::special_register(name) == Special::of_moment;
  std::string term = "%" + name;
  if (of_moment) term = "P" + std::to_string(source_.number) + ":" + term;
  for (const program::Kernel& kernel : unit_.program.kernels.kernels) {
    const bool runs =
        std::find(kernel.threads.begin(), kernel.threads.end(), source_.number) != kernel.threads.end();
    if (runs && !of_moment) term.insert(0, kernel.name + ":");
  }
  const auto known = [&](const std::string& other) {
    return std::find_if(terms.begin(), terms.end(), [&](const event::Term& t) { return t.name == other; });
  };
  if (const auto same = known(term); !of_moment && same != terms.end())
    return pool_.term(static_cast<std::uint32_t>(same - terms.begin()));
  event::Term added;
  added.name = term;
  for (int i = 2; known(added.name) != terms.end(); ++i) added.name = term + "#" + std::to_string(i);
  added.width = width;
  return pool_.new_term(std::move(added));
}

/// The value of a predefined register, `name` as in a program; nothing where it is not known. Blocks of
/// threads have one dimension.
std::optional<event::Value> SpecialRegisters::special_value(const std::string& name) const {
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
  if (*special == Special::cluster_id_x && !source_.placement.cluster)
    refuse("name its cluster: `@ cluster 0`");
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
    case Special::cluster_id_x:
      return *source_.placement.cluster;
    case Special::zero:
      return 0;
    case Special::one:
      return 1;
    case Special::explicit_cluster:
      return source_.placement.cluster ? std::optional<Value>(1) : std::nullopt;
    case Special::of_launch:
    case Special::of_moment:
      return std::nullopt;
    case Special::cluster_cta_rank:
    case Special::cluster_cta_count:
      break;
  }
  const std::vector<std::uint32_t> ctas = cluster_ctas();
  if (*special == Special::cluster_cta_count) return static_cast<Value>(ctas.size());
  return std::distance(ctas.begin(), std::find(ctas.begin(), ctas.end(), info_.cta));
}

}  // namespace ptxmc::lower
