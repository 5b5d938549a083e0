// SPDX-License-Identifier: Apache-2.0
// Which threads run a code, and where: what may meet there.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "repair/change.h"
#include "repair/points.h"

namespace ptxmc::repair {

/// Where a thread runs, its numbers its own where it names none.
struct Where {
  int gpu = 0, cluster = 0, cta = 0, warp = 0;
  bool host = false;
  auto cta_key() const { return std::tuple(gpu, cluster, cta); }
  auto cluster_key() const { return std::tuple(gpu, cluster); }
  auto warp_key() const { return std::tuple(gpu, cluster, cta, warp); }
};

struct Runs {
  Runs(const litmus::Test& test, const Layout& layout);

  std::size_t codes() const { return threads.size(); }
  const Where& first(std::size_t code) const { return places[threads[code].front()]; }

  const litmus::Test& test;
  const Layout& layout;
  std::vector<Where> places;                      ///< by thread
  std::vector<std::vector<std::size_t>> threads;  ///< by code
  std::vector<std::vector<Point>> points;         ///< by code
};

/// A loop goes round an instruction.
bool in_loop(const Layout& layout, std::size_t code, std::size_t i);

/// A site of one option.
inline void add_site(std::vector<Site>& sites, Kind kind, Effect effect, Option option) {
  Site site;
  site.kind = kind;
  site.effect = effect;
  site.rank = Rank::meeting;
  site.options.push_back(std::move(option));
  sites.push_back(std::move(site));
}

}  // namespace ptxmc::repair
