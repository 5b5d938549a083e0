// SPDX-License-Identifier: Apache-2.0
// Which blocks of a grid do what the blocks that ran do, and whether any two of all of them meet in global memory.
//
// The runs of one question add to it: for each cluster that ran, conditions under which the blocks of another cluster go the same ways and
// have the same operands, and the bytes of global memory that are accessed, with how they move from cluster to cluster. A cluster that
// meets all conditions of one that ran does the same, at places that are moved. What is not followed is refused, with its instruction.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dynamic/exec/grid_moves.h"
#include "dynamic/order/events.h"
#include "dynamic/order/intervals.h"

namespace ptxmc::exec {

/// What is done to bytes of global memory. Two atomics of one size whose results no instruction uses are no race, and decide nothing.
enum class GridTouch : std::uint8_t { read, write, atomic };

class GridCover {
 public:
  using Wide = GridMoves::Wide;

  /// Registers that hold a coordinate of their block's cluster at first, so many times, and something that is the same in all clusters.
  struct Coordinate {
    unsigned axis = 0;
    std::uint32_t factor = 0;
  };
  using Registers = std::map<std::string, Coordinate>;

  GridCover(const GridMoves::Sides& clusters, const GridMoves::Sides& cluster, Registers of_place)
      : moves(clusters, cluster), registers(std::move(of_place)) {}

  GridMoves moves;
  const Registers registers;

  // ---- What runs say of a place that they have ----------------------------------------------------------------
  void add_place(std::uint64_t place) { of_place_[place]; }
  /// At places that are like it the function lies between these.
  void require(std::uint64_t place, Move move, Wide least, Wide most);
  /// `bytes`: of an atomic.
  struct Touched {
    Move move = kStill;
    GridTouch touch = GridTouch::read;
    std::uint8_t bytes = 0;
    friend auto operator<=>(const Touched&, const Touched&) = default;
  };
  void touch(std::uint64_t place, const Touched& touched, const trace::Range& bytes);
  /// The instruction does what is not followed.
  void refuse(trace::Site site) { refused_.insert(site); }

  // ---- What that says of all ------------------------------------------------------------------------------------
  enum class Verdict : std::uint8_t {
    covered,   ///< every block does what one that ran does, and no two meet
    refused,   ///< something is not followed
    more,      ///< some do something else: `blocks` has one of them
    meet,      ///< two blocks may access one byte, one of them to write it: `blocks`
    too_much,  ///< there are too many ranges to compare
  };
  struct Answer {
    Verdict verdict = Verdict::refused;
    std::vector<std::uint64_t> blocks;
    std::set<trace::Site> refused;
  };
  Answer judge();

 private:
  using Address = trace::Address;
  struct Between {
    Wide least = 0, most = 0;
  };
  struct OfPlace {
    std::map<Move, Between> conditions;
    std::map<Touched, trace::Intervals> touched;
  };
  struct Group;
  struct Owned;

  /// By place, which of those that ran it is like; nothing: a place is like none.
  std::optional<std::uint64_t> find_alike();
  bool is_alike(const OfPlace& of, std::uint64_t place) const;
  std::vector<Group> groups();
  bool expand(const Group& group, std::vector<Owned>& out) const;
  Answer find_meetings();

  std::map<std::uint64_t, OfPlace> of_place_;
  std::vector<std::uint64_t> alike_;  // by place: the place that ran
  std::set<trace::Site> refused_;
  bool overflowed_ = false;
};

}  // namespace ptxmc::exec
