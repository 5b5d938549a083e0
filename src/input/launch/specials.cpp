// SPDX-License-Identifier: Apache-2.0
#include "input/launch/specials.h"

#include <set>

namespace ptxmc::launch {

Extents place_in(const Extents& extents, std::uint64_t number) {
  const auto side = [&](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  return {side(number % extents.x), side(number / extents.x % extents.y),
          side(number / extents.x / extents.y % extents.z)};
}

Extents Grid::clusters() const {
  const Extents &grid = launch_.grid, &cluster = launch_.cluster;
  return {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
}

std::uint64_t Grid::cluster_of(std::uint64_t cta) const {
  const Extents at = place_in(launch_.grid, cta), all = clusters();
  const Extents& size = launch_.cluster;
  return (std::uint64_t{at.z / size.z} * all.y + at.y / size.y) * all.x + at.x / size.x;
}

std::uint32_t Grid::rank_of(std::uint64_t cta) const {
  const Extents at = place_in(launch_.grid, cta);
  const Extents& size = launch_.cluster;
  return (at.z % size.z * size.y + at.y % size.y) * size.x + at.x % size.x;
}

std::vector<std::uint64_t> Grid::whole_clusters(const std::vector<std::uint64_t>& ctas) const {
  const Extents &grid = launch_.grid, &size = launch_.cluster;
  std::set<std::uint64_t> out;
  for (const std::uint64_t cta : ctas) {
    const Extents at = place_in(grid, cta);
    for (std::uint64_t member = 0; member < size.count(); ++member) {
      const Extents in = place_in(size, member);
      const std::uint64_t x = at.x / size.x * size.x + in.x, y = at.y / size.y * size.y + in.y,
                          z = at.z / size.z * size.z + in.z;
      out.insert((z * grid.y + y) * grid.x + x);
    }
  }
  return {out.begin(), out.end()};
}

std::vector<Seat> Grid::seats(const std::vector<std::uint64_t>& ctas) const {
  std::vector<Seat> out;
  for (const std::uint64_t cta : ctas) {
    for (std::uint32_t thread = 0; thread < launch_.block.count(); ++thread) out.push_back({cta, thread});
  }
  return out;
}

std::optional<std::uint64_t> Grid::special(std::string_view name, const Seat& seat) const {
  return name.find('.') != std::string_view::npos ? vector(name, seat) : scalar(name, seat);
}

/// "tid.x"
std::optional<std::uint64_t> Grid::vector(std::string_view name, const Seat& seat) const {
  const std::string_view base = name.substr(0, name.find('.')), component = name.substr(name.find('.') + 1);
  const Extents cta = place_in(launch_.grid, seat.cta);
  const Extents& size = launch_.cluster;
  Extents value;
  if (base == "tid") {
    value = place_in(launch_.block, seat.thread);
  } else if (base == "ntid") {
    value = launch_.block;
  } else if (base == "ctaid") {
    value = cta;
  } else if (base == "nctaid") {
    value = launch_.grid;
  } else if (base == "clusterid") {
    value = {cta.x / size.x, cta.y / size.y, cta.z / size.z};
  } else if (base == "nclusterid") {
    value = clusters();
  } else if (base == "cluster_ctaid") {
    value = {cta.x % size.x, cta.y % size.y, cta.z % size.z};
  } else if (base == "cluster_nctaid") {
    value = size;
  } else {
    return std::nullopt;
  }
  if (component == "x") return value.x;
  if (component == "y") return value.y;
  if (component == "z") return value.z;
  return std::nullopt;
}

std::optional<std::uint64_t> Grid::scalar(std::string_view name, const Seat& seat) const {
  const std::uint32_t own = std::uint32_t{1} << seat.lane(), below = own - 1;
  if (name == "laneid") return seat.lane();
  if (name == "warpid") return seat.warp();
  if (name == "lanemask_eq") return own;
  if (name == "lanemask_lt") return below;
  if (name == "lanemask_le") return below | own;
  if (name == "lanemask_ge") return ~below;
  if (name == "lanemask_gt") return ~(below | own);
  if (name == "cluster_ctarank") return rank_of(seat.cta);
  if (name == "cluster_nctarank") return launch_.cluster.count();
  if (name == "is_explicit_cluster") return launch_.has_cluster ? 1 : 0;
  if (name == "dynamic_smem_size") return launch_.shared;
  return std::nullopt;
}

}  // namespace ptxmc::launch
