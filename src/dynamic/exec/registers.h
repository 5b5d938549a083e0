// SPDX-License-Identifier: Apache-2.0
// The registers of a warp: a row of 32 values for each register, and what they rest on. Constants, addresses
// of variables and places of threads are rows too, which no instruction writes: every operand is a slot.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "dynamic/order/events.h"

namespace ptxmc::exec {

constexpr unsigned kLanes = trace::kLanes;
using LaneMask = std::uint32_t;
constexpr LaneMask kAllLanes = ~LaneMask{0};

/// A value of each lane: a pattern, the bits above the register's width zero.
using Row = std::array<std::uint64_t, kLanes>;
using Slot = std::uint16_t;
constexpr Slot kNoSlot = 0xffff;

/// What a value rests on that another execution, or another launch of the same sizes, may do otherwise. What
/// another thread wrote, of this CTA or another, needs no kind of its own: a strong read or an atomic that
/// may take it gives timing, a weak read that may take it races, and one that is ordered after it rests on
/// what was written.
enum class Source : std::uint8_t {
  data = 1,
  timing = 2,
  turns = 4,  ///< the order of the turns at a location whose turns are followed (exec::Turns)
  token = 8,  ///< whether a try succeeded for which a wait follows (dynamic/exec/try_results.h)
  place =
      16,  ///< where objects lie in memory, and the value is no address of one of them (dynamic/exec/places.h)
  machine = 32,  ///< what the machine is, which no launch says: its number of multiprocessors
  block = 64,    ///< the place of its block in the grid, where that is followed (dynamic/exec/block_values.h)
};
using Sources = std::uint8_t;  // a set of them
constexpr Sources bit(Source source) {
  return static_cast<Sources>(source);
}
/// A mark of a byte in memory, beside its sources: it is part of an address that is followed
/// (dynamic/exec/places.h).
constexpr Sources kAddress = 128;

/// Those that are not the same in all schedules with these turns.
constexpr Sources open(Sources sources) {
  return sources & static_cast<Sources>(~(bit(Source::turns) | bit(Source::block)));
}

constexpr Sources without_block(Sources sources) {
  return sources & static_cast<Sources>(~bit(Source::block));
}

/// As what is said of a decision: a token that decides something else than its wait is timing.
constexpr Sources as_said(Sources sources) {
  const bool token = (sources & bit(Source::token)) != 0;
  return static_cast<Sources>((sources & ~unsigned{bit(Source::token)}) | (token ? bit(Source::timing) : 0U));
}

/// The lanes whose value rests on each of the sources.
struct Taint {
  LaneMask data = 0, timing = 0, turns = 0, token = 0, place = 0, machine = 0;
  LaneMask block = 0;    ///< and those of Source::block
  LaneMask address = 0;  ///< and those whose value is an address, or made of some, as FormRow says; no source

  LaneMask any() const { return data | timing | turns | token | place | machine | block; }
  /// Those whose value is not the same in all schedules with these turns.
  /// What another schedule may give otherwise.
  LaneMask scheduled() const { return timing | turns | token; }
  LaneMask open() const { return data | timing | token | place | machine; }
  Taint& operator|=(const Taint& other) {
    data |= other.data;
    timing |= other.timing;
    turns |= other.turns;
    token |= other.token;
    place |= other.place;
    machine |= other.machine;
    block |= other.block;
    address |= other.address;
    return *this;
  }
  /// In the lanes of the mask, that of the other.
  void assign(const Taint& other, LaneMask mask) {
    data = (data & ~mask) | (other.data & mask);
    timing = (timing & ~mask) | (other.timing & mask);
    turns = (turns & ~mask) | (other.turns & mask);
    token = (token & ~mask) | (other.token & mask);
    place = (place & ~mask) | (other.place & mask);
    machine = (machine & ~mask) | (other.machine & mask);
    block = (block & ~mask) | (other.block & mask);
    address = (address & ~mask) | (other.address & mask);
  }
  /// In one lane, these.
  void set(unsigned lane, Sources sources) {
    const LaneMask one = LaneMask{1} << lane;
    const auto rests_on = [&](Source source) { return (sources & bit(source)) != 0 ? one : 0; };
    assign(
        {rests_on(Source::data), rests_on(Source::timing), rests_on(Source::turns), rests_on(Source::token),
         rests_on(Source::place), rests_on(Source::machine), rests_on(Source::block)},
        one);
  }
  Sources of(unsigned lane) const { return within(LaneMask{1} << lane); }
  /// All that the lanes of the mask rest on.
  Sources within(LaneMask mask) const {
    return static_cast<Sources>(
        ((data & mask) != 0 ? bit(Source::data) : 0) | ((timing & mask) != 0 ? bit(Source::timing) : 0) |
        ((turns & mask) != 0 ? bit(Source::turns) : 0) | ((token & mask) != 0 ? bit(Source::token) : 0) |
        ((place & mask) != 0 ? bit(Source::place) : 0) | ((machine & mask) != 0 ? bit(Source::machine) : 0) |
        ((block & mask) != 0 ? bit(Source::block) : 0));
  }
};

/// What a value is apart from a number: a sum of addresses of objects (dynamic/exec/places.h). 0: nothing.
using Form = std::uint16_t;
using FormRow = std::array<Form, kLanes>;

struct Registers {
  std::vector<Row> rows;
  std::vector<Taint> taints;
  std::vector<std::unique_ptr<FormRow>> forms;  // of the lanes of Taint::address; null: there are none
};

inline unsigned first_of(LaneMask lanes) {
  return static_cast<unsigned>(std::countr_zero(lanes));
}

/// Calls `function(lane)` for each lane of the mask, in order.
template <typename Function>
inline void for_lanes(LaneMask mask, Function&& function) {
  if (mask == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) function(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) function(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace ptxmc::exec
