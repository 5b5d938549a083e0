// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "axiomatic/lower/placement.h"
#include "ptx/isa/warp.h"

namespace ptxmc::gpu {

using event::ThreadInfo;

namespace {

using isa::kWarp;
constexpr unsigned kMostThreads = 1024;  // of a CTA
constexpr unsigned kMostCtas = 8;        // of a cluster, on every GPU that has clusters
constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

class Planner {
 public:
  explicit Planner(const Facts& facts)
      : facts_(facts), infos_(lower::place_threads(facts.test(), lower::Errors(facts.test().source))) {}

  std::vector<Grid> run() {
    std::vector<Grid> grids;
    for (std::size_t t = 0; t < infos_.size(); ++t) {
      const ThreadInfo& info = infos_[t];
      if (info.host) continue;
      const auto same = [&](const Grid& grid) { return grid.kernel == info.kernel && grid.gpu == info.gpu; };
      auto grid = std::find_if(grids.begin(), grids.end(), same);
      if (grid == grids.end()) {
        Grid fresh;
        fresh.kernel = info.kernel;
        fresh.gpu = info.gpu;
        grid = grids.insert(grids.end(), fresh);
      }
      grid->seats.push_back({t, 0, 0, 1, Lanes::leader});
    }
    for (Grid& grid : grids) place(grid);
    return grids;
  }

 private:
  const program::Thread& thread(const Seat& seat) const { return facts_.test().threads[seat.thread]; }

  /// Clusters by their lowest CTA, CTAs by their number; those without a number come last.
  void place(Grid& grid) {
    using Rank = std::pair<int, std::uint32_t>;
    std::map<std::uint32_t, std::set<Rank>> clusters;
    for (const Seat& seat : grid.seats) {
      const ThreadInfo& info = infos_[seat.thread];
      clusters[info.cluster].emplace(thread(seat).placement.cta.value_or(std::numeric_limits<int>::max()),
                                     info.cta);
    }
    std::vector<std::set<Rank>> ordered;
    for (const auto& [number, ctas] : clusters) {
      ordered.push_back(ctas);
      grid.cluster = std::max(grid.cluster, static_cast<unsigned>(ctas.size()));
    }
    std::sort(ordered.begin(), ordered.end());
    if (grid.cluster > kMostCtas)
      facts_.fail(thread(grid.seats.front()).position,
                  fmt::format("a cluster of {} CTAs; a GPU takes {}", grid.cluster, kMostCtas));
    std::map<std::uint32_t, unsigned> index;  // by CTA instance
    unsigned next = 0;
    for (const auto& ctas : ordered) {
      unsigned rank = 0;
      for (const Rank& cta : ctas) index[cta.second] = next + rank++;
      next += grid.cluster;
    }
    grid.ctas = next;
    for (Seat& seat : grid.seats) seat.cta = index.at(infos_[seat.thread].cta);
    for (unsigned cta = 0; cta < grid.ctas; ++cta) fill(grid, cta);
  }

  static bool is_lane(const ThreadInfo& info) { return info.lanes != kAllLanes; }

  static unsigned warps_of(const program::Thread& thread) {
    const bool group =
        std::any_of(thread.code().begin(), thread.code().end(),
                    [](const program::Instruction& i) { return i.has(isa::Trait::warpgroup); });
    return group ? 4 : 1;
  }

  /// Gives the threads of a CTA their warps: named ones first.
  void fill(Grid& grid, unsigned cta) {
    std::set<unsigned> taken;
    const auto sit = [&](Seat& seat, unsigned warp) {
      const ThreadInfo& info = infos_[seat.thread];
      const program::Thread& source = thread(seat);
      const unsigned warps = is_lane(info) ? 1 : warps_of(source);
      for (unsigned w = warp; w < warp + warps; ++w) taken.insert(w);
      seat.lanes = lanes_of(source, is_lane(info));
      seat.first = warp * kWarp;
      if (seat.lanes == Lanes::own) seat.first += static_cast<unsigned>(std::countr_zero(info.lanes));
      if (seat.lanes == Lanes::all) seat.count = warps * kWarp;
      grid.cta_threads = std::max(grid.cta_threads, (warp + warps) * kWarp);
    };
    for (Seat& seat : grid.seats) {
      if (seat.cta == cta && infos_[seat.thread].warp)
        sit(seat, static_cast<unsigned>(*infos_[seat.thread].warp));
    }
    for (Seat& seat : grid.seats) {
      if (seat.cta != cta || infos_[seat.thread].warp) continue;
      const unsigned warps = warps_of(thread(seat));
      unsigned warp = 0;
      const auto occupied = [&] {
        for (unsigned w = warp; w < warp + warps; ++w) {
          if (taken.contains(w)) return true;
        }
        return false;
      };
      while (occupied()) warp += warps;
      sit(seat, warp);
    }
    if (grid.cta_threads > kMostThreads)
      facts_.fail(thread(grid.seats.front()).position,
                  fmt::format("a CTA of {} threads; a GPU takes {}", grid.cta_threads, kMostThreads));
  }

  const Facts& facts_;
  std::vector<ThreadInfo> infos_;
};

}  // namespace

std::vector<Grid> plan_grids(const Facts& facts) {
  return Planner(facts).run();
}

}  // namespace ptxmc::gpu
