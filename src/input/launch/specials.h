// SPDX-License-Identifier: Apache-2.0
// Predefined registers (chapter 10) as a launch settles them: by the sizes of the grid, and by a thread's place in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "input/launch/launch.h"
#include "ptx/isa/warp.h"

namespace ptxmc::launch {

using isa::kWarp;

/// A thread of a launch, by its numbers in the grid and in the CTA, x running fastest.
struct Seat {
  std::uint64_t cta = 0;
  std::uint32_t thread = 0;

  std::uint32_t warp() const { return thread / kWarp; }
  std::uint32_t lane() const { return thread % kWarp; }
};

/// A number as a place in a box of these extents.
Extents place_in(const Extents& extents, std::uint64_t number);

/// Where the CTAs of a launch are.
class Grid {
 public:
  explicit Grid(const Launch& launch) : launch_(launch) {}

  /// By number of CTA: the number of its cluster in the grid, and its rank there.
  std::uint64_t cluster_of(std::uint64_t cta) const;
  std::uint32_t rank_of(std::uint64_t cta) const;
  /// These CTAs with the others of their clusters, in the order of their numbers.
  std::vector<std::uint64_t> whole_clusters(const std::vector<std::uint64_t>& ctas) const;
  /// The threads of these CTAs.
  std::vector<Seat> seats(const std::vector<std::uint64_t>& ctas) const;

  /// The value of "tid.x" and the like in a thread; nothing for what no launch settles (%clock, %smid ...).
  std::optional<std::uint64_t> special(std::string_view name, const Seat& seat) const;

 private:
  Extents clusters() const;
  std::optional<std::uint64_t> vector(std::string_view name, const Seat& seat) const;
  std::optional<std::uint64_t> scalar(std::string_view name, const Seat& seat) const;

  const Launch& launch_;
};

}  // namespace ptxmc::launch
