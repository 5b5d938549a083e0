// SPDX-License-Identifier: Apache-2.0
// Where a thread goes on to from an instruction, as far as constants tell.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "dynamic/exec/code.h"
#include "dynamic/exec/flow.h"

namespace ptxmc::exec {

constexpr unsigned kLongestTurn = 512;  // instructions
constexpr unsigned kMostPaths = 64;     // of a turn, as branches and guards that are not known go both ways

/// What is known of a register, from most to least.
enum class Fact : std::uint8_t {
  number,   // a constant
  fixed,    // it does not change
  awaited,  // rests on what was read, and on nothing that differs otherwise
  varies,   // from turn to turn of a loop, or with time
};

struct Facts {
  std::vector<Fact> of;
  std::vector<Row> rows;  // of numbers, in lane 0
};
using Slots = std::set<Slot>;
/// Numbers of steps of a code.
using StraightPath = std::vector<std::size_t>;

/// On registers alone.
bool is_pure(const Step& step);
/// Constants are numbers, everything else is fixed.
Facts constants_of(const Code& code);
/// From one instruction on, up to the first that does more than compute, or jumps who knows where: that is the last.
StraightPath path_from(const Code& code, Facts& facts, std::size_t at);
/// The same from a wait that has succeeded, or a swap.
StraightPath path_out(const Code& code, Facts& facts, std::size_t wait, std::uint64_t swapped = 0);
/// The registers that a loop writes, and that may hold something else at one of its steps when there were
/// other turns before.
std::vector<Slot> unsettled_at(const Code& code, const std::vector<bool>& loop, const flow::Graph& before,
                               std::size_t at);
/// The first step of the second that the first comes to as well.
std::optional<std::size_t> meeting(const StraightPath& first, const StraightPath& second);

/// The registers that an instruction writes; of wide ones both halves.
std::vector<Slot> results_of(const Code& code, const Step& step);
void add_written(const Code& code, const Step& step, Slots& out);
/// Those that are written on a way, up to one of its steps.
void add_written(const Code& code, const StraightPath& way, std::size_t end, Slots& out);
/// From a step on, before they are written again.
bool none_is_read_from(const Code& code, std::size_t begin, const Slots& slots);

/// The slots of registers by their names.
Slots slots_of(const Code& code, const std::vector<std::string>& names);

}  // namespace ptxmc::exec
