// SPDX-License-Identifier: Apache-2.0
// How values move with the place of their block in a grid: functions of that place, each a sum of factors times the x, y and z of the
// block's cluster and other functions of the place that are known by their values. The grid is one of a launch, so that each function
// has a value for each of its clusters: a place is the number of a cluster. Two values of one move differ by the same everywhere.
//
// A register of n bits that moves so and holds v at one place holds v + f(other) - f(one), modulo 2^n, at another.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/integer/arithmetic.h"

namespace ptxmc::exec {

using Move = std::uint32_t;
constexpr Move kStill = 0;          // the same at all places
constexpr Move kAnyhow = ~Move{0};  // nothing is known of how

class GridMoves {
 public:
  using Wide = integer::Wide;
  using Sides = std::array<std::uint64_t, 3>;
  static constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 20U;

  /// Clusters of a grid along each axis, and blocks of a cluster. At most kMostPlaces clusters.
  GridMoves(const Sides& clusters, const Sides& cluster);

  std::uint64_t places() const { return places_; }
  std::uint64_t place_of_block(std::uint64_t block) const;
  /// One of the blocks of a cluster.
  std::uint64_t block_at(std::uint64_t place) const;

  Move along(unsigned axis, std::int64_t factor);
  Move sum(Move a, Move b, bool subtracts, unsigned bits);
  /// As a number, not modulo anything.
  Move difference(Move a, Move b);
  Move times(Move a, std::uint64_t factor, unsigned bits);
  /// As it counts for a register of so many bits.
  Move narrowed(Move a, unsigned bits);
  /// How a register of so many bits moves that holds these at the places.
  Move of_values(std::span<const std::uint64_t> by_place, unsigned bits);

  /// The value of the function.
  Wide at(Move move, std::uint64_t place) const;
  struct Range {
    Wide least = 0, most = 0;
  };
  Range range(Move move);
  /// Are all differences multiples of the unit?
  bool steps_by(Move move, std::uint64_t unit);

 private:
  using Terms =
      std::vector<std::pair<std::uint32_t, std::int64_t>>;  // functions, ascending, and their factors
  static constexpr std::size_t kAxes = 3;

  std::uint64_t coordinate(std::size_t axis, std::uint64_t place) const;
  std::int64_t value(std::uint32_t function, std::uint64_t place) const;
  Move intern(Terms terms, unsigned bits);
  bool is_linear(std::span<const std::int64_t> values, unsigned bits, Terms& out) const;
  std::optional<std::uint32_t> function(std::vector<std::int64_t> values);

  Sides clusters_, cluster_;
  std::uint64_t places_ = 1;
  std::vector<std::vector<std::int64_t>> functions_;  // beyond the axes: values by place
  std::vector<std::uint64_t> largest_;                // of the absolute values of each function
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  std::vector<Terms> moves_;
  std::map<Terms, Move> known_;
  std::unordered_map<Move, Range> ranges_;
};

}  // namespace ptxmc::exec
